"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

// The leaderboard sorts by any column; a second press turns it round.
const board = document.getElementById("board");
if (board) {
  const body = board.tBodies[0];
  const heads = [...board.tHead.rows[0].cells];
  for (const head of heads) {
    const button = head.querySelector("button");
    if (!button) continue;
    button.addEventListener("click", () => {
      const column = heads.indexOf(head);
      const numeric = button.dataset.column !== "run";
      const first = numeric && button.dataset.column !== "rank" ? "descending" : "ascending";
      const now = head.getAttribute("aria-sort");
      const next = now === null ? first : now === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      const value = row => {
        const cell = row.cells[column];
        return numeric ? (cell.dataset.value === "None" ? NaN : Number(cell.dataset.value)) : cell.textContent;
      };
      const rows = [...body.rows].map(row => [value(row), row]);
      rows.sort(([one], [two]) =>
        numeric ? (isNaN(one) ? 1 : isNaN(two) ? -1 : sign * (one - two)) : sign * one.localeCompare(two));
      body.append(...rows.map(([, row]) => row));
    });
  }
  board.addEventListener("change", event => {
    if (event.target.matches("input[data-run]")) show(event.target.dataset.run, event.target.checked);
  });
}

// A ticked run stands out in every figure of lines; the others are grey.
function show(run, ticked) {
  for (const figure of document.querySelectorAll("svg.fig")) {
    for (const mark of figure.querySelectorAll("[data-series]")) {
      if (mark.dataset.series !== run) continue;
      const standing = mark.dataset.style;
      if (mark.tagName === "path") mark.setAttribute("class", ticked ? standing || free(figure) : "line rest");
      else mark.classList.toggle("off", !ticked);
      if (ticked && mark.tagName === "path") mark.parentNode.append(mark);
    }
  }
}

function free(figure) {
  const used = new Set([...figure.querySelectorAll("path[data-series]")].map(mark => mark.getAttribute("class")));
  for (let place = 0; place < 8; place++) if (!used.has(`line s${place}`)) return `line s${place}`;
  return "line picked";
}

// The value under the pointer, read from the page's data by coordinates.
for (const [name, values] of Object.entries(data.figures)) {
  const figure = document.getElementById(name);
  if (!figure) continue;
  const svg = figure.querySelector("svg");
  const output = figure.querySelector("output");
  output.hidden = false;
  const tell = event => {
    const box = svg.getBoundingClientRect();
    const view = svg.viewBox.baseVal;
    const x = (event.clientX - box.left) * view.width / box.width;
    const y = (event.clientY - box.top) * view.height / box.height;
    output.textContent = values.kind === "lines" ? onLine(values, x, y) : onCell(values, x, y);
  };
  svg.addEventListener("pointermove", tell);
  svg.addEventListener("pointerleave", () => { output.textContent = ""; });
}

function onLine(figure, x, y) {
  const [left, right, bottom, top] = figure.panel;
  const places = figure.at;
  if (x < left - 5 || x > right + 5) return "";
  let near = 0;
  places.forEach((place, at) => { if (Math.abs(place - x) < Math.abs(places[near] - x)) near = at; });
  let best = null;
  figure.runs.forEach((run, at) => {
    const value = figure.values[at][near];
    if (value === null) return;
    const away = Math.abs(bottom + (value - figure.low) / (figure.high - figure.low) * (top - bottom) - y);
    if (best === null || away < best.away) best = {away, run, value};
  });
  return best === null ? "" : `${best.run}: ${best.value.toFixed(4)} at ${figure.across} ${figure.levels[near]}`;
}

function onCell(figure, x, y) {
  const row = Math.floor((y - figure.top) / figure.high);
  const column = Math.floor((x - figure.left) / figure.wide);
  if (row < 0 || row >= figure.rows.length || column < 0 || column >= figure.columns.length) return "";
  const value = figure.values[row][column];
  return `${figure.rows[row]}, ${figure.columns[column]}: ${value === null ? "–" : value.toFixed(4)}`;
}
