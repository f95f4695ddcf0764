// On the map: the page under the pointer or in focus, with what it is connected to, stands out.
"use strict";

// Where the picture is wider than the screen, its middle comes first.
for (const canvas of document.querySelectorAll(".canvas")) {
  canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
}

for (const map of document.querySelectorAll("svg.map")) {
  const edges = [...map.querySelectorAll(".edge")];
  const dots = [...map.querySelectorAll(".dot")];

  const show = (dot) => {
    const near = new Set([dot]);
    for (const edge of edges) {
      const ends = [dots[edge.dataset.from], dots[edge.dataset.to]];
      const isHere = ends.includes(dot);
      edge.classList.toggle("near", isHere);
      if (isHere) ends.forEach((end) => near.add(end));
    }
    for (const other of dots) other.classList.toggle("near", near.has(other));
    map.classList.add("dim");
  };
  const rest = () => map.classList.remove("dim");

  for (const dot of dots) {
    dot.addEventListener("pointerenter", () => show(dot));
    dot.addEventListener("pointerleave", rest);
    dot.addEventListener("focus", () => show(dot));
    dot.addEventListener("blur", rest);
  }
}
