"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

// What only works with this script is there from now on.
for (const control of document.querySelectorAll("#board button")) control.disabled = false;
for (const control of document.querySelectorAll("#board input, .scripted, .under")) control.hidden = false;

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
        return numeric ? (cell.dataset.value === "" ? NaN : Number(cell.dataset.value)) : cell.textContent;
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

// A ticked run has a colour and its name in every figure of lines; the others are grey.
function show(run, ticked) {
  for (const panel of document.querySelectorAll("svg.fig g.panel")) {
    const series = [...panel.querySelectorAll("g.series")];
    const own = series.find(one => one.dataset.series === run);
    if (!own) continue;
    if (ticked && own.dataset.place === undefined) {
      const used = new Set(series.map(one => one.dataset.place));
      const free = [...Array(data.colours).keys()].find(place => !used.has(String(place)));
      own.dataset.place = free === undefined ? "more" : String(free);
    }
    const place = own.dataset.place;
    own.querySelector("path").setAttribute("class", ticked ? `line s${place}` : "line rest");
    for (const mark of [...own.children].slice(1)) mark.classList.toggle("off", !ticked);
    let name = [...panel.querySelectorAll("g.name")].find(one => one.dataset.series === run);
    if (ticked && !name) name = named(panel, run, place);
    if (name) name.classList.toggle("off", !ticked);
    if (!ticked) {
      delete own.dataset.place;
      if (name) name.remove();
    } else panel.insertBefore(own, name);
    const more = panel.querySelector(".more");
    const grey = series.filter(one => one.dataset.place === undefined).length;
    if (more) more.textContent = grey ? `${grey} more in grey` : "";
    spread(panel);
  }
}

// Where a line ends: the last place of its path.
function end(panel, run) {
  const series = [...panel.querySelectorAll("g.series")].find(one => one.dataset.series === run);
  const numbers = series.querySelector("path").getAttribute("d").match(/-?[0-9.]+/g).map(Number);
  return numbers.slice(-2);
}

// Names are moved apart where lines end close to each other, and lead to their lines.
function spread(panel) {
  const [, right, bottom, top] = panel.dataset.ends.split(" ").map(Number);
  const names = [...panel.querySelectorAll("g.name")].map(name => [end(panel, name.dataset.series), name]);
  names.sort(([[, one]], [[, two]]) => one - two);
  const gap = Math.min(14, (bottom - top) / Math.max(names.length - 1, 1));
  const places = [];
  for (const [[, y]] of names) places.push(Math.max(y, places.length ? places.at(-1) + gap : top));
  for (let at = places.length - 1, limit = bottom; at >= 0; at--, limit -= gap) places[at] = Math.min(places[at], limit);
  names.forEach(([[x, y], name], at) => {
    const [leader, text] = name.children;
    leader.setAttribute("d", `M${x + 3} ${y}L${right + 8} ${places[at]}`);
    text.setAttribute("y", places[at] + 4);
  });
}

function drawn(kind, style) {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", kind);
  mark.setAttribute("class", style);
  return mark;
}

// The name of a line beside its end.
function named(panel, run, place) {
  const [, right] = panel.dataset.ends.split(" ").map(Number);
  const group = drawn("g", "name");
  group.dataset.series = run;
  const text = drawn("text", `f${place}`);
  text.setAttribute("x", right + 10);
  text.textContent = run.length > 32 ? `${run.slice(0, 16)}…${run.slice(-15)}` : run;
  group.append(drawn("path", "leader"), text);
  panel.append(group);
  return group;
}

// The value under the pointer, read from the page's data by coordinates.
for (const [name, values] of Object.entries(data.figures)) {
  const figure = document.getElementById(name);
  const panel = figure && figure.querySelector("g.panel, g.cells");
  if (!panel) continue;
  const output = figure.querySelector("output");
  const svg = panel.closest("svg");
  svg.addEventListener("pointermove", event => {
    const {x, y} = new DOMPoint(event.clientX, event.clientY).matrixTransform(panel.getScreenCTM().inverse());
    output.textContent = panel.dataset.ends ? onLine(panel, values, x, y) : onCell(panel, values, x, y);
  });
  svg.addEventListener("pointerleave", () => { output.textContent = ""; });
}

function onLine(panel, figure, x, y) {
  const [left, right, bottom, top] = panel.dataset.ends.split(" ").map(Number);
  const [low, high] = panel.dataset.values.split(" ").map(Number);
  // Levels are evenly spaced, budgets double from one to the next on a scale of factors.
  const near = Math.round((x - left) / (right - left) * (figure.levels.length - 1));
  if (!(near >= 0 && near < figure.levels.length)) return "";
  let best = null;
  figure.runs.forEach((run, at) => {
    const value = figure.values[at][near];
    const away = Math.abs(bottom + (value - low) / (high - low) * (top - bottom) - y);
    if (best === null || away < best.away) best = {away, run, value};
  });
  return best && `${best.run}: ${best.value.toFixed(4)} at ${figure.across} ${figure.levels[near]}`;
}

function onCell(panel, figure, x, y) {
  const [left, top, wide, high] = panel.dataset.cells.split(" ").map(Number);
  const row = Math.floor((y - top) / high), column = Math.floor((x - left) / wide);
  if (!(row >= 0 && row < figure.rows.length && column >= 0 && column < figure.columns.length)) return "";
  const value = figure.values[row * figure.columns.length + column];
  return `${figure.rows[row]}, topic ${figure.columns[column]}: ${value === null ? "–" : value.toFixed(4)}`;
}
