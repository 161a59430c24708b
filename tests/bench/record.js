// Reads what the real widget shows, as data for the stand-in.
const root = widget("enroll-loop").shadowRoot;
const one = (css, from = root) => from.querySelector(css);
const said = (css, from = root) => one(css, from)?.textContent ?? "";
const lineOf = (item) => [said("code", item), said("em", item)];
const linesOf = (node) => node && all(node, "li").map(lineOf);
const jobOf = (item) => ({
  tone: item.className,
  id: said(".id", item),
  state: said(".state", item),
  lock: lockOf(one(".lock", item)),
  marks: all(item, ".mark").map((mark) => [mark.className, mark.textContent]),
  title: said(":scope > .soft", item),
});
const lockOf = (node) =>
  node && {
    gone: node.matches(".gone"),
    owner: said("span", node),
    share: one(".left", node)?.getAttribute("width"),
    left: said("span:last-child", node),
  };
const workerOf = (line) => ({
  tone: line.className,
  name: said("dt", line),
  doing: said("dd", line).replace(/ no longer true: .*/, ""),
  belief: one("s", line)?.lastChild.textContent,
});
const ranBox = one(".ran");
const details = one("details", ranBox);
return {
  rail: all(root, ".row").map((row) => all(row, ".stop").map((stop) => [stop.className.slice(5), stop.textContent])),
  clock: one(".clock").lastChild.textContent,
  lanes: all(root, ".lane").map((lane) => ({ name: said("h3 b", lane), jobs: all(lane, ".job").map(jobOf) })),
  enrolled: said(".count .number"),
  deliveries: said(".count .soft"),
  marker: { tone: one(".marker").className, text: said(".marker dd") },
  workers: all(root, ".worker").map(workerOf),
  suspects: said(".suspects code"),
  guard: said(".of-active > div:last-child dd"),
  log: all(root, ".of-log li").map((item) => [...item.children].map((field) => field.textContent)),
  sentence: said("[role=status]"),
  meanwhile: said(".meanwhile"),
  whyNot: said(".why-not"),
  off: Object.fromEntries(
    all(root, "button[aria-disabled]").map((off) => [off.part.value, off.getAttribute("aria-describedby")]),
  ),
  ran: {
    title: said("h3 b", ranBox),
    actor: said("h3 span", ranBox),
    lines: linesOf(one(":scope > .commands", ranBox)),
    more: details && { summary: said("summary", details), lines: linesOf(details) },
    reply: said(".reply code", ranBox),
  },
};
