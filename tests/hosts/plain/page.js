document.addEventListener("enroll-change", ({ target, detail }) => {
  if (target.localName === "enroll-loop") document.querySelector("#deliveries").value = detail.snapshot.deliveries;
});
