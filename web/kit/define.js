// Gives the elements their tags, unless another script was first.

import { EnrollLoop, EnrollProof } from "./index.js";

export { lab } from "./index.js"; // one instance for the page and its elements

const tags = Object.entries({ "enroll-loop": EnrollLoop, "enroll-proof": EnrollProof });
const others = new Set();
for (const [tag, element] of globalThis.customElements ? tags : []) {
  const defined = customElements.get(tag);
  if (!defined) customElements.define(tag, element);
  else if (defined.version !== element.version) others.add(defined.version ?? "unknown");
}
if (others.size)
  console.warn(`enroll-once ${EnrollLoop.version}: the tags are defined already, by version ${[...others].join(" and ")}`);
