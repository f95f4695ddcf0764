// What only a whole screen can show (a sign-in, an error) is asked for as a whole screen.
"use strict";
(() => {
  const goThere = (detail) => {
    const path = detail.pathInfo?.finalRequestPath;
    if (path) location.assign(path);
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 200 && event.detail.serverResponse.includes('id="results"')) return;
    event.detail.shouldSwap = false;
    goThere(event.detail);
  });
  // Where the pressed link is no more, the next Tab goes on from the new list and not from the top of the screen.
  document.addEventListener("htmx:afterSettle", () => {
    if (document.activeElement === document.body) document.getElementById("results")?.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:sendError", (event) => goThere(event.detail));
})();
