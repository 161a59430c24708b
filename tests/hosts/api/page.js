import { run } from "./enroll-once/api.js";

const steps = await run("add,w1,w1,w1:crash");
for (const { now, action, facts } of steps) {
  const item = document.createElement("li");
  item.textContent = `${now} ms, ${action}: ${facts.join("; ")}`;
  document.querySelector("ol").append(item);
}
