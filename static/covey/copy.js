// A button beside each text that is there to be copied. Without this script a click selects the whole of it.
"use strict";
for (const source of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn copy";
  button.textContent = source.dataset.copyWords;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    const text = "value" in source ? source.value : source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = source.dataset.copy;
    } catch {
      // A browser that does not hand out its clipboard, as over plain http: select it for Ctrl-C.
      if ("select" in source) source.select();
      else getSelection().selectAllChildren(source);
    }
  });
  source.after(button);
}
