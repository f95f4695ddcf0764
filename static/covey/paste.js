// A pasted address of a page of this wiki becomes a link by its name, which follows the page when that is renamed.
"use strict";
(() => {
  const field = document.getElementById("edit").elements.body;
  const { links } = field.closest(".typing").dataset;
  const ownPath = (text) => {
    try {
      const url = new URL(text);
      return url.origin === location.origin ? url.pathname + url.hash : "";
    } catch { return ""; }
  };
  // Behind these it is the address that is wanted.
  const IN_LINK = /(\]\(<?|<|\]:\s*|\[\[[^\]\n]*)$/;

  field.addEventListener("paste", async (event) => {
    const text = event.clipboardData.getData("text/plain").trim();
    const path = event.clipboardData.files.length || /\s/.test(text) ? "" : ownPath(text);
    const { selectionStart: start, selectionEnd: end, value } = field;
    if (!path || IN_LINK.test(value.slice(0, start)) || covey.isInCode(value, start)) return;
    const words = value.slice(start, end).trim();
    try {
      const response = await fetch(`${links}?address=${encodeURIComponent(path)}`);
      const { link } = await response.json();
      // Who has gone on writing meanwhile keeps the address.
      if (!link || !field.value.startsWith(text, start) || field.selectionStart !== start + text.length) return;
      const isLabel = words && !/[[\]|\n]/.test(words);
      covey.replace(field, start, start + text.length, `[[${isLabel ? `${link.split("|")[0]}|${words}` : link}]]`);
    } catch { /* the address leads there too */ }
  });
})();
