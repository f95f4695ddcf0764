// Below a field that takes the title or address of a page, the pages that the words typed so far may mean.
"use strict";
for (const field of document.querySelectorAll("input[data-titles]")) {
  const list = document.createElement("datalist");
  list.id = `${field.id}-titles`;
  field.after(list);
  field.setAttribute("list", list.id);
  field.autocomplete = "off";

  const draw = (pages) => list.replaceChildren(...pages.map((row) => {
    const option = document.createElement("option");
    // Of two pages of one title the address says which is meant.
    option.value = row.link.split("|")[0];
    if (option.value !== row.title) option.label = row.title;
    return option;
  }));
  let asked = 0;
  const ask = async () => {
    const number = ++asked;
    try {
      const response = await fetch(`${field.dataset.titles}?${new URLSearchParams({ q: field.value })}`, { redirect: "error" });
      const answer = response.ok ? await response.json() : { pages: [] };
      if (number === asked) draw(answer.pages);
    } catch { /* whoever knows the title types it */ }
  };
  let timer = 0;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 100);
  });
  field.addEventListener("focus", ask, { once: true });
  if (document.activeElement === field) ask();
}
