// Regions of a text by the assessors who highlighted them, and the rulings on them.

import { effective, withSpan } from "./replay.js";

/**
 * Highlighted text of all layers, cut wherever a highlight starts or ends: {start, stop, who}.
 *
 * `layers` is [{assessor, spans}]; `who` holds names in the order of the layers. `isBlank(start,
 * stop)` is true for text that needs no decision.
 */
export function regionsOf(layers, isBlank = () => false) {
  const edges = layers.flatMap(({ spans }, layer) =>
    spans.flatMap(([start, stop]) => [
      [start, layer, 1],
      [stop, layer, -1],
    ]),
  );
  edges.sort(([first], [second]) => first - second);
  const openCounts = layers.map(() => 0);
  const regions = [];
  edges.forEach(([offset, layer, step], index) => {
    openCounts[layer] += step;
    const next = edges[index + 1]?.[0] ?? offset;
    const who = layers.filter((_, index) => openCounts[index] > 0).map(({ assessor }) => assessor);
    if (next > offset && who.length) add(regions, { start: offset, stop: next, who });
  });
  return regions
    .filter(({ start, stop }) => !isBlank(start, stop))
    .map((region) => trimmed(region, isBlank));
}

/** A region without blanks at its ends, which a ruling on the next region may remove. */
function trimmed({ start, stop, who }, isBlank) {
  while (isBlank(start, start + 1)) start += 1;
  while (isBlank(stop - 1, stop)) stop -= 1;
  return { start, stop, who };
}

function add(regions, region) {
  const last = regions.at(-1);
  const isSame = last?.stop === region.start && last.who.join("\n") === region.who.join("\n");
  if (isSame) last.stop = region.stop;
  else regions.push(region);
}

/** Decided text as disjoint spans: all text of marks and unmarks that are not undone. */
export function decidedSpans(events) {
  return effective(events)
    // Removing an aspect does not decide about the text.
    .filter(([, { kind, value }]) => kind === "mark" || (kind === "unmark" && !value))
    .reduce((spans, [, { start, stop }]) => withSpan(spans, start, stop), []);
}

/** "accepted", "rejected", "in part", or "" if the region is not decided as a whole. */
export function rulingOn({ start, stop }, decided, spans) {
  if (!covers(decided, start, stop)) return "";
  if (covers(spans, start, stop)) return "accepted";
  return spans.some(([a, b]) => a < stop && b > start) ? "in part" : "rejected";
}

/** Index of the next region without a ruling, searching on from one and around; -1 if none. */
export function nextUndecided(rulings, from) {
  const indices = rulings.map((_, step) => (from + step) % rulings.length);
  return indices.find((index) => rulings[index] === "") ?? -1;
}

/** The assessors of a region, of so many: "both", "all 3", "only ann", "ann and bob". */
export function assessorsText(who, total) {
  if (who.length === total && total > 1) return total === 2 ? "both" : `all ${total}`;
  if (who.length === 1) return `only ${who[0]}`;
  return `${who.slice(0, -1).join(", ")} and ${who.at(-1)}`;
}

/** The layer in which a region is drawn: all assessors, several, or one by index. */
export function layerOf(who, names) {
  if (who.length === names.length && names.length > 1) return "by-all";
  return who.length > 1 ? "by-several" : `by-${names.indexOf(who[0]) % 4}`;
}

function covers(spans, start, stop) {
  return spans.some(([a, b]) => a <= start && stop <= b);
}
