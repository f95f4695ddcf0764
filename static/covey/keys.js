// Keys: / and Ctrl-K search, ? the sheet, and the letter that a link names in data-key. Never inside a field.
"use strict";
(() => {
  const singleKeys = document.getElementById("single-keys");
  const areOn = () => { try { return localStorage.getItem("covey-keys") !== "off"; } catch { return true; } };
  if (singleKeys) {
    singleKeys.checked = areOn();
    singleKeys.addEventListener("change", () => {
      try { localStorage.setItem("covey-keys", singleKeys.checked ? "on" : "off"); } catch { /* stays as it is */ }
    });
  }

  const search = () => {
    const field = document.getElementById("q");
    if (!field) return false;
    field.focus();
    field.select();
    return true;
  };
  const openSheet = () => {
    const sheet = document.querySelector("details.keys");
    if (!sheet) return false;
    sheet.open = !sheet.open;
    sheet.scrollIntoView({ block: "end" });
    return true;
  };
  const follow = (key) => {
    const link = document.querySelector(`a[data-key="${CSS.escape(key)}"]`);
    if (link) link.click();
    return Boolean(link);
  };

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const key = event.key;
    let done = false;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k") {
      done = search();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && areOn()) {
      if (event.target.closest("input, textarea, select, [contenteditable]")) return;
      if (key === "/") done = search();
      else if (key === "?") done = openSheet();
      else if (key.length === 1) done = follow(key);
    }
    if (done) event.preventDefault();
  });

  // A menu closes when somebody turns to something else.
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.account[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });

  // [[Page#heading]] with a heading that is not there opens the top of the page and says so.
  const hint = document.getElementById("no-heading");
  if (hint) {
    const look = () => {
      let id = location.hash.slice(1);
      try { id = decodeURIComponent(id); } catch { /* as it stands */ }
      hint.hidden = !id.startsWith("h-") || Boolean(document.getElementById(id));
    };
    window.addEventListener("hashchange", look);
    look();
  }
})();
