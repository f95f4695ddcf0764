// On a page: its Markdown into the clipboard, and the mentions in place. Without this script both are links.
// Where a heading is asked for that is not there, it says so.
"use strict";
(() => {
  for (const link of document.querySelectorAll("a[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = link.dataset.copyWords;
    button.addEventListener("click", async () => {
      try {
        const response = await fetch(link.href, { redirect: "error" });
        if (!response.ok) throw new Error(String(response.status));
        await navigator.clipboard.writeText(await response.text());
        button.textContent = link.dataset.copy;
      } catch {
        // A browser that does not hand out its clipboard: the text itself can be copied.
        location.assign(link.href);
      }
    });
    link.before(button, " ");
  }

  for (const place of document.querySelectorAll("[data-load]")) {
    const link = place.querySelector("a");
    link.addEventListener("click", async (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      place.setAttribute("aria-busy", "true");
      try {
        const response = await fetch(link.href, { redirect: "error" });
        if (!response.ok) throw new Error(String(response.status));
        const loaded = new DOMParser().parseFromString(await response.text(), "text/html").querySelector(place.dataset.load);
        loaded.tabIndex = -1;
        place.replaceWith(loaded);
        loaded.focus();
      } catch {
        location.assign(link.href);
      }
    });
  }

  // [[Page#heading]] with a heading that is not there opens the top of the page and says so; one that is spelled
  // otherwise is found.
  const hint = document.getElementById("no-heading");
  const look = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* as it stands */ }
    if (!id || document.getElementById(id)) { hint.hidden = true; return; }
    const wanted = id.toLowerCase().replaceAll(" ", "-");
    const ids = [...document.querySelectorAll("h1[id], .prose [id]")].map((place) => place.id);
    const meant = ids.find((each) => each.toLowerCase() === wanted || each === `h-${wanted}`);
    hint.hidden = Boolean(meant);
    if (meant) location.replace(`#${encodeURIComponent(meant)}`);
  };
  window.addEventListener("hashchange", look);
  look();
})();
