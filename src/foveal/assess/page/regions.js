// Where assessors differ: regions of a text by who marked them, and which are decided.

import { effective, marked } from "./replay.js";

/**
 * The marked text of all layers, cut wherever somebody begins or ends: {start, stop, who}, in order.
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
  edges.sort(([one], [other]) => one - other);
  const open = layers.map(() => 0);
  const found = [];
  edges.forEach(([place, layer, step], index) => {
    open[layer] += step;
    const next = edges[index + 1]?.[0] ?? place;
    const who = layers.filter((_, own) => open[own] > 0).map(({ assessor }) => assessor);
    if (next > place && who.length) add(found, { start: place, stop: next, who });
  });
  return found
    .filter(({ start, stop }) => !isBlank(start, stop))
    .map((region) => trimmed(region, isBlank));
}

/** A region without the blanks at its ends, which a ruling on the next one may take away. */
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

/** What the person has ruled on: all text of own marks and unmarks that count, as disjoint spans. */
export function decidedSpans(events) {
  return effective(events)
    // To take an aspect away says nothing about the text.
    .filter(([, { kind, value }]) => kind === "mark" || (kind === "unmark" && !value))
    .reduce((spans, [, { start, stop }]) => marked(spans, start, stop), []);
}

/** "accepted", "rejected", "in part", or "" if the region is not decided as a whole. */
export function rulingOn({ start, stop }, decided, spans) {
  if (!covers(decided, start, stop)) return "";
  if (covers(spans, start, stop)) return "accepted";
  return spans.some(([a, b]) => a < stop && b > start) ? "in part" : "rejected";
}

/** The place of the next region without a ruling, from one on and then from the first; -1 if none. */
export function nextUndecided(rulings, from) {
  const places = rulings.map((_, step) => (from + step) % rulings.length);
  return places.find((place) => rulings[place] === "") ?? -1;
}

/** "both", "all 3", "only ann", "ann and bob": who marked a region, of so many. */
export function whoWords(who, total) {
  if (who.length === total && total > 1) return total === 2 ? "both" : `all ${total}`;
  if (who.length === 1) return `only ${who[0]}`;
  return `${who.slice(0, -1).join(", ")} and ${who.at(-1)}`;
}

/** The drawn layer of a region: everybody, several, or one by place. */
export function layerOf(who, names) {
  if (who.length === names.length && names.length > 1) return "by-all";
  return who.length > 1 ? "by-several" : `by-${names.indexOf(who[0]) % 4}`;
}

function covers(spans, start, stop) {
  return spans.some(([a, b]) => a <= start && stop <= b);
}
