// Put before every script that a test runs in the page.

const widget = (selector) => document.querySelector(selector);
const shadow = (selector) => widget(selector).shadowRoot;
const words = (node) => node?.innerText.replace(/\s+/g, " ").trim() ?? null;
const all = (root, selector) => [...root.querySelectorAll(selector)];
const button = (selector, label) => all(shadow(selector), "button").find((one) => words(one) === label) ?? null;
const frame = () => new Promise(requestAnimationFrame);

const isReady = (selector) => widget(selector)?.matches(":state(ready)") && shadow(selector).querySelector(".instrument") !== null;

function look(selector) {
  const root = shadow(selector);
  const one = (css, from = root) => words(from.querySelector(css));
  const job = (item) => ({
    id: one(".id", item),
    state: one(".state", item),
    lock: one(".lock", item),
    marks: all(item, ".mark").map(words),
    title: one(".soft", item),
  });
  const lane = (section) => [words(section.querySelector("h3 b")), all(section, "li:not(.empty)").map(job)];
  return {
    rail: all(root, ".row").map((row) => all(row, ".stop").map(words)),
    current: all(root, "[aria-current=step]").map(words),
    clock: one(".clock"),
    lanes: Object.fromEntries(all(root, ".lane").map(lane)),
    enrolled: one(".count .number"),
    deliveries: one(".count .soft"),
    facts: Object.fromEntries(all(root, ".under dl > div").map((line) => [one("dt", line), one("dd", line)])),
    sentence: one(".say p:first-child"),
    meanwhile: one(".meanwhile"),
    ran: one(".ran h3 b"),
    commands: all(root, ".ran > .commands > li").map(words),
    buttons: buttons(root),
    problems: all(root, ".problem").map(words),
  };
}

function lookProof(selector) {
  const root = shadow(selector);
  const one = (css) => words(root.querySelector(css));
  return {
    answers: all(root, ".answers > li").map(words),
    log: all(root, ".events > li").map(words),
    enrolled: one(".count .number"),
    deliveries: one(".count .soft"),
    sentence: one(".say p:first-child"),
    buttons: buttons(root),
    problems: all(root, ".problem").map(words),
  };
}

function buttons(root) {
  return all(root, "button").map((one) => {
    const reason = one.getAttribute("aria-describedby");
    return {
      label: words(one),
      off: one.getAttribute("aria-disabled") === "true",
      why: reason === null ? null : words(root.getElementById(reason)) || null,
    };
  });
}

// Counts how often the live region speaks: once for every batch of changes in it.
function listen(selector) {
  const root = shadow(selector);
  const region = root.querySelector("[role=status]");
  const said = (widget(selector).said = []);
  new MutationObserver((changes) => {
    if (root.querySelector("[role=status]") !== region) said.push("(another live region)");
    else if (changes.some((change) => region.contains(change.target))) said.push(words(region));
  }).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
}

// Everything that is rendered, in one order, so that two positions of a run can be held against each other.
function markup(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const attributes = [...node.attributes].map(({ name, value }) => ` ${name}="${value}"`).sort();
  return `<${node.localName}${attributes.join("")}>${[...node.childNodes].map(markup).join("")}</${node.localName}>`;
}
