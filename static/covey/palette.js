// The palette: pages while somebody types, by title and by words. Without this script the header has a plain field.
"use strict";
(() => {
  const palette = document.getElementById("palette");
  const button = document.getElementById("open-palette");
  if (!palette || !button) return;
  const field = document.getElementById("palette-q");
  const rows = document.getElementById("palette-rows");
  const said = document.getElementById("palette-said");
  const options = () => [...rows.querySelectorAll("[role=option]")];

  let chosen = null;
  const choose = (option) => {
    if (chosen) chosen.setAttribute("aria-selected", "false");
    chosen = option || null;
    if (!chosen) return field.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  };

  let timer = 0;
  let asking = null;
  const draw = (html, sentence) => {
    const kept = chosen?.dataset.url;
    choose(null);
    // From covey's own template, which escapes everything that stands in pages.
    rows.innerHTML = html;
    rows.scrollTop = 0;
    said.textContent = sentence;
    field.setAttribute("aria-expanded", String(options().length > 0));
    // A choice made while the answer was on its way holds, if it is still there.
    choose(options().find((option) => option.dataset.url === kept) || null);
  };
  const ask = async () => {
    asking?.abort();
    const request = asking = new AbortController();
    const waiting = setTimeout(() => palette.classList.add("waits"), 300);
    try {
      const words = field.value.trim().slice(0, 200);
      const response = await fetch(`${palette.dataset.find}?q=${encodeURIComponent(words)}`, { redirect: "error", signal: request.signal });
      if (!response.ok) throw new Error(response.statusText);
      const answer = await response.json();
      if (request === asking) draw(answer.html, answer.said);
    } catch {
      if (request === asking && palette.open) draw("", said.dataset.away);
    } finally {
      clearTimeout(waiting);
      if (request === asking) palette.classList.remove("waits");
    }
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 100); });

  const open = (option, inNewTab) => {
    if (inNewTab) window.open(option.dataset.url, "_blank", "noopener");
    else { palette.close(); location.assign(option.dataset.url); }
  };
  const steps = {
    ArrowDown: (all, place) => all[place + 1],
    // One step beyond either end is the field itself.
    ArrowUp: (all, place) => (place < 0 ? all.at(-1) : all[place - 1]),
    Home: (all) => all[0],
    End: (all) => all.at(-1),
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey) return;
    const all = options();
    if (event.key === "Enter" && chosen) {
      event.preventDefault();
      open(chosen, event.ctrlKey || event.metaKey);
    } else if (event.key in steps && all.length && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      // Without a choice Home and End move within what was typed.
      if (event.key.length < 5 && !chosen) return;
      event.preventDefault();
      choose(steps[event.key](all, all.indexOf(chosen)));
    }
  });
  rows.addEventListener("mousedown", (event) => event.preventDefault());
  rows.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) open(option, event.ctrlKey || event.metaKey);
  });
  rows.addEventListener("auxclick", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && event.button === 1) open(option, true);
  });

  const show = () => {
    if (palette.open) return field.select();
    field.value = "";
    draw("", "");
    palette.showModal();
    field.focus();
    ask();
  };
  button.addEventListener("click", show);
  palette.querySelector(".shut").addEventListener("click", () => palette.close());
  // The dialog itself is hit only where its backdrop is.
  palette.addEventListener("mousedown", (event) => { if (event.target === palette) palette.close(); });
  palette.addEventListener("close", () => {
    // Told a moment later: by then it may be open again.
    if (palette.open) return;
    clearTimeout(timer);
    asking?.abort();
    asking = null;
    palette.classList.remove("waits");
  });
  // Back from a page that was opened here.
  window.addEventListener("pagehide", () => palette.close());
})();
