// What Phoenix LiveView does in the browser: the server renders the view again, and morphdom patches the page.
import morphdom from "./node_modules/morphdom/dist/morphdom-esm.js";

const view = (readers) => `
  <main id="view">
    <p>${readers} readers</p>
    ${readers > 2 ? "<p>It is getting crowded.</p>" : ""}
    <enroll-loop id="queue" story="add,step">
      <p>One job waits in the queue, and ${readers} readers watch it.</p>
    </enroll-loop>
    <enroll-proof id="proof"><p>The same enroll, again and again.</p></enroll-proof>
  </main>`;

window.patch = (readers) => morphdom(document.querySelector("#view"), view(readers));
window.patch(1);
