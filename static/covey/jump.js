// The field in the header proposes pages by their titles while somebody types. Without this script it only searches.
"use strict";
(() => {
  const field = document.getElementById("q");
  const list = document.getElementById("titles");
  const form = field.form;
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "titles");

  let chosen = -1;
  const choose = (number) => {
    chosen = number;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === number)));
    const option = list.children[number];
    if (option) {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  };
  const show = (isOpen) => {
    list.hidden = !isOpen;
    field.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) choose(-1);
  };
  show(false);

  const draw = (pages) => {
    list.replaceChildren(...pages.map((page, place) => {
      const option = document.createElement("li");
      option.id = `title-${place}`;
      option.setAttribute("role", "option");
      option.dataset.url = page.url;
      const title = document.createElement("span");
      title.textContent = page.title;
      const type = document.createElement("small");
      type.textContent = page.type;
      option.append(title, type);
      return option;
    }));
    choose(-1);
    show(pages.length > 0 && document.activeElement === field);
  };

  let timer = 0;
  let asked = 0;
  const ask = async () => {
    const number = ++asked;
    const words = field.value.trim();
    if (!words) return draw([]);
    try {
      const response = await fetch(`${form.dataset.titles}?q=${encodeURIComponent(words.slice(0, 200))}`, { redirect: "error" });
      const pages = response.ok ? await response.json() : [];
      if (number === asked) draw(pages);
    } catch {
      if (number === asked) draw([]);
    }
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });

  const open = (option) => { show(false); location.assign(option.dataset.url); };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const count = list.children.length;
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      const next = list.hidden ? (step > 0 ? 0 : count - 1) : chosen + step;
      show(true);
      // One step beyond either end is the field itself: what was typed is searched.
      choose(next >= count ? -1 : next < -1 ? count - 1 : next);
    } else if (event.key === "Enter" && !list.hidden && chosen >= 0) {
      event.preventDefault();
      open(list.children[chosen]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      show(false);
    }
  });
  // Before the field loses the focus and the list closes.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) open(option);
  });
  field.addEventListener("blur", () => { clearTimeout(timer); asked++; show(false); });
})();
