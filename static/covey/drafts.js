// What is written and not saved is kept in this browser: for one person, page and form, until it is saved, discarded,
// a month old, or its author signs out (signout.js). Every form has a draft of its own, so that two tabs of one page
// do not overwrite each other.
"use strict";
(() => {
  const form = document.getElementById("edit");
  const offer = document.getElementById("draft-offer");
  const state = document.getElementById("draft-state");
  const FIELDS = ["title", "type", "tags", "aliases", "body", "summary", "page_id", "base_revision"];
  const MONTH = 30 * 24 * 60 * 60 * 1000;
  const MAX_LENGTH = 512 * 1024;
  const [user] = offer.dataset.place.split(":");
  const all = `covey-draft:${user}:`;
  const here = `covey-draft:${offer.dataset.place}:`;
  const base = form.elements.base_revision.value;
  let own = form.elements.form_key.value ? here + form.elements.form_key.value : "";

  const read = (key) => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      // A draft from before pages had aliases.
      const draft = kept && { aliases: "", ...kept };
      return draft && typeof draft.at === "number" && FIELDS.every((name) => typeof draft[name] === "string") ? draft : null;
    } catch { return null; }
  };
  const remove = (key) => { try { localStorage.removeItem(key); } catch { /* nothing is kept then */ } };
  const keys = (prefix) => { try { return Object.keys(localStorage).filter((key) => key.startsWith(prefix)); } catch { return []; } };
  const values = () => Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
  const write = (key) => {
    const draft = JSON.stringify({ ...values(), at: Date.now() });
    try {
      if (draft.length > MAX_LENGTH) throw new Error("too large for a draft");
      localStorage.setItem(key, draft);
      state.textContent = offer.dataset.kept;
    } catch {
      // An older draft of the same form would pass for the newest text.
      remove(key);
      state.textContent = offer.dataset.notKept;
    }
  };

  let isOver = false;
  const keep = () => {
    if (isOver || !own || "signedOut" in document.documentElement.dataset) return;
    if (covey.isUnsaved()) write(own);
    else { remove(own); state.textContent = ""; }
  };
  let timer = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(keep, 500); });
  form.addEventListener("submit", keep);
  window.addEventListener("pagehide", () => { clearTimeout(timer); keep(); });
  document.addEventListener("visibilitychange", () => { if (document.hidden) keep(); });
  form.addEventListener("covey:discard", () => { isOver = true; clearTimeout(timer); remove(own); });
  // Signed out in another tab: from now on nothing is kept here either.
  window.addEventListener("storage", (event) => { if (event.key === "covey-signed-out") isOver = true; });

  const fill = (draft) => {
    FIELDS.forEach((name) => { form.elements[name].value = draft[name]; });
    form.dispatchEvent(new Event("input", { bubbles: true }));
    form.elements.body.dispatchEvent(new Event("input", { bubbles: true }));
    form.elements.type.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const ago = (moment) => {
    const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
    const minutes = Math.round((moment - Date.now()) / 60000);
    if (!minutes) return offer.dataset.now;
    if (minutes > -60) return words.format(minutes, "minute");
    return minutes > -60 * 24 ? words.format(Math.round(minutes / 60), "hour") : words.format(Math.round(minutes / 1440), "day");
  };
  let offered = "";
  const propose = () => {
    const found = keys(here).filter((key) => key !== own).map((key) => [key, read(key)]).filter(([, draft]) => draft);
    found.sort(([, a], [, b]) => b.at - a.at);
    offer.hidden = !found.length;
    if (!found.length) return;
    const [key, draft] = found[0];
    offered = key;
    offer.querySelector(".draft-title").textContent = draft.page_id || !draft.title ? "" : `“${draft.title}”`;
    const time = offer.querySelector("time");
    time.textContent = ago(draft.at);
    time.dateTime = new Date(draft.at).toISOString();
    time.title = new Date(draft.at).toLocaleString(document.documentElement.lang);
    offer.querySelector(".draft-outdated").hidden = draft.base_revision === base;
  };
  offer.addEventListener("click", (event) => {
    const action = event.target.closest("[data-draft]")?.dataset.draft;
    const draft = action && read(offered);
    if (draft && action === "take") {
      // What stands in the form by now takes the draft's place: it can be taken back.
      if (covey.isUnsaved()) write(offered);
      else remove(offered);
      fill(draft);
      keep();
      form.elements.body.focus();
    } else if (action) remove(offered);
    if (action) propose();
  });

  const isSame = (draft, fields) => ["title", "type", "tags", "aliases", "body"].every((name) => draft?.[name] === fields[name]);
  const opened = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].defaultValue ?? form.elements[name].value]));
  // Saved, a month old, or the very text that the page has: nothing to offer.
  const tidy = () => {
    const saved = new Set(offer.dataset.saved.split(" "));
    keys(all).forEach((key) => {
      const draft = read(key);
      const isDone = !draft || Date.now() - draft.at > MONTH || saved.has(key.split(":").pop());
      if (key !== own && (isDone || (key.startsWith(here) && isSame(draft, opened)))) remove(key);
    });
  };
  // A browser that puts a text back into the form, after a reload or on the way back, gives it another base and
  // another key than it was written with: its draft knows them, also when it was saved meanwhile.
  const adoptRestored = () => {
    const key = covey.isUnsaved() && keys(here).find((other) => other !== own && isSame(read(other), values()));
    if (!key) return;
    fill(read(key));
    form.elements.form_key.value = key.split(":").pop();
    own = key;
  };
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) isOver = false;
    else if (form.hasAttribute("data-unsaved")) keep();
    else {
      adoptRestored();
      tidy();
      propose();
    }
  });
})();
