// Runs before the first paint, so that a chosen appearance does not flash.
"use strict";
(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("covey-theme") || ""; } catch { return ""; } };
  const apply = (theme) => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };
  apply(kept());
  // What works only by a script is shown only where one runs.
  root.classList.add("scripted");

  document.addEventListener("DOMContentLoaded", () => {
    const group = document.querySelector(".themes");
    if (!group) return;
    const buttons = group.querySelectorAll("button");
    const press = () => buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.themeChoice === kept())));
    group.hidden = false;
    press();
    group.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      try { localStorage.setItem("covey-theme", button.dataset.themeChoice); } catch { /* kept for this page only */ }
      apply(button.dataset.themeChoice);
      press();
    });
  });
})();
