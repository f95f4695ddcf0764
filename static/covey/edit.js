// The form that writes pages: unsaved text is not left by accident, and not sent twice or in vain.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const { title, type, tags, aliases, body, summary } = form.elements;
  const tooLarge = document.getElementById("too-large");

  // Against what the server sent: a browser that restores fields does so before or after this runs.
  const ofType = () => ([...type.options].find((option) => option.defaultSelected) || type.options[0]).value;
  const isChanged = () => [title, tags, aliases, body, summary].some((field) => field.value !== field.defaultValue) || type.value !== ofType();
  covey.isUnsaved = () => form.hasAttribute("data-unsaved") || isChanged();

  let isLeaving = false;
  let isSending = false;
  window.addEventListener("pageshow", () => { isLeaving = isSending = false; });
  window.addEventListener("beforeunload", (event) => { if (!isLeaving && covey.isUnsaved()) event.preventDefault(); });
  document.getElementById("cancel").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !covey.isUnsaved()) return;
    if (!window.confirm(form.dataset.leave)) return event.preventDefault();
    isLeaving = true;
    form.dispatchEvent(new CustomEvent("covey:discard"));
  });

  // Four bytes a character at most: short texts need not be counted.
  const limit = Number(form.dataset.maxBytes);
  covey.isTooLarge = () => body.value.length > limit / 4 && new TextEncoder().encode(body.value).length > limit;
  const warn = () => { tooLarge.hidden = !covey.isTooLarge(); };
  body.addEventListener("input", warn);
  form.addEventListener("submit", (event) => {
    warn();
    if (isSending || !tooLarge.hidden) {
      event.preventDefault();
      if (!tooLarge.hidden) body.focus();
      return;
    }
    isLeaving = isSending = true;
    // Whoever stopped the browser from sending may send again.
    setTimeout(() => { isSending = false; }, 3000);
  });

  form.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && (event.key === "s" || event.key === "Enter")) {
      event.preventDefault();
      form.querySelector("button.main").click();
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      if (event.target === title) body.focus();
    }
  });

  if (!CSS.supports("field-sizing", "content")) {
    const grow = () => {
      body.style.height = "auto";
      body.style.height = `${body.scrollHeight + 2}px`;
    };
    body.addEventListener("input", grow);
    grow();
  }
})();
