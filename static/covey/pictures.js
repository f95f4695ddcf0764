// Pictures in the form that writes pages: pasted, dropped or chosen, they are uploaded and named in the text.
"use strict";
(() => {
  const panel = document.getElementById("picture-upload");
  const form = document.getElementById("edit");
  const body = form.elements.body;
  const chooser = panel.querySelector("input");
  const state = panel.querySelector(".note");
  const running = new Set();
  let problems = [];
  let submitter = null;
  panel.hidden = false;

  const show = () => {
    const names = [...running].map((upload) => upload.name);
    const lines = [...problems];
    if (names.length) lines.push(`${panel.dataset.uploading} ${names.join(", ")} …`);
    if (names.length && submitter) lines.push(panel.dataset.waiting);
    state.replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    state.classList.toggle("quiet", !problems.length);
    state.hidden = !lines.length;
  };
  const complain = (name, sentence) => problems.push(`“${name}”: ${sentence}`);

  // The form's field is old after somebody has signed in anew in another tab; the cookie is not.
  const token = () => {
    const cookie = document.cookie.split("; ").find((part) => part.startsWith("covey_csrf="));
    return cookie ? cookie.slice("covey_csrf=".length) : form.elements.csrfmiddlewaretoken.value;
  };

  // Who goes on writing keeps their place in the text.
  const replace = (start, end, text) => {
    const move = (place) => (place <= start ? place : Math.max(place, end) - end + start + text.length);
    const [from, to] = [body.selectionStart, body.selectionEnd].map(move);
    body.setRangeText(text, start, end);
    body.setSelectionRange(from, to);
    body.dispatchEvent(new Event("input", { bubbles: true }));
  };

  // What stands in the text meanwhile; no two are the same.
  const placeholder = (name) => {
    const plain = name.replace(/[[\]()\\]/g, " ").trim().slice(0, 60) || "…";
    let text = `![${panel.dataset.uploading} ${plain}…]()`;
    for (let number = 2; body.value.includes(text); number += 1) text = `![${panel.dataset.uploading} ${plain} (${number})…]()`;
    return text;
  };
  // On an empty line a picture is a paragraph of its own, else it stands where the cursor is.
  const insert = (text) => {
    const before = body.value.slice(0, body.selectionStart);
    let [lead, trail] = ["", ""];
    if (before === "" || before.endsWith("\n")) [lead, trail] = [/[^\n]\n$/.test(before) ? "\n" : "", "\n"];
    else if (!/\s$/.test(before)) lead = " ";
    body.setRangeText(lead + text + trail, body.selectionStart, body.selectionEnd, "end");
    body.dispatchEvent(new Event("input", { bubbles: true }));
    return { text, lead, trail };
  };
  const settle = ({ text, lead, trail }, markdown) => {
    let start = body.value.indexOf(text);
    if (start < 0) return false;
    let end = start + text.length;
    if (!markdown) {
      if (lead && body.value.slice(0, start).endsWith(lead)) start -= lead.length;
      if (trail && body.value.startsWith(trail, end)) end += trail.length;
    }
    replace(start, end, markdown);
    return true;
  };

  const send = async (file) => {
    const sent = new FormData();
    sent.append("picture", file, file.name);
    const headers = { Accept: "application/json", "X-CSRFToken": token() };
    const response = await fetch(panel.dataset.address, { method: "POST", body: sent, headers, redirect: "manual" });
    if (response.type === "opaqueredirect") return { problem: panel.dataset.signedOut };
    if ((response.headers.get("Content-Type") || "").startsWith("application/json")) {
      const answer = await response.json();
      return { markdown: answer.markdown, problem: answer.error };
    }
    if (response.status === 413) return { problem: panel.dataset.tooLarge };
    return { problem: response.status === 403 ? panel.dataset.refused : panel.dataset.away };
  };

  const upload = async (file) => {
    const name = file.name || "…";
    if (file.size > Number(panel.dataset.most)) return complain(name, panel.dataset.tooLarge);
    const mine = { name };
    running.add(mine);
    const place = insert(placeholder(name));
    show();
    let answer;
    try {
      answer = await send(file);
    } catch {
      answer = { problem: panel.dataset.away };
    }
    running.delete(mine);
    if (answer.problem) complain(name, answer.problem);
    if (!settle(place, answer.markdown || "") && answer.markdown) complain(name, panel.dataset.lost);
    show();
  };

  const take = async (files) => {
    if (!running.size) problems = [];
    await Promise.all([...files].map(upload));
    show();
    if (running.size || !submitter) return;
    const button = submitter;
    submitter = null;
    show();
    if (!problems.length) form.requestSubmit(button);
  };

  chooser.addEventListener("change", () => {
    const files = [...chooser.files];
    chooser.value = "";
    body.focus();
    take(files);
  });

  // Word and Excel put a picture of the text beside the text: then the text is meant. Some systems put the file's name.
  const isText = (data, files) => {
    const lines = data.getData("text/plain").split("\n").map((line) => line.trim()).filter(Boolean);
    return lines.length > 0 && !lines.every((line) => files.some((file) => line.endsWith(file.name)));
  };
  body.addEventListener("paste", (event) => {
    const files = [...event.clipboardData.files];
    if (!files.length || isText(event.clipboardData, files)) return;
    event.preventDefault();
    take(files);
  });

  // Beside the text too: else the browser would leave the page for the file.
  const hasFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  form.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    body.classList.add("takes");
  });
  form.addEventListener("dragleave", () => body.classList.remove("takes"));
  form.addEventListener("drop", (event) => {
    body.classList.remove("takes");
    if (!hasFiles(event)) return;
    event.preventDefault();
    take(event.dataTransfer.files);
  });

  // A text that is saved has no placeholder in it.
  form.addEventListener("submit", (event) => {
    if (!running.size) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    submitter = event.submitter;
    show();
  }, true);
})();
