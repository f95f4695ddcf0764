// Whoever signs out may leave the computer to somebody else: the drafts kept in this browser go with them.
"use strict";
(() => {
  const { user, confirm: question } = document.currentScript.dataset;
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-signs-out]")) return;
    try {
      const drafts = Object.keys(localStorage).filter((key) => key.startsWith(`covey-draft:${user}:`));
      if (drafts.length && !window.confirm(question)) return event.preventDefault();
      drafts.forEach((key) => localStorage.removeItem(key));
      // Tabs in which somebody is still writing hear of it.
      localStorage.setItem("covey-signed-out", String(Date.now()));
    } catch { /* nothing is kept then */ }
    document.documentElement.dataset.signedOut = "";
  });
})();
