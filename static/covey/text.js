// What the scripts of the form share: replacing text so that Ctrl-Z takes it back, where the caret is drawn, what is code.
"use strict";
const covey = (() => {
  const replace = (field, start, end, text, from = start + text.length, to = from) => {
    field.focus();
    field.setSelectionRange(start, end);
    // Outdated, and the only way of which the browser's own undo knows.
    const isDone = text ? document.execCommand("insertText", false, text) : start === end || document.execCommand("delete");
    if (!isDone) {
      field.setRangeText(text, start, end, "end");
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }
    field.setSelectionRange(from, to);
  };

  const COPIED = [
    "paddingTop", "paddingRight", "paddingBottom", "paddingLeft", "fontFamily", "fontSize", "fontWeight", "fontStyle",
    "letterSpacing", "wordSpacing", "lineHeight", "tabSize", "textIndent",
  ];
  // A textarea does not tell where its caret is drawn; the same text in a box of the same kind does.
  const caretPlace = (field, position) => {
    const mirror = document.createElement("div");
    const style = getComputedStyle(field);
    COPIED.forEach((name) => { mirror.style[name] = style[name]; });
    Object.assign(mirror.style, {
      position: "absolute", top: "0", left: "0", visibility: "hidden", boxSizing: "border-box", overflowWrap: "break-word",
      whiteSpace: "pre-wrap", width: `${field.clientWidth}px`,
    });
    const mark = document.createElement("span");
    mark.textContent = "\u200b";
    mirror.append(field.value.slice(0, position), mark, /^\S*/.exec(field.value.slice(position, position + 200))[0]);
    field.parentElement.append(mirror);
    const place = { left: mark.offsetLeft - field.scrollLeft, top: mark.offsetTop - field.scrollTop, height: mark.offsetHeight };
    mirror.remove();
    return place;
  };

  const isInFence = (text) => {
    let fence = "";
    for (const line of text.split("\n").slice(0, -1)) {
      const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (!run) continue;
      if (!fence) fence = run;
      else if (run[0] === fence[0] && run.length >= fence.length && !line.trim().slice(run.length).trim()) fence = "";
    }
    return Boolean(fence);
  };
  const isInSpan = (line) => {
    let open = 0;
    for (const [run] of line.matchAll(/`+/g)) {
      if (!open) open = run.length;
      else if (open === run.length) open = 0;
    }
    return Boolean(open);
  };
  const isInCode = (text, position) => {
    const before = text.slice(0, position);
    return isInSpan(before.slice(before.lastIndexOf("\n") + 1)) || isInFence(before);
  };
  return { replace, caretPlace, isInCode, isInFence };
})();
