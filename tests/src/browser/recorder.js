// Runs in every page before the page's own scripts, and keeps what a host would get to know.
window.heard = [];
const keep = (type, more) => window.heard.push({ type, target: null, ...more });

for (const type of ["enroll-ready", "enroll-change", "enroll-error"]) {
  document.addEventListener(type, (event) => {
    const { code, message, source, snapshot } = event.detail ?? {};
    const { bubbles, composed, cancelable } = event;
    const target = event.target.id || event.target.localName;
    keep(type, { target, code, message, source, snapshot, manners: { bubbles, composed, cancelable } });
  });
}
addEventListener("error", (event) => keep("uncaught", { message: event.message }));
addEventListener("unhandledrejection", (event) => keep("uncaught", { message: String(event.reason) }));
