import "enroll-once/define.js";

document.addEventListener("enroll-change", (event) => {
  document.querySelector("output").value = event.detail.snapshot.stage ?? "";
});
