// Replay of events to a judgement: the twin of replay.py, whose result is decisive.

const UNDOABLE = new Set(["mark", "unmark", "entry", "no-entry", "done", "undone"]);
const NOTHING = Object.freeze({ spans: [], entry: null, done: false, note: "", aspects: [] });

/** The judgement after one assessor's events on one document, in order. */
export function replayed(events) {
  const indexed = effective(events);
  // Only the last `done` decides: it replaces all earlier ones.
  const lastDone = indexed.findLast(([, event]) => event.kind === "done");
  let judgement = NOTHING;
  for (const [index, event] of indexed) {
    judgement = applied(judgement, event);
    if (index === lastDone?.[0]) {
      judgement = { ...judgement, done: isSameContent(contentAt(events.slice(0, index)), judgement) };
    }
  }
  return judgement;
}

/** Id of the act that undo reverts: the last that is not undone; null if there is none. */
export function undoable(events) {
  const acts = effective(events).filter(([, event]) => UNDOABLE.has(event.kind));
  return acts.length ? acts.at(-1)[1].id : null;
}

/** Id of the undo that redo reverts: the last not undone, unless an act came after it. */
export function redoable(events) {
  const kinds = new Map(events.map((event) => [event.id, event.kind]));
  const undone = new Set();
  // Backwards, because the undo of an undo comes after it.
  for (const event of events.toReversed()) {
    if (undone.has(event.id)) continue;
    if (event.kind === "undo") {
      undone.add(event.undoes);
      // An undo of an undo is a redo already, which undo reverts.
      if (UNDOABLE.has(kinds.get(event.undoes))) return event.id;
    } else if (UNDOABLE.has(event.kind)) {
      return null;
    }
  }
  return null;
}

/** The events that are not undone, without undos, each with its index in the log. */
export function effective(events) {
  const undone = new Set();
  const indexed = [];
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (undone.has(event.id)) continue;
    if (event.kind === "undo") undone.add(event.undoes);
    else indexed.push([index, event]);
  }
  return indexed.reverse();
}

/** One log: stored events, each once and by number, then those waiting to be sent. */
export function mergedLog(stored, unsent) {
  const byId = new Map(stored.map((event) => [event.id, event]));
  const numbered = [...byId.values()].sort((first, second) => first.number - second.number);
  return [...numbered, ...unsent.filter((event) => !byId.has(event.id))];
}

/** Disjoint spans with one more; spans that overlap or touch it are merged with it. */
export function withSpan(spans, start, stop) {
  const first = firstWhere(spans, (span) => span[1] >= start);
  const last = firstWhere(spans, (span) => span[0] > stop);
  const low = first < last ? Math.min(start, spans[first][0]) : start;
  const high = first < last ? Math.max(stop, spans[last - 1][1]) : stop;
  return [...spans.slice(0, first), [low, high], ...spans.slice(last)];
}

/** Disjoint spans without the text of another span. */
export function withoutSpan(spans, start, stop) {
  const first = firstWhere(spans, (span) => span[1] > start);
  const last = firstWhere(spans, (span) => span[0] >= stop);
  const pieces = spans.slice(first, last).flatMap(([a, b]) => [
    [a, Math.min(b, start)],
    [Math.max(a, stop), b],
  ]);
  const remaining = pieces.filter(([a, b]) => a < b);
  return [...spans.slice(0, first), ...remaining, ...spans.slice(last)];
}

/** Index of the first span for which a test holds; it must hold for all later ones. */
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
  return effective(events).reduce((judgement, [, event]) => applied(judgement, event), NOTHING);
}

function applied(previous, event) {
  let changed;
  switch (event.kind) {
    case "mark":
      changed = withMark(previous, event);
      break;
    case "unmark":
      changed = withoutMark(previous, event);
      break;
    case "entry":
      changed = { ...previous, entry: event.start };
      break;
    case "no-entry":
      changed = { ...previous, entry: null };
      break;
    case "undone":
      return { ...previous, done: false };
    case "note":
      return { ...previous, note: event.value ?? "" };
    default:
      return previous;
  }
  return isSameContent(previous, changed) ? previous : { ...changed, done: false };
}

/** The judgement with more text, which gets the aspect that the event names, if any. */
function withMark(previous, { start, stop, value }) {
  const spans = withSpan(previous.spans, start, stop);
  if (typeof value !== "string") return { ...previous, spans };
  const byName = new Map(previous.aspects);
  byName.set(value, withSpan(byName.get(value) ?? [], start, stop));
  return { ...previous, spans, aspects: [...byName] };
}

/** The judgement without some text in all aspects, or only in the one that the event names. */
function withoutMark(previous, { start, stop, value }) {
  const isAll = typeof value !== "string";
  const remaining = previous.aspects.map(([name, spans]) => [
    name, isAll || name === value ? withoutSpan(spans, start, stop) : spans,
  ]);
  const aspects = remaining.filter(([, spans]) => spans.length);
  const spans = isAll ? withoutSpan(previous.spans, start, stop) : previous.spans;
  return { ...previous, spans, aspects };
}

function isSameContent(first, second) {
  const aspects = new Map(second.aspects);
  return (
    first.entry === second.entry &&
    isSameText(first.spans, second.spans) &&
    first.aspects.length === aspects.size &&
    first.aspects.every(([name, spans]) => isSameText(spans, aspects.get(name) ?? []))
  );
}

function isSameText(spans, otherSpans) {
  return (
    spans.length === otherSpans.length &&
    spans.every(([a, b], index) => a === otherSpans[index][0] && b === otherSpans[index][1])
  );
}
