// What an assessor says about a document: the twin of replay.py, which decides.

const UNDOABLE = new Set(["mark", "unmark", "entry", "no-entry", "done", "undone"]);
const NOTHING = Object.freeze({ spans: [], entry: null, done: false, note: "", aspects: [] });

/** The judgement that one assessor's events of one document, in order, make. */
export function replayed(events) {
  const counting = effective(events);
  // What earlier ones were said about does not matter any more.
  const lastDone = counting.findLast(([, event]) => event.kind === "done");
  let found = NOTHING;
  for (const [place, event] of counting) {
    found = after(found, event);
    if (place === lastDone?.[0]) {
      found = { ...found, done: isSameContent(contentAt(events.slice(0, place)), found) };
    }
  }
  return found;
}

/** The id of the act that undo takes back: the last that counts; null if there is none. */
export function undoable(events) {
  const acts = effective(events).filter(([, event]) => UNDOABLE.has(event.kind));
  return acts.length ? acts.at(-1)[1].id : null;
}

/** The id of the undo that redo takes back: the last that counts, unless an act came after it. */
export function redoable(events) {
  const kinds = new Map(events.map((event) => [event.id, event.kind]));
  const undone = new Set();
  // Backwards: whatever undoes an undo comes after it.
  for (const event of events.toReversed()) {
    if (undone.has(event.id)) continue;
    if (event.kind === "undo") {
      undone.add(event.undoes);
      // An undo of an undo is a redo already: to take it back is what undo does.
      if (UNDOABLE.has(kinds.get(event.undoes))) return event.id;
    } else if (UNDOABLE.has(event.kind)) {
      return null;
    }
  }
  return null;
}

/** The events that are not undone, without undos, each with its place in the log. */
export function effective(events) {
  const undone = new Set();
  const kept = [];
  for (let place = events.length - 1; place >= 0; place -= 1) {
    const event = events[place];
    if (undone.has(event.id)) continue;
    if (event.kind === "undo") undone.add(event.undoes);
    else kept.push([place, event]);
  }
  return kept.reverse();
}

/** One log of stored events, each once and by number, and then of those that wait to be sent. */
export function joined(stored, waiting) {
  const byId = new Map(stored.map((event) => [event.id, event]));
  const numbered = [...byId.values()].sort((one, other) => one.number - other.number);
  return [...numbered, ...waiting.filter((event) => !byId.has(event.id))];
}

/** Disjoint spans and one more; those that it touches are joined with it. */
export function marked(spans, start, stop) {
  const first = firstWhere(spans, (span) => span[1] >= start);
  const last = firstWhere(spans, (span) => span[0] > stop);
  const low = first < last ? Math.min(start, spans[first][0]) : start;
  const high = first < last ? Math.max(stop, spans[last - 1][1]) : stop;
  return [...spans.slice(0, first), [low, high], ...spans.slice(last)];
}

/** What is left of disjoint spans outside of another. */
export function unmarked(spans, start, stop) {
  const first = firstWhere(spans, (span) => span[1] > start);
  const last = firstWhere(spans, (span) => span[0] >= stop);
  const pieces = spans.slice(first, last).flatMap(([a, b]) => [
    [a, Math.min(b, start)],
    [Math.max(a, stop), b],
  ]);
  const left = pieces.filter(([a, b]) => a < b);
  return [...spans.slice(0, first), ...left, ...spans.slice(last)];
}

/** The place of the first span for which a test holds, which then holds for all behind it. */
function firstWhere(spans, holds) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(spans[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function contentAt(events) {
  return effective(events).reduce((found, [, event]) => after(found, event), NOTHING);
}

function after(before, event) {
  let changed;
  switch (event.kind) {
    case "mark":
      changed = withMark(before, event);
      break;
    case "unmark":
      changed = withoutMark(before, event);
      break;
    case "entry":
      changed = { ...before, entry: event.start };
      break;
    case "no-entry":
      changed = { ...before, entry: null };
      break;
    case "undone":
      return { ...before, done: false };
    case "note":
      return { ...before, note: event.value ?? "" };
    default:
      return before;
  }
  return isSameContent(before, changed) ? before : { ...changed, done: false };
}

/** More text, which has an aspect if the event names one. */
function withMark(before, { start, stop, value }) {
  const spans = marked(before.spans, start, stop);
  if (typeof value !== "string") return { ...before, spans };
  const byName = new Map(before.aspects);
  byName.set(value, marked(byName.get(value) ?? [], start, stop));
  return { ...before, spans, aspects: [...byName] };
}

/** Less text, and so less of every aspect; or less of the one that the event names alone. */
function withoutMark(before, { start, stop, value }) {
  const isAll = typeof value !== "string";
  const left = before.aspects.map(([name, spans]) => [
    name, isAll || name === value ? unmarked(spans, start, stop) : spans,
  ]);
  const aspects = left.filter(([, spans]) => spans.length);
  const spans = isAll ? unmarked(before.spans, start, stop) : before.spans;
  return { ...before, spans, aspects };
}

function isSameContent(one, other) {
  const others = new Map(other.aspects);
  return (
    one.entry === other.entry &&
    isSameText(one.spans, other.spans) &&
    one.aspects.length === others.size &&
    one.aspects.every(([name, spans]) => isSameText(spans, others.get(name) ?? []))
  );
}

function isSameText(spans, others) {
  return (
    spans.length === others.length &&
    spans.every(([a, b], place) => a === others[place][0] && b === others[place][1])
  );
}
