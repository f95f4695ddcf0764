// Beside the text, while somebody writes: the page as it will look, or what differs from the text they began with.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const body = form.elements.body;
  const panel = form.querySelector(".panel");
  const box = panel.querySelector(".box");
  const preview = document.getElementById("preview");
  const trouble = document.getElementById("preview-trouble");
  const hint = panel.querySelector(".empty-preview");
  const buttons = [...form.querySelectorAll(".views button")];
  const SENT = ["csrfmiddlewaretoken", "title", "type", "tags", "aliases", "body", "page_id", "base_revision"];

  // What is there for those without a script.
  preview.querySelector(".unscripted")?.remove();

  let asked = 0;
  const drawn = {};
  const draw = async () => {
    const view = form.dataset.view === "changes" ? "changes" : "preview";
    const fields = SENT.map((name) => form.elements[name].value);
    const sent = JSON.stringify(fields);
    hint.hidden = view !== "preview" || Boolean(body.value);
    preview.hidden = view !== "preview" || !body.value;
    document.getElementById("changes").hidden = view !== "changes";
    if (!box.offsetParent || drawn[view] === sent || !hint.hidden || covey.isTooLarge()) return;
    const number = ++asked;
    const data = new FormData();
    SENT.forEach((name, place) => data.append(name, fields[place]));
    try {
      const response = await fetch(panel.dataset[view], { method: "POST", body: data, redirect: "error" });
      if (number !== asked) return;
      if (response.ok) {
        // Rendered and sanitised by the same code as the page.
        document.getElementById(view).innerHTML = await response.text();
        drawn[view] = sent;
        follow();
      }
      trouble.hidden = response.ok;
    } catch {
      if (number === asked) trouble.hidden = false;
    }
  };

  const show = (view) => {
    form.dataset.view = view;
    const pressed = view === "text" && matchMedia("(min-width: 60.01rem)").matches ? "preview" : view;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.view === pressed)));
    draw();
  };
  buttons.forEach((button) => button.addEventListener("click", () => show(button.dataset.view)));
  let timer = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(draw, 400); });
  matchMedia("(min-width: 60.01rem)").addEventListener("change", () => show(form.dataset.view));

  // The preview stands about where the text does.
  const follow = () => {
    const rest = body.scrollHeight - body.clientHeight;
    if (form.dataset.view !== "changes" && rest > 0) box.scrollTop = (body.scrollTop / rest) * (box.scrollHeight - box.clientHeight);
  };
  body.addEventListener("scroll", follow, { passive: true });

  // A link in the preview does not lead away from unsaved text.
  box.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link && !link.getAttribute("href").startsWith("#")) Object.assign(link, { target: "_blank", rel: "noopener" });
  });

  form.querySelector(".views").hidden = false;
  form.querySelectorAll(".unscripted").forEach((button) => { button.hidden = true; });
  show(document.getElementById("changes").hidden ? "text" : "changes");
})();
