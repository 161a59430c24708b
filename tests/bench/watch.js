// Runs before the page's own scripts: when the widget was ready and on the screen, how long tasks were, what jumped.
window.watched = { ready: null, longest: 0, shifts: [], clicks: [], memory: [] };

// The message arrives after the frame that is being made has been painted.
const painted = (then) =>
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(performance.now());
    port2.postMessage(null);
  });

document.addEventListener("enroll-ready", () => painted((now) => (watched.ready ??= now)));
const observe = (type, keep) =>
  new PerformanceObserver((entries) => entries.getEntries().forEach(keep)).observe({ type, buffered: true });
observe("longtask", ({ duration }) => (watched.longest = Math.max(watched.longest, duration)));
observe("layout-shift", ({ value, hadRecentInput, sources }) => {
  const what = sources.map(({ node }) => node?.id || node?.className || node?.localName || "text").join(" ");
  if (!hadRecentInput) watched.shifts.push({ value, what });
});

// From the browser's time of a click until the frame with the widget's last change is painted.
window.watchClicks = (element) => {
  let since = null;
  addEventListener("click", ({ timeStamp }) => (since = timeStamp), true);
  new MutationObserver(() => {
    if (since === null) return;
    const began = since;
    since = null;
    painted((now) => watched.clicks.push(now - began));
  }).observe(element.shadowRoot, { subtree: true, childList: true, characterData: true, attributes: true });
};

// Every WebAssembly memory that the page makes.
for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...values) => {
    const made = await original.apply(WebAssembly, values);
    const { memory } = (made.instance ?? made).exports;
    if (memory) watched.memory.push(memory);
    return made;
  };
}
