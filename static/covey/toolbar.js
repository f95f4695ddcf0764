// Buttons and keys that write Markdown around the selection, and lists that go on with the next line.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const field = form.elements.body;
  const bar = form.querySelector(".tools");
  const selected = () => field.value.slice(field.selectionStart, field.selectionEnd);

  const wrap = (mark) => {
    const { selectionStart: start, selectionEnd: end, value } = field;
    const size = mark.length;
    const isWrapped = value.slice(start - size, start) === mark && value.slice(end, end + size) === mark;
    // *a* stands inside of **a** too.
    const isLonger = size === 1 && value[start - 2] === mark && value[start - 3] !== mark;
    if (isWrapped && !isLonger) covey.replace(field, start - size, end + size, value.slice(start, end), start - size, end - size);
    else covey.replace(field, start, end, mark + value.slice(start, end) + mark, start + size, end + size);
  };

  const lines = () => {
    const { selectionStart, selectionEnd, value } = field;
    const start = value.lastIndexOf("\n", selectionStart - 1) + 1;
    const end = value.indexOf("\n", Math.max(selectionStart, selectionEnd - 1));
    return { start, end: end < 0 ? value.length : end };
  };
  const ANY_MARK = /^(?:#{1,6}\s+|[-*+]\s+\[[ xX]\]\s+|[-*+]\s+|\d+[.)]\s+)/;
  const mark = (prefix, own) => {
    const { start, end } = lines();
    const old = field.value.slice(start, end).split("\n");
    const isMarked = old.every((line) => !line.trim() || own.test(line));
    const marked = old.map((line) => {
      if (!line.trim() && old.length > 1) return line;
      return isMarked && line.trim() ? line.replace(own, "") : prefix + line.replace(ANY_MARK, "");
    }).join("\n");
    const isOne = old.length === 1;
    covey.replace(field, start, end, marked, isOne ? start + marked.length : start, start + marked.length);
  };

  const tools = {
    bold: () => wrap("**"),
    italic: () => wrap("*"),
    heading: () => mark("## ", /^#{1,6}\s+/),
    list: () => mark("- ", /^[-*+]\s+(?!\[[ xX]\]\s)/),
    checklist: () => mark("- [ ] ", /^[-*+]\s+\[[ xX]\]\s+/),
    code: () => {
      if (!selected().includes("\n")) return wrap("`");
      const { start, end } = lines();
      covey.replace(field, start, end, `\`\`\`\n${field.value.slice(start, end)}\n\`\`\``);
    },
    link: () => {
      const { selectionStart: start, selectionEnd: end } = field;
      const text = selected();
      if (/^https?:\/\/\S+$/.test(text)) covey.replace(field, start, end, `[](${text})`, start + 1);
      // The list of pages opens at the caret.
      else if (/[[\]\n]/.test(text)) covey.replace(field, end, end, "[[");
      else covey.replace(field, start, end, `[[${text}`);
    },
  };
  bar.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) tools[button.dataset.tool]();
  });
  // The selection stays while a button is pressed.
  bar.addEventListener("mousedown", (event) => event.preventDefault());

  // One stop of the Tab key for the whole bar; arrows go through it.
  const buttons = [...bar.querySelectorAll("button")];
  const stop = (number) => buttons.forEach((button, place) => { button.tabIndex = place === number ? 0 : -1; });
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    stop(next);
    buttons[next].focus();
  });
  stop(0);
  bar.hidden = false;

  // "- ", "- [ ] " and "1. " go on with Enter; Enter on an empty item ends the list, with the blank line without which
  // Markdown would take what follows for more of the last item.
  const ITEM = /^((?:\s|>\s?)*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;
  const goOn = () => {
    const { selectionStart: caret, selectionEnd, value } = field;
    const start = value.lastIndexOf("\n", caret - 1) + 1;
    const item = ITEM.exec(value.slice(start));
    if (caret !== selectionEnd || !item || caret < start + item[0].length || item[0].includes("\n")) return false;
    if (covey.isInFence(value.slice(0, start))) return false;
    const end = value.indexOf("\n", caret);
    if (value.slice(start + item[0].length, end < 0 ? undefined : end).trim() === "") {
      const isFirst = !value.slice(value.lastIndexOf("\n", start - 2) + 1, start).trim();
      covey.replace(field, start, end < 0 ? value.length : end, isFirst ? "" : "\n");
      return true;
    }
    const [, indent, bullet, number, dot, blank, box] = item;
    const next = bullet || `${Number(number) + 1}${dot}`;
    covey.replace(field, caret, caret, `\n${indent}${next}${blank}${box ? "[ ] " : ""}`);
    return true;
  };

  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented || event.altKey || event.shiftKey) return;
    const hasControl = event.ctrlKey || event.metaKey;
    const tool = hasControl && { b: tools.bold, i: tools.italic }[event.key.toLowerCase()];
    if (tool) tool();
    else if (hasControl || event.key !== "Enter" || !goOn()) return;
    event.preventDefault();
  });
})();
