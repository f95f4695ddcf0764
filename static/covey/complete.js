// After [[ the pages that may be meant, at the caret; after # the headings of that page.
// A textarea may not be a combobox, so it stays a text field that names its list and the chosen row
// (aria-controls, aria-activedescendant); that a list has opened is said once in a live region.
"use strict";
(() => {
  const field = document.getElementById("edit").elements.body;
  const around = field.closest(".typing");
  const list = document.getElementById("proposals");
  const said = document.getElementById("proposals-said");
  const words = around.dataset;
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-haspopup", "listbox");
  field.setAttribute("aria-controls", list.id);

  // The link that the caret stands in, or null: `start` is where its brackets begin.
  const find = () => {
    const caret = field.selectionStart;
    if (caret !== field.selectionEnd) return null;
    const line = field.value.lastIndexOf("\n", caret - 1) + 1;
    const before = field.value.slice(line, caret);
    const start = before.lastIndexOf("[[");
    const typed = before.slice(start + 2);
    if (start < 0 || /[[\]|]/.test(typed) || covey.isInCode(field.value, line + start)) return null;
    const hash = typed.indexOf("#");
    return {
      start: line + start,
      caret,
      target: hash < 0 ? typed : typed.slice(0, hash),
      heading: hash < 0 ? null : typed.slice(hash + 1),
      typed,
    };
  };

  // What follows the caret and still belongs to the link, and how many characters of it a choice replaces.
  const rest = (link) => {
    const end = field.value.indexOf("\n", link.caret);
    const after = field.value.slice(link.caret, end < 0 ? undefined : end);
    const inner = /^([^[\]]*)\]\]/.exec(after)?.[1] ?? "";
    const closing = /^\]*/.exec(after.slice(inner.length))[0].length;
    // Brackets that enclose the link stay: [[[A]]] is a link in brackets.
    const opening = /\[*$/.exec(field.value.slice(0, link.start + 2))[0].length;
    return { inner, length: inner.length + Math.max(Math.min(closing, 2), closing - (opening - 2), 0) };
  };

  const compose = (link, row, inner) => {
    const label = /\\?\|.*$/.exec(inner)?.[0] ?? "";
    if (row.isHeading) return `${link.target.trim()}#${row.link}${label}`;
    const [, target, ownLabel] = /^([^|]*)(.*)$/.exec(row.link);
    const heading = /^[^#|]*(#[^|\\]*)?/.exec(inner)[1] ?? "";
    return target + heading + (label || ownLabel);
  };

  let rows = [];
  let chosen = 0;
  let drawnFor = null;
  let dismissed = -1;
  let takesFirst = false;

  const close = () => {
    list.hidden = true;
    rows = [];
    drawnFor = null;
    takesFirst = false;
    said.textContent = "";
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (number) => {
    chosen = (number + rows.length) % rows.length;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
    field.setAttribute("aria-activedescendant", list.children[chosen].id);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  };
  const place = (link) => {
    const caret = covey.caretPlace(field, link.start + 2);
    const isNarrow = matchMedia("(max-width: 60rem)").matches;
    const left = isNarrow ? 0 : Math.max(0, Math.min(caret.left, around.clientWidth - list.offsetWidth));
    const below = caret.top + caret.height + 6;
    const bottom = field.getBoundingClientRect().top + below + list.offsetHeight;
    // The row of buttons stays at the lower edge of the window.
    const room = document.getElementById("cancel").parentElement.getBoundingClientRect().top;
    const isAbove = bottom > Math.min(room, window.innerHeight) - 8 && caret.top > list.offsetHeight;
    list.style.left = `${left}px`;
    list.style.top = `${isAbove ? caret.top - list.offsetHeight - 6 : below}px`;
  };

  const drawRow = (row, number) => {
    const option = document.createElement("li");
    option.id = `proposal-${number}`;
    option.setAttribute("role", "option");
    const title = document.createElement("span");
    title.textContent = row.title;
    const about = document.createElement("small");
    about.textContent = row.about;
    option.append(title, about);
    return option;
  };
  const draw = (link, found) => {
    rows = found;
    drawnFor = link.typed;
    if (!rows.length) return close();
    const wasHidden = list.hidden;
    list.replaceChildren(...rows.map(drawRow));
    list.hidden = false;
    place(link);
    choose(0);
    if (wasHidden) said.textContent = words.said.replace("{n}", rows.length);
    if (takesFirst) take(0);
  };

  const ask = async (link) => {
    const address = link.heading === null ? words.links : words.headings;
    const query = new URLSearchParams(link.heading === null ? { q: link.typed } : { page: link.target, q: link.heading });
    const response = await fetch(`${address}?${query}`, { redirect: "error" });
    if (!response.ok) return [];
    const answer = await response.json();
    const pages = answer.pages.map((row) => ({ ...row, about: row.formerly ? words.formerly.replace("{name}", row.formerly) : row.type }));
    if (link.heading !== null) {
      // Of two headings of the same words the second is named by its anchor.
      return [...pages, ...answer.headings.map((row) => ({ ...row, about: row.link === row.title ? "" : `#${row.link}`, isHeading: true }))];
    }
    const typed = link.typed.trim();
    if (!answer.is_new) return pages;
    return [...pages, { title: words.create.replace("{title}", typed), about: words.createHelp, link: typed }];
  };

  let asked = 0;
  let timer = 0;
  const update = () => {
    clearTimeout(timer);
    const link = find();
    const number = ++asked;
    if (!link || link.start !== dismissed) dismissed = -1;
    if (!link || link.typed.length > 200 || link.start === dismissed) return close();
    if (link.typed === drawnFor) return place(link);
    timer = setTimeout(async () => {
      let found = [];
      try { found = await ask(link); } catch { /* no proposals then */ }
      if (number === asked) draw(link, found);
    }, link.typed ? 100 : 0);
  };

  const take = (number) => {
    const row = rows[number];
    const link = find();
    if (!row || !link) return close();
    const { inner, length } = rest(link);
    asked++;
    close();
    covey.replace(field, link.start, link.caret + length, `[[${compose(link, row, inner)}]]`);
  };

  // What an input method is still putting together is left alone.
  let isComposing = false;
  field.addEventListener("compositionstart", () => { isComposing = true; });
  field.addEventListener("compositionend", () => { isComposing = false; update(); });
  field.addEventListener("input", () => { if (!isComposing) update(); });
  field.addEventListener("scroll", () => { const link = list.hidden ? null : find(); if (link) place(link); });
  document.addEventListener("selectionchange", () => { if (!list.hidden && !isComposing && document.activeElement === field) update(); });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.metaKey) return;
    if (event.key === " " && event.ctrlKey) {
      dismissed = -1;
      event.preventDefault();
      return update();
    }
    if (list.hidden || event.ctrlKey || event.shiftKey) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" || event.key === "Tab") {
      // Typed faster than the answer came: the first of the new rows is meant, not one of the old.
      if (find()?.typed === drawnFor) take(chosen);
      else takesFirst = true;
    } else if (event.key === "Escape") {
      dismissed = find()?.start ?? -1;
      close();
    } else return;
    event.preventDefault();
  });
  // Before the field loses the focus and the list closes.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take([...list.children].indexOf(option));
  });
  field.addEventListener("blur", () => { clearTimeout(timer); asked++; close(); });
})();
