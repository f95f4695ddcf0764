// Offers the template of the chosen type while nothing is written yet. Without this script the button asks the server.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const offer = document.getElementById("template-offer");
  if (!offer) return;
  const { type, body } = form.elements;
  const link = offer.querySelector("a");
  let template = null;

  const show = () => { offer.hidden = !template || Boolean(body.value.trim()); };
  const ask = async () => {
    const chosen = type.value;
    template = null;
    if (chosen) {
      try {
        const response = await fetch(`${offer.dataset.address}?type=${encodeURIComponent(chosen)}`, { redirect: "error" });
        if (chosen !== type.value) return;
        if (response.ok) template = await response.json();
      } catch { /* a page begins without one */ }
    }
    if (template) {
      link.href = template.url;
      link.hidden = false;
    }
    show();
  };
  type.addEventListener("change", ask);
  body.addEventListener("input", show);
  offer.querySelector("button").addEventListener("click", (event) => {
    event.preventDefault();
    if (template && !body.value.trim()) covey.replace(body, 0, body.value.length, template.body, 0);
  });
  show();
  if (type.value) ask();
})();
