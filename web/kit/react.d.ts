import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { EnrollEvents, EnrollLoop, EnrollProof, LoopSnapshot, ProofSnapshot } from "./index.js";
import "./define.js";

/** React 19 sets a property where the element has one, and listens to the event that follows `on`. */
type Props<Element, Snapshot, Names extends keyof Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element> & {
  [Name in Names]?: Element[Name] | null;
} & {
  [Type in keyof EnrollEvents<Snapshot> as `on${Type}`]?: (event: EnrollEvents<Snapshot>[Type]) => void;
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "enroll-loop": Props<
        EnrollLoop,
        LoopSnapshot,
        "story" | "learner" | "course" | "queue" | "noAnnounce" | "loading"
      >;
      "enroll-proof": Props<EnrollProof, ProofSnapshot, "learner" | "course" | "noAnnounce" | "loading"> & {
        runs?: number | string | null;
      };
    }
  }
}
