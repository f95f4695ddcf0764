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

  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").trim().toLowerCase();
  const typed = () => field.value.trim().slice(0, 200);
  // A title that begins with what was typed is meant by it: the first one is chosen until somebody chooses otherwise.
  const findMeant = (words) => {
    const first = words && options()[0];
    return first && /^row-\d/.test(first.id) && plain(first.querySelector(".name").textContent).startsWith(plain(words)) ? first : null;
  };

  let timer = 0;
  let asking = null;
  // For which words the rows are, whether somebody chose among them, and whether Enter waits for those to come.
  let shown = "";
  let isOwnChoice = false;
  let entered = null;
  const draw = (html, sentence, words) => {
    const kept = isOwnChoice && chosen?.dataset.url;
    choose(null);
    // From covey's own template, which escapes everything that stands in pages.
    rows.innerHTML = html;
    rows.scrollTop = 0;
    said.textContent = sentence;
    field.setAttribute("aria-expanded", String(options().length > 0));
    // A choice made while the answer was on its way holds, if it is still there.
    const same = kept && options().find((option) => option.dataset.url === kept);
    isOwnChoice = Boolean(same);
    choose(same || findMeant(words));
    shown = words;
    if (entered && entered.words === words) go(entered.inNewTab);
  };
  const go = (inNewTab) => {
    entered = null;
    if (chosen) open(chosen, inNewTab);
    else field.form.requestSubmit();
  };
  const ask = async () => {
    asking?.abort();
    const request = asking = new AbortController();
    const words = typed();
    const waiting = setTimeout(() => palette.classList.add("waits"), 300);
    try {
      const response = await fetch(`${palette.dataset.find}?q=${encodeURIComponent(words)}`, { redirect: "error", signal: request.signal });
      if (!response.ok) throw new Error(response.statusText);
      const answer = await response.json();
      if (request === asking) draw(answer.html, answer.said, words);
    } catch {
      if (request === asking && palette.open) draw("", said.dataset.away, words);
    } finally {
      clearTimeout(waiting);
      if (request === asking) palette.classList.remove("waits");
    }
  };
  field.addEventListener("input", () => {
    entered = null;
    isOwnChoice &&= Boolean(chosen);
    clearTimeout(timer);
    timer = setTimeout(ask, 100);
  });

  const open = (option, inNewTab) => {
    if (inNewTab) window.open(option.dataset.url, "_blank", "noopener");
    // What was probably meant is looked for here, as if it had been typed.
    else if (option.dataset.query) { field.value = option.dataset.query; isOwnChoice = false; field.focus(); ask(); }
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
    const words = typed();
    if (event.key === "Enter" && words && shown !== words && !isOwnChoice) {
      // Who is quicker than the answer means what it will bring.
      event.preventDefault();
      clearTimeout(timer);
      if (entered?.words === words) return;
      entered = { words, inNewTab: event.ctrlKey || event.metaKey };
      ask();
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      open(chosen, event.ctrlKey || event.metaKey);
    } else if (event.key in steps && all.length && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      // Without a choice Home and End move within what was typed.
      if (event.key.length < 5 && !chosen) return;
      event.preventDefault();
      entered = null;
      isOwnChoice = true;
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
    isOwnChoice = false;
    entered = null;
    draw("", "", "");
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
    asking = entered = null;
    palette.classList.remove("waits");
  });
  // Back from a page that was opened here.
  window.addEventListener("pagehide", () => palette.close());
})();
