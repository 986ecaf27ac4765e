// The text of a document in the page: its layout, its offsets, its sentences.
//
// Offsets outside of this file count characters (code points) as the server does; the browser
// counts UTF-16 units, and only this file knows them. The elements are made once, never changed.

import { Segments, isBlank, paragraphsOf, pieces, trimmed } from "./segments.js";

const BLOCKS = new Set(["p", "ul", "ol", "li", "table", "tr", "td", "th", "section", "pre"]);
// Elements that need a certain parent; elsewhere they become a plain block.
const PARENTS = { li: ["ul", "ol"], tr: ["table"], td: ["tr"], th: ["tr"] };
const CHILDREN = { ul: ["li"], ol: ["li"], table: ["tr"], tr: ["td", "th"] };
// From this length on, text off the screen is not laid out.
const LONG = 50_000;
const MOST_FOUND = 10_000;

export class DocumentText {
  #text;
  #pairs;
  #nodes = [];
  #starts = [];
  #segments;
  #level = 1;

  /** Lay out a text; `layout` is {kind, blocks} with nodes [tag, start, stop, [node, …]]. */
  constructor(text, layout) {
    this.#text = text;
    this.#pairs = pairsOf(text);
    this.length = text.length - this.#pairs.length;
    const isPlain = layout.kind === "plain";
    const nodes = this.#inUnits(layout.blocks);
    this.root = document.createElement("div");
    // A translated text would have other offsets.
    this.root.translate = false;
    this.root.className = isPlain ? "text plain" : "text";
    this.root.classList.toggle("long", text.length > LONG);
    this.#build(this.root, "section", nodes, 0, text.length);
    // An empty document has a place for offset 0 all the same.
    if (!this.#nodes.length) this.#addNode(this.root, 0, 0);
    if (!this.isIntact) {
      throw new Error("the page would show another text than the campaign has");
    }
    this.#segments = new Segments(text, paragraphsOf(text, nodes, isPlain));
  }

  /** Whether the page still shows the text, which translators and extensions may change. */
  get isIntact() {
    return this.root.textContent === this.#text;
  }

  /** The characters of [start, stop). */
  slice(start, stop) {
    return this.#text.slice(this.#unit(start), this.#unit(stop));
  }

  /** The range of [start, stop) for a highlight: the elements never change. */
  range(start, stop) {
    const [startContainer, startOffset] = this.#position(this.#unit(start), false);
    const [endContainer, endOffset] = this.#position(this.#unit(stop), true);
    return new StaticRange({ startContainer, startOffset, endContainer, endOffset });
  }

  /** The box of [start, stop) on the screen; lays out text off the screen. */
  box(start, stop) {
    const { startContainer, startOffset, endContainer, endOffset } = this.range(start, stop);
    const range = document.createRange();
    range.setStart(startContainer, startOffset);
    range.setEnd(endContainer, endOffset);
    return range.getBoundingClientRect();
  }

  /** The span of a selection in whole characters; null if it is outside the text. */
  selected(range) {
    const contents = document.createRange();
    contents.selectNodeContents(this.root);
    if (!range.intersectsNode(this.root)) return null;
    const edge = (node, offset) => {
      const side = contents.comparePoint(node, offset);
      if (side !== 0) return side < 0 ? 0 : this.#text.length;
      const preceding = document.createRange();
      preceding.setStart(this.root, 0);
      preceding.setEnd(node, offset);
      return preceding.toString().length;
    };
    const start = edge(range.startContainer, range.startOffset);
    const stop = edge(range.endContainer, range.endOffset);
    return [this.#point(start), start === stop ? this.#point(start) : this.#point(stop, true)];
  }

  /** The offset of the character at a point of the screen; null outside of the text. */
  offsetAt(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    const node = caret?.offsetNode ?? caret?.startContainer;
    if (!node || !this.root.contains(node)) return null;
    const range = document.createRange();
    range.setStart(node, caret.offset ?? caret.startOffset);
    return this.selected(range)[0];
  }

  /** The span to highlight for a selection; null if it has only blanks. */
  snapped(start, stop, level) {
    return this.#points(this.#segments.snapped(this.#unit(start), this.#unit(stop), level));
  }

  /** Whether there are only blanks, or nothing, in [start, stop). */
  isBlank(start, stop) {
    const [a, b] = trimmed(this.#text, this.#unit(start), this.#unit(stop));
    return a >= b;
  }

  /** A span extended to highlights that are separated from it only by blanks. */
  reaching([start, stop], spans) {
    const before = spans.findLast((span) => span[1] <= start);
    const after = spans.find((span) => span[0] >= stop);
    return [
      before && this.isBlank(before[1], start) ? before[1] : start,
      after && this.isBlank(stop, after[0]) ? after[0] : stop,
    ];
  }

  /** [start, stop) with the blanks around it, within [low, high). */
  withBlanks(start, stop, low, high) {
    let [a, b] = [this.#unit(start), this.#unit(stop)];
    const [first, last] = [this.#unit(low), this.#unit(high)];
    while (a > first && isBlank(this.#text, a - 1)) a -= 1;
    while (b < last && isBlank(this.#text, b)) b += 1;
    return this.#points([a, b]);
  }

  /** Spans of words in the text, ignoring case; only the first ones if there are many. */
  spansOf(words) {
    const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
    const spans = [];
    if (!pattern) return spans;
    for (const { index, 0: word } of this.#text.matchAll(new RegExp(pattern, "giu"))) {
      spans.push(this.#points([index, index + word.length]));
      if (spans.length === MOST_FOUND) break;
    }
    return spans;
  }

  get paragraphCount() {
    return this.#segments.paragraphs.length;
  }

  sentenceCount(paragraph) {
    return this.#segments.sentences(paragraph).length;
  }

  sentence({ paragraph, sentence }) {
    return this.#points(this.#segments.sentences(paragraph)[sentence]);
  }

  /** The place {paragraph, sentence} of the sentence at an offset. */
  placeOf(offset) {
    return this.#segments.placeOf(this.#unit(offset));
  }

  #inUnits(nodes) {
    return nodes.map(([tag, start, stop, children]) => [
      tag, this.#unit(start), this.#unit(stop), this.#inUnits(children ?? []),
    ]);
  }

  #build(parent, parentTag, nodes, start, stop) {
    let previousEnd = start;
    for (const [tag, from, to, children] of nodes) {
      this.#addText(parent, previousEnd, from);
      const name = this.#nameOf(tag, parentTag, children, from, to);
      const element = this.#element(name, tag);
      this.#build(element, name, children, from, to);
      parent.append(element);
      previousEnd = to;
    }
    this.#addText(parent, previousEnd, stop);
  }

  #addText(parent, start, stop) {
    const parts = [...pieces(this.#text, start, stop)];
    for (const [from, to] of parts) {
      const container = parts.length > 1 ? parent.appendChild(this.#element("span", "piece")) : parent;
      this.#addNode(container, from, to);
    }
  }

  #addNode(parent, start, stop) {
    const node = document.createTextNode(this.#text.slice(start, stop));
    this.#nodes.push(node);
    this.#starts.push(start);
    parent.append(node);
  }

  /** Name of the element for a tag; a list without items would mislead screen readers. */
  #nameOf(tag, parent, children, start, stop) {
    if (/^h[1-6]$/.test(tag)) return tag;
    if (!BLOCKS.has(tag)) return "span";
    if (PARENTS[tag] && !PARENTS[tag].includes(parent)) return "div";
    const allowed = CHILDREN[tag];
    if (!allowed) return tag === "section" ? "div" : tag;
    let previousEnd = start;
    for (const [child, from, to] of [...children, ["", stop, stop]]) {
      const isEnd = child === "";
      if ((!isEnd && !allowed.includes(child)) || trimmed(this.#text, previousEnd, from)[0] < from) {
        return "div";
      }
      previousEnd = to;
    }
    return tag;
  }

  /** An element; headings keep their style, but levels never skip one and are below the page's. */
  #element(name, tag) {
    let levelled = name;
    if (/^h[1-6]$/.test(name)) {
      this.#level = Math.min(Number(name[1]) + 1, this.#level + 1, 6);
      levelled = `h${this.#level}`;
    }
    const element = document.createElement(levelled);
    element.className = `b-${tag}`;
    return element;
  }

  /** The text node and the offset in it; at a border the end of one or the start of the next. */
  #position(unit, isEnd) {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isEnd ? this.#starts[middle] < unit : this.#starts[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return [this.#nodes[low], unit - this.#starts[low]];
  }

  #points(units) {
    return units && [this.#point(units[0]), this.#point(units[1], true)];
  }

  /** Characters before a unit; within a surrogate pair those up to its start, or its end. */
  #point(unit, roundUp = false) {
    const pairCount = countBelow(this.#pairs, unit, 0);
    const isInside = pairCount > 0 && this.#pairs[pairCount - 1] === unit - 1;
    return unit - pairCount + (isInside && roundUp ? 1 : 0);
  }

  #unit(point) {
    return point + countBelow(this.#pairs, point, 1);
  }
}

/** Offsets of surrogate pairs, in units. */
function pairsOf(text) {
  return Array.from(text.matchAll(/[\u{10000}-\u{10ffff}]/gu), (match) => match.index);
}

/** Number of pairs that begin before an offset; with `step` 1 offsets count characters. */
function countBelow(pairs, offset, step) {
  let [low, high] = [0, pairs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pairs[middle] - step * middle < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
