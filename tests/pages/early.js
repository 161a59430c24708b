// Runs before define.js: the elements are not upgraded yet.
document.querySelector("#loop").story = "add,step,step";
document.querySelector("#loop").noAnnounce = true;
document.querySelector("#proof").runs = 3;
