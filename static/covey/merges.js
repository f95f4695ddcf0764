// Merges by keyboard. In the list j and k go from pair to pair, x chooses one, a chooses all, Enter opens. On one pair
// e opens what the one page would say. The keys of its buttons are those of shortcuts.js.
"use strict";
(() => {
  const boxes = [...document.querySelectorAll("input[name=proposal], input.action-select")];
  const current = () => boxes.indexOf(document.activeElement);
  const tick = (box, isTicked) => { if (box.checked !== isTicked) box.click(); };
  const go = (step) => {
    const place = current();
    const box = boxes[place < 0 ? (step > 0 ? 0 : boxes.length - 1) : place + step];
    box?.focus();
    box?.closest("tr").scrollIntoView({ block: "nearest" });
  };
  const KEYS = {
    j: () => go(1),
    k: () => go(-1),
    x: () => { if (current() < 0) go(1); tick(document.activeElement, !document.activeElement.checked); },
    a: () => { const isTicked = !boxes.every((box) => box.checked); boxes.forEach((box) => tick(box, isTicked)); },
  };
  // The admin's list has its actions in a menu.
  const menu = document.querySelector("#changelist-form select[name=action]");
  const act = (action) => { menu.value = action; menu.form.querySelector("[name=index]").click(); };
  if (menu?.querySelector("[value=say_no]")) Object.assign(KEYS, { d: () => act("say_no"), l: () => act("put_off") });

  document.addEventListener("covey:key", (event) => {
    if (!boxes.length || !Object.hasOwn(KEYS, event.detail)) return;
    KEYS[event.detail]();
    event.preventDefault();
  });
  for (const box of boxes)
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      // It would press the first button of the form.
      event.preventDefault();
      box.closest("tr").querySelector("a.decide")?.click();
    });

  const body = document.getElementById("body");
  const details = body?.closest("details");
  if (!details) return;
  details.querySelector("summary").addEventListener("click", () => requestAnimationFrame(() => { if (details.open) body.focus(); }));
  body.addEventListener("keydown", (event) => {
    if (event.key === "Escape") body.blur();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) body.form.querySelector("[value=merge]").click();
  });
})();
