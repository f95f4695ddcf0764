// Keys: / and Ctrl-K search, ? the sheet, and the letter that a link names in data-key. Never inside a field.
"use strict";
(() => {
  const sheet = document.getElementById("keys");
  const singleKeys = document.getElementById("single-keys");
  const areOn = () => { try { return localStorage.getItem("covey-keys") !== "off"; } catch { return true; } };
  if (singleKeys) {
    singleKeys.checked = areOn();
    singleKeys.addEventListener("change", () => {
      try { localStorage.setItem("covey-keys", singleKeys.checked ? "on" : "off"); } catch { /* stays as it is */ }
    });
  }

  const search = () => {
    const button = document.getElementById("open-palette");
    if (!button) return false;
    button.click();
    return true;
  };
  const openSheet = () => {
    if (!sheet) return false;
    sheet.showModal();
    // By hand: told in the page, a browser looks for it when the page opens, and complains where its address has a hash.
    sheet.querySelector("button").focus();
    return true;
  };
  const follow = (key) => {
    const link = document.querySelector(`:is(a,button,summary)[data-key="${CSS.escape(key)}"]`);
    if (link) link.click();
    // A script of the page may know the key; it says so by preventing the default.
    return Boolean(link) || !document.dispatchEvent(new CustomEvent("covey:key", { detail: key, cancelable: true }));
  };

  document.getElementById("open-keys")?.addEventListener("click", openSheet);
  sheet?.addEventListener("mousedown", (event) => { if (event.target === sheet) sheet.close(); });

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const key = event.key;
    let done = false;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k") {
      if (sheet?.open) sheet.close();
      done = search();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && areOn()) {
      // Who keeps a key down does not mean it twice.
      if (event.repeat || event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") || document.querySelector("dialog[open]")) return;
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
})();
