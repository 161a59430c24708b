import "enroll-once/react";
import type { EnrollLoop } from "enroll-once";
import { useRef, useState } from "react";

export function App() {
  const [stage, setStage] = useState("");
  const queue = useRef<EnrollLoop>(null);
  return (
    <main>
      <p>
        At <output>{stage}</output>
      </p>
      <enroll-loop
        ref={queue}
        story="add,step"
        noAnnounce={true}
        onenroll-change={(event) => setStage(event.detail.snapshot.stage)}
      >
        <p>One job waits in the queue.</p>
      </enroll-loop>
      <button id="again" onClick={() => queue.current?.reset()}>
        Again
      </button>
      <enroll-proof runs={3}>
        <p>One event in Portal's log.</p>
      </enroll-proof>
    </main>
  );
}
