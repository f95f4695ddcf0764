// The form that writes pages: a preview beside the text, and a warning before unsaved text is left.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const body = form.elements.body;
  const preview = document.getElementById("preview");
  const trouble = document.getElementById("preview-trouble");
  const state = () => JSON.stringify([...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken"));
  const opened = state();
  let isLeaving = false;

  const isUnsaved = () => form.hasAttribute("data-unsaved") || state() !== opened;
  form.addEventListener("submit", () => { isLeaving = true; });
  window.addEventListener("pageshow", () => { isLeaving = false; });
  window.addEventListener("beforeunload", (event) => { if (!isLeaving && isUnsaved()) event.preventDefault(); });

  let timer = 0;
  let asked = 0;
  let drawn = null;
  const draw = async () => {
    if (body.value === drawn) return;
    const text = body.value;
    const number = ++asked;
    const sent = new FormData();
    sent.append("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    sent.append("body", text);
    try {
      const response = await fetch(form.dataset.preview, { method: "POST", body: sent, redirect: "error" });
      if (number !== asked) return;
      if (response.ok) {
        // Rendered and sanitised by the same code as the page.
        preview.innerHTML = await response.text();
        drawn = text;
      }
      trouble.hidden = response.ok;
    } catch {
      if (number === asked) trouble.hidden = false;
    }
  };
  body.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(draw, 400); });
  document.getElementById("show-preview").hidden = true;
  if (body.value) draw(); else preview.replaceChildren();

  form.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && (event.key === "s" || event.key === "Enter")) {
      event.preventDefault();
      form.querySelector("button.main").click();
    }
  });
})();
