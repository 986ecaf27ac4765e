// Paragraphs, sentences and words of a text in UTF-16 units, which text.js turns into offsets.

const SENTENCES = new Intl.Segmenter("und", { granularity: "sentence" });
const WORDS = new Intl.Segmenter("und", { granularity: "word" });
const BLANK_LINES = /(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*[\r\n]\s*/g;
const LINE = /([^\r\n]*)(\r\n|\r|\n)/g;
// A line of at least so many units was probably wrapped by hand, so its sentence continues.
const WRAPPED = 50;
// A longer paragraph is cut, because browsers need seconds to lay out or segment huge ones.
const LONGEST = 8_000;

/** Paragraphs of a text that are not blank: [start, stop, whether line ends are blanks]. */
export function paragraphsOf(text, nodes, isPlain) {
  const paragraphs = [];
  const add = (start, stop, flows) => {
    for (const [a, b] of isPlain ? atBlankLines(text, start, stop) : [[start, stop]]) {
      const [first, last] = trimmed(text, a, b);
      for (const piece of pieces(text, first, last)) {
        const [from, to] = trimmed(text, ...piece);
        // A piece may consist of blanks only.
        if (from < to) paragraphs.push([from, to, flows]);
      }
    }
  };
  const walk = (siblings, start, stop, flows) => {
    let previousEnd = start;
    for (const [tag, from, to, children] of siblings) {
      add(previousEnd, from, flows);
      walk(children ?? [], from, to, !isPlain && tag !== "pre");
      previousEnd = to;
    }
    add(previousEnd, stop, flows);
  };
  walk(nodes, 0, text.length, !isPlain);
  return paragraphs;
}

/** The part of [start, stop) without blanks at its ends; empty if it has only blanks. */
export function trimmed(text, start, stop) {
  while (start < stop && isBlank(text, start)) start += 1;
  while (stop > start && isBlank(text, stop - 1)) stop -= 1;
  return [start, stop];
}

/** Whether the unit is white space, which is never half of a surrogate pair. */
export function isBlank(text, index) {
  return /\s/.test(text[index]);
}

/** The sentences and words of a text's paragraphs, segmented when first needed. */
export class Segments {
  #text;
  #sentencesByParagraph = new Map();

  constructor(text, paragraphs) {
    this.#text = text;
    this.paragraphs = paragraphs;
  }

  /** The sentences of a paragraph as [start, stop], without blanks at the ends. */
  sentences(paragraph) {
    if (!this.#sentencesByParagraph.has(paragraph)) {
      const [start, stop, flows] = this.paragraphs[paragraph];
      const line = unwrapped(this.#text.slice(start, stop), flows);
      const sentences = [...SENTENCES.segment(line)]
        .map(({ index, segment }) =>
          trimmed(this.#text, start + index, start + index + segment.length),
        )
        .filter(([a, b]) => a < b);
      this.#sentencesByParagraph.set(paragraph, sentences);
    }
    return this.#sentencesByParagraph.get(paragraph);
  }

  /** The paragraph and sentence at a unit or, between them, the next; the last at the end. */
  placeOf(unit) {
    const paragraph = firstEndingAfter(this.paragraphs, unit);
    if (paragraph === this.paragraphs.length) {
      const last = paragraph - 1;
      return { paragraph: last, sentence: last < 0 ? 0 : this.sentences(last).length - 1 };
    }
    const sentences = this.sentences(paragraph);
    const sentence = Math.min(firstEndingAfter(sentences, unit), sentences.length - 1);
    return { paragraph, sentence };
  }

  /** A span that grows to whole sentences or words, without blanks at its ends; null if empty. */
  snapped(start, stop, level) {
    const [first, last] = trimmed(this.#text, start, stop);
    if (first >= last) return null;
    if (level === "character") return [first, last];
    return trimmed(this.#text, this.#around(first, level)[0], this.#around(last - 1, level)[1]);
  }

  #around(unit, level) {
    const { paragraph, sentence } = this.placeOf(unit);
    const [start, stop] = this.sentences(paragraph)[sentence];
    if (level === "sentence") return [start, stop];
    const word = WORDS.segment(this.#text.slice(start, stop)).containing(unit - start);
    return [start + word.index, start + word.index + word.segment.length];
  }
}

function* atBlankLines(text, start, stop) {
  let at = start;
  for (const { index, 0: lines } of text.slice(start, stop).matchAll(BLANK_LINES)) {
    yield [at, start + index];
    at = start + index + lines.length;
  }
  yield [at, stop];
}

/** [start, stop) in pieces that are not too long, cut after a line, a sentence or a word. */
export function* pieces(text, start, stop) {
  let at = start;
  while (stop - at > LONGEST) {
    const window = text.slice(at, at + LONGEST);
    const cut = ["\n", ". ", " "].map((end) => window.lastIndexOf(end) + end.length);
    const splitsPair = isHighSurrogate(window.charCodeAt(LONGEST - 1));
    const next = at + (cut.find((end) => end > LONGEST / 2) ?? LONGEST - Number(splitsPair));
    yield [at, next];
    at = next;
  }
  if (at < stop) yield [at, stop];
}

function isHighSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The text with blanks for line ends where a sentence may continue in the next line. */
function unwrapped(text, flows) {
  return text.replace(LINE, (line, content, end) =>
    flows || content.length >= WRAPPED ? content + " ".repeat(end.length) : line,
  );
}

function firstEndingAfter(spans, unit) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle][1] > unit) high = middle;
    else low = middle + 1;
  }
  return low;
}
