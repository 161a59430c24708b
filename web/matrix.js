// The page's crash matrix. When it comes near the screen, the model computes it again, here; then every verdict is a
// button that opens its run in the hero. Of the page only: no part of what others embed.

import { lab } from "./define.js";

const hero = document.querySelector("enroll-loop");
const loaded = document.querySelector("#loaded");
const told = loaded.firstElementChild;
let chosen;

async function compute() {
  document.querySelector("table.matrix").outerHTML = (await lab()).table();
  document.querySelector("table.matrix").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(button);
  });
}

async function show(button) {
  chosen?.removeAttribute("aria-current");
  chosen = button;
  button.setAttribute("aria-current", "true");
  hero.story = button.dataset.story;
  loaded.replaceChildren(
    told, // it alone is read out
    link("back to the table", () => chosen.focus()),
    link("the usual run again", restore),
  );
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  told.textContent = `${button.getAttribute("aria-label")}.`;
  loaded.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
  await hero.ready; // it loads when it is near the screen
  focus();
}

function restore() {
  chosen.removeAttribute("aria-current");
  hero.story = undefined;
  loaded.replaceChildren(told);
  told.textContent = "";
  focus();
}

// On the button with which the run goes on; the screen moves by itself.
function focus() {
  hero.shadowRoot.querySelector("[part=step]")?.focus({ preventScroll: true });
}

function link(text, follow) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", follow);
  return button;
}

new IntersectionObserver(
  (entries, watch) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    // The table that is there says the same, so only the invitation to choose goes.
    compute().catch(() => document.querySelector(".needs-script").remove());
  },
  { rootMargin: "400px" },
).observe(document.querySelector(".scrolls"));
