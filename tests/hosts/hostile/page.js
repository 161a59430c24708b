// A page that goes to the next slide on Space and Enter, whatever has focus.
window.slide = 0;
window.addEventListener("keydown", (event) => {
  if (event.key !== " " && event.key !== "Enter") return;
  event.preventDefault();
  window.slide++;
});
