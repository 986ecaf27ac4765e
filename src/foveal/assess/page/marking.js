// Reading and highlighting the open document: cursor, selection and acts.

import { aspectsIn } from "./aspects.js";
import { counted, excerpt } from "./elements.js";
import { LOCKED } from "./messages.js";

export class Marking {
  #desk;
  #layers;
  #say;
  #read;
  #cursor = null;
  #pending = null;
  #isOnlyBlanks = false;
  #lastSelection = [];
  #queue = Promise.resolve();

  /** `say` shows a message; `read` announces the cursor's position to screen readers. */
  constructor(desk, layers, say, read) {
    this.#desk = desk;
    this.#layers = layers;
    this.#say = say;
    this.#read = read;
    document.addEventListener("selectionchange", () => this.#readSelection());
    document.addEventListener("click", (event) => this.#onClick(event));
  }

  /** Start with a document that was just opened. */
  start() {
    this.#cursor = this.#text.paragraphCount ? { paragraph: 0, sentence: 0 } : null;
    this.#pending = null;
    this.#isOnlyBlanks = false;
    this.#draw();
  }

  /** The span for the next act: the selection, else the sentence at the cursor. */
  get target() {
    if (this.#pending) return this.#pending;
    return this.#cursor && this.#text.sentence(this.#cursor);
  }

  /** Run acts one after another, so that each sees the result of the previous one. */
  queue(task) {
    this.#queue = this.#queue.then(task, task);
    return this.#queue;
  }

  highlight() {
    return this.queue(async () => {
      const span = this.#spanToActOn("highlighted");
      if (!span) return;
      const spans = this.#desk.judgement.spans;
      if (spans.some(([start, stop]) => start <= span[0] && span[1] <= stop)) {
        this.#say("that is highlighted already");
        return;
      }
      const [start, stop] = this.#text.reaching(span, spans);
      if (!(await this.#mark(start, stop))) return;
      const count = counted(span[1] - span[0], "character");
      const isJoined = spans.some(([a, b]) => a <= stop && b >= start);
      const joinedText = isJoined ? ", joined with what was highlighted beside it" : "";
      this.#say(`highlighted ${count}${joinedText}: “${excerpt(this.#text.slice(...span))}”`);
      this.#leavePending(span);
    });
  }

  unhighlight() {
    return this.queue(async () => {
      const span = this.#spanToActOn("unhighlighted");
      if (!span) return;
      const touching = this.#desk.judgement.spans.filter(([a, b]) => a < span[1] && b > span[0]);
      if (!touching.length) {
        this.#say("nothing is highlighted there");
        return;
      }
      // The rest of a highlight must not begin or end with blanks.
      const [low, high] = [touching[0][0], touching.at(-1)[1]];
      const inside = [Math.max(span[0], low), Math.min(span[1], high)];
      await this.#unmark(...this.#text.withBlanks(...inside, low, high));
      this.#leavePending(span);
    });
  }

  /** Remove a whole highlight. */
  remove([start, stop]) {
    return this.queue(() => this.#unmark(start, stop));
  }

  /** The span that gets an aspect: the selection, else the highlight or sentence at the cursor. */
  toName() {
    const span = this.#spanToActOn("named");
    if (!span || this.#pending) return span;
    return this.#desk.judgement.spans.find(([a, b]) => a < span[1] && b > span[0]) ?? span;
  }

  /** Give text an aspect, and highlight it if necessary; `target()` is called when the act runs. */
  name(target, aspect) {
    return this.queue(async () => {
      const span = target();
      if (!span) return;
      const spansOfAspect = new Map(this.#desk.judgement.aspects).get(aspect) ?? [];
      if (spansOfAspect.some(([start, stop]) => start <= span[0] && span[1] <= stop)) {
        this.#say(`that has the aspect “${aspect}” already`);
      } else {
        // Extended only to text of the same aspect, because other highlights may have another aspect.
        const extended = this.#text.reaching(span, spansOfAspect);
        const isAccepted = await this.#desk.actOnText("mark", ...extended, aspect);
        if (!this.#reportLocked(isAccepted)) return;
        const count = counted(span[1] - span[0], "character");
        this.#say(`aspect “${aspect}” of ${count}: “${excerpt(this.#text.slice(...span))}”`);
      }
      this.#leavePending(span);
    });
  }

  /** Remove an aspect from a highlight, which stays. */
  unname([start, stop], aspect) {
    return this.queue(async () => {
      const isAccepted = await this.#desk.actOnText("unmark", start, stop, aspect);
      if (this.#reportLocked(isAccepted)) this.#say(`aspect “${aspect}” removed, the highlight stays`);
    });
  }

  /** Select a span and scroll to it; false if it is selected already. */
  select(span) {
    if (this.#pending?.every((offset, place) => offset === span[place])) return false;
    this.#setPending(span);
    this.show(span);
    this.#read(`selected: ${this.#text.slice(...span)}`);
    return true;
  }

  setEntry() {
    return this.queue(() => {
      const span = this.#spanToActOn("set as entry point");
      if (!span || this.#hasNoEntryPoints()) return;
      if (this.#desk.judgement.entry === span[0]) {
        this.#say("the entry point is there already");
      } else if (this.#reportLocked(this.#desk.act("entry", { start: span[0] }))) {
        // The selection stays, to be highlighted next.
        this.#say(`entry point set at “${excerpt(this.#text.slice(span[0], span[1]), 40)}”`);
      }
    });
  }

  removeEntry() {
    return this.queue(() => {
      if (this.#hasNoEntryPoints()) return;
      if (this.#desk.judgement.entry === null) this.#say("there is no entry point");
      else if (this.#reportLocked(this.#desk.act("no-entry"))) this.#say("entry point removed");
    });
  }

  undo(isRedo) {
    return this.queue(() => {
      const event = this.#desk.toUndo(isRedo);
      const verb = isRedo ? "redo" : "undo";
      if (!event) this.#say(`there is nothing to ${verb}`);
      else if (this.#reportLocked(this.#desk.act("undo", { undoes: event.id }))) {
        const log = this.#desk.log;
        const reverted = isRedo ? log.find((entry) => entry.id === event.undoes) : event;
        this.#say(`${isRedo ? "done again" : "undone"}: ${this.#describe(reverted)}`);
      }
    });
  }

  moveSentence(step) {
    if (!this.#cursor) return;
    const from = this.#startOf(step);
    let { paragraph, sentence } = from;
    sentence += step;
    if (sentence < 0 && paragraph > 0) {
      paragraph -= 1;
      sentence = this.#text.sentenceCount(paragraph) - 1;
    } else if (
      sentence >= this.#text.sentenceCount(paragraph) &&
      paragraph + 1 < this.#text.paragraphCount
    ) {
      paragraph += 1;
      sentence = 0;
    }
    const last = this.#text.sentenceCount(paragraph) - 1;
    this.#moveTo({ paragraph, sentence: Math.min(Math.max(sentence, 0), last) });
  }

  moveParagraph(step) {
    if (!this.#cursor) return;
    const { paragraph, sentence } = this.#startOf(step);
    // Up from the middle of a paragraph goes to its start first.
    const isUpWithin = step < 0 && sentence > 0;
    const next = isUpWithin ? paragraph : paragraph + step;
    const last = this.#text.paragraphCount - 1;
    this.#moveTo({ paragraph: Math.min(Math.max(next, 0), last), sentence: 0 });
  }

  /** Extend the selection by a sentence, or remove its last one. */
  extend(step) {
    this.#readSelection();
    const span = this.target;
    if (!span) return;
    const [start, stop] = span;
    const place = this.#text.placeOf(stop - 1);
    const here = this.#text.sentence(place);
    const isWhole = here[1] === stop;
    const next = step > 0 && !isWhole ? here : this.#neighbour(place, step);
    if (!next || next[1] <= start) {
      this.#say(step > 0 ? "this is the last sentence" : "it is one sentence already");
      return;
    }
    this.#setPending([start, next[1]]);
    this.show(next);
    this.#read(`selected: ${this.#text.slice(start, next[1])}`);
  }

  /** Clear the selection; true if there was one. */
  drop() {
    const hadSelection = this.#pending !== null;
    this.#setPending(null);
    getSelection().removeAllRanges();
    return hadSelection;
  }

  /** Move the cursor to an offset. */
  jump(offset) {
    if (!this.#cursor) return;
    this.#setPending(null);
    this.#moveTo(this.#text.placeOf(offset));
  }

  /** Scroll to a span, away from the edges of the window, where bars cover the text. */
  show([start, stop]) {
    const text = this.#text;
    const scroll = () => {
      // Another document may be open by now.
      if (text !== this.#text) return;
      const { top, bottom } = text.box(start, Math.max(stop, start + 1));
      const low = innerHeight * 0.2;
      const high = innerHeight * 0.75;
      if (top < low || bottom > high) scrollBy({ top: top - innerHeight * 0.3 });
    };
    scroll();
    // Text off the screen gets its real height only after it is laid out.
    requestAnimationFrame(scroll);
  }

  get #text() {
    return this.#desk.text;
  }

  /** The target, or null after a message with the reason. */
  #spanToActOn(verb) {
    this.#readSelection();
    if (this.#isOnlyBlanks) {
      this.#say(`only blanks are selected: nothing is ${verb}`);
      return null;
    }
    if (!this.#text.isIntact) {
      const reason = "a translator or an extension has changed the text";
      this.#say(`${reason}: switch it off and reload`, true);
      return null;
    }
    if (!this.target) this.#say("this document has no text");
    return this.target;
  }

  async #mark(start, stop) {
    return this.#reportLocked(await this.#desk.actOnText("mark", start, stop));
  }

  async #unmark(start, stop) {
    if (!this.#reportLocked(await this.#desk.actOnText("unmark", start, stop))) return;
    const count = counted(stop - start, "character");
    this.#say(`highlight removed from ${count}: “${excerpt(this.#text.slice(start, stop))}”`);
  }

  #reportLocked(isAccepted) {
    if (!isAccepted) this.#say(LOCKED, true);
    return isAccepted;
  }

  #hasNoEntryPoints() {
    const isOff = this.#desk.settings.entry === "none";
    if (isOff) this.#say("this campaign has no entry points");
    return isOff;
  }

  #describe({ kind, start, stop, value }) {
    const last = stop ?? Math.min(start + 60, this.#text.length);
    const quote = start === null ? "" : `“${excerpt(this.#text.slice(start, last), 40)}”`;
    const descriptions = {
      mark: value ? `naming the aspect “${value}” of ${quote}` : `highlighting ${quote}`,
      unmark: `removing the ${value ? `aspect “${value}”` : "highlight"} from ${quote}`,
      entry: `setting the entry point at ${quote}`,
      "no-entry": "removing the entry point",
      done: "finishing the document",
      undone: "opening the document again",
    };
    return descriptions[kind] ?? kind;
  }

  #startOf(step) {
    this.#readSelection();
    if (!this.#pending) return this.#cursor;
    const [start, stop] = this.#pending;
    return this.#text.placeOf(step > 0 ? stop - 1 : start);
  }

  #neighbour({ paragraph, sentence }, step) {
    const count = this.#text.sentenceCount(paragraph);
    if (sentence + step >= 0 && sentence + step < count) {
      return this.#text.sentence({ paragraph, sentence: sentence + step });
    }
    const next = paragraph + step;
    if (next < 0 || next >= this.#text.paragraphCount) return null;
    const last = step > 0 ? 0 : this.#text.sentenceCount(next) - 1;
    return this.#text.sentence({ paragraph: next, sentence: last });
  }

  #moveTo(place) {
    this.#cursor = place;
    this.#isOnlyBlanks = false;
    if (this.#pending) this.drop();
    this.#draw();
    const span = this.#text.sentence(place);
    this.show(span);
    const isMarked = this.#desk.judgement.spans.some(([a, b]) => a < span[1] && b > span[0]);
    const names = aspectsIn(this.#desk.judgement, span).map(([name]) => name);
    const aspects = names.length ? `, ${names.length > 1 ? "aspects" : "aspect"} ${names.join(", ")}` : "";
    this.#read(`${isMarked ? `highlighted${aspects}: ` : ""}${this.#text.slice(...span)}`);
  }

  #leavePending([, stop]) {
    this.#cursor = this.#text.placeOf(stop - 1);
    this.drop();
  }

  #setPending(span) {
    this.#pending = span;
    this.#isOnlyBlanks = false;
    this.#draw();
  }

  #draw() {
    const cursor = this.#cursor && !this.#pending ? [this.#text.sentence(this.#cursor)] : [];
    this.#layers.paint("cursor", this.#text, cursor);
    this.#layers.paint("pending", this.#text, this.#pending ? [this.#pending] : []);
  }

  /** On phones a tap selects nothing, but moves the cursor to its sentence. */
  #onClick({ target, clientX, clientY }) {
    if (!this.#text?.root.contains(target) || !getSelection().isCollapsed) return;
    const offset = this.#text.offsetAt(clientX, clientY);
    if (offset !== null) this.#goTo(offset);
  }

  #goTo(offset) {
    if (this.#text.paragraphCount) this.#cursor = this.#text.placeOf(offset);
    this.#setPending(null);
  }

  /** Read the selection, because browsers may report a change only after the next key. */
  #readSelection() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    const now = [anchorNode, anchorOffset, focusNode, focusOffset];
    if (now.every((part, place) => part === this.#lastSelection[place])) return;
    this.#lastSelection = now;
    this.#selectionChanged();
  }

  #selectionChanged() {
    const selection = getSelection();
    if (!this.#text || !selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    // Pressing a button collapses the selection, but the act is about the old selection.
    const isWithin = this.#text.root.contains(selection.anchorNode);
    if (!isWithin && !range.intersectsNode(this.#text.root)) return;
    const span = this.#text.selected(range);
    if (!span) return;
    if (selection.isCollapsed || span[0] === span[1]) {
      if (!isWithin) return;
      this.#goTo(span[0]);
      return;
    }
    const snapped = this.#text.snapped(...span, this.#desk.settings.snap);
    this.#setPending(snapped);
    this.#isOnlyBlanks = snapped === null;
  }
}
