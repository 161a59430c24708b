import type { EnrollLoop, EnrollProof } from "./index.js";

declare global {
  interface HTMLElementTagNameMap {
    "enroll-loop": EnrollLoop;
    "enroll-proof": EnrollProof;
  }
}

export {};
