// The desk of an assessor: opens documents, does what keys and buttons ask, says what happened.

import { actsOf, unfinished } from "./acts.js";
import { offerAdding } from "./adding.js";
import { AspectChooser } from "./aspects.js";
import { Desk, fetched } from "./desk.js";
import { button, byId, counted, made, opening } from "./elements.js";
import { Keys } from "./keys.js";
import { Keywords } from "./keywords.js";
import { lacking, Layers } from "./layers.js";
import { Marking } from "./marking.js";
import { isRetryable } from "./outbox.js";
import { Panels } from "./panels.js";
import { instead, LOCKED, notice, read, say } from "./saying.js";
import { Written } from "./written.js";

class Page {
  #desk;
  #layers = new Layers();
  #marking;
  #panels;
  #keywords;
  #note;
  #chooser;
  #keys;
  #showsPool = false;
  #drawnMarks = "";
  #lastState = "saved";
  #adjudication = null;

  constructor(answer) {
    this.#desk = new Desk(answer, (news) => this.#changed(news));
    this.#marking = new Marking(this.#desk, this.#layers, say, read);
    // After the acts that are under way: they belong to the document that is open now.
    const go = (topic, doc) => this.#marking.queue(() => this.open(topic.topic, doc.doc));
    this.#panels = new Panels(this.#desk, this.#marking, go);
    const typed = () => this.#showState();
    this.#keywords = new Keywords(this.#desk, this.#layers, typed);
    const save = (text, place) => this.#saveNote(text, place);
    this.#note = new Written(byId("note"), { save, typed, told: () => say("note kept") });
    this.#chooser = new AspectChooser(this.#desk, this.#marking, say);
    offerAdding(this.#desk, go);
    this.#keys = new Keys((act) => act());
    this.#offerActs();
    this.#listen();
  }

  /** Begin where the address says, else with what is not finished. */
  async start() {
    if (this.#desk.role === "adjudicator") await this.#adjudicate();
    const found = this.#wanted();
    this.#panels.draw();
    addEventListener("hashchange", () => {
      const other = this.#wanted();
      if (other) void this.#marking.queue(() => this.#openFound(other));
    });
    if (found) await this.#openFound(found);
    else this.#showNothing();
  }

  /** Show the document of these names, unless it is open already. */
  async open(topicName, docName) {
    const before = this.#desk.topic?.topic;
    if (this.#desk.isOpen(topicName, docName)) return;
    try {
      this.#keepWritten();
      if (!(await this.#desk.open(topicName, docName))) return;
    } catch (error) {
      say(`${docName} cannot be shown: ${error.message}`, true);
      const next = `${error.message}. To try again, reload the page.`;
      if (!this.#desk.text) instead("No document is open", next);
      return;
    }
    const { text, topic, doc } = this.#desk;
    this.#chooser.close();
    this.#layers.clear();
    this.#drawnMarks = "";
    byId("place").replaceChildren(text.root);
    const place = new URLSearchParams({ topic: topicName, doc: docName });
    history.replaceState(null, "", `#${place}`);
    scrollTo({ top: 0 });
    this.#showsPool = false;
    this.#marking.start();
    this.#keywords.start();
    this.#adjudication?.opened();
    this.#draw();
    const count = `document ${topic.documents.indexOf(doc) + 1} of ${topic.documents.length}`;
    say(topicName === before ? count : `topic ${topicName}: ${opening(topic.title, 60)}, ${count}`);
  }

  /** What the address names, or what is next. */
  #wanted() {
    const words = new URLSearchParams(location.hash.slice(1));
    return this.#desk.find(words.get("topic"), words.get("doc"));
  }

  #openFound([topic, doc]) {
    return this.open(topic.topic, doc.doc);
  }

  async #adjudicate() {
    const { Adjudication } = await import("./adjudication.js");
    const { pageParts } = this;
    this.#adjudication = new Adjudication(pageParts);
  }

  /** What another part of the page may use. */
  get pageParts() {
    const [desk, layers, marking, keys] = [this.#desk, this.#layers, this.#marking, this.#keys];
    return { desk, layers, marking, keys, say, read, panel: byId("extra") };
  }

  #offerActs() {
    // An act that is under way leaves the cursor where it was: what moves it comes after.
    const inTurn = (work) => this.#marking.queue(work);
    const todo = {
      highlight: () => this.#marking.highlight(),
      unhighlight: () => this.#marking.unhighlight(),
      aspect: () => this.#chooser.open(),
      "set-entry": () => this.#marking.setEntry(),
      "remove-entry": () => this.#marking.removeEntry(),
      undo: () => this.#marking.undo(false),
      redo: () => this.#marking.undo(true),
      "next-sentence": () => inTurn(() => this.#marking.moveSentence(1)),
      "previous-sentence": () => inTurn(() => this.#marking.moveSentence(-1)),
      "next-paragraph": () => inTurn(() => this.#marking.moveParagraph(1)),
      "previous-paragraph": () => inTurn(() => this.#marking.moveParagraph(-1)),
      extend: () => inTurn(() => this.#marking.extend(1)),
      shrink: () => inTurn(() => this.#marking.extend(-1)),
      finish: () => this.#finish(),
      nothing: () => this.#nothing(),
      next: () => inTurn(() => this.#move(1)),
      previous: () => inTurn(() => this.#move(-1)),
      pool: () => this.#togglePool(),
      keywords: () => this.#writeKeywords(),
      help: () => this.#toggleHelp(),
      drop: () => this.#drop(),
    };
    const offered = actsOf(this.#desk.settings);
    for (const [name, key, words] of offered) {
      const act = () => (this.#desk.text || name === "help" ? todo[name]() : undefined);
      this.#keys.add(key, act);
      for (const own of document.querySelectorAll(`[data-act="${name}"]`)) {
        own.addEventListener("click", act);
        own.title = `${words} (${key})`;
        own.setAttribute("aria-keyshortcuts", key.replace("Ctrl", "Control"));
        // Screen readers make nothing of signs.
        if (!/\p{L}{2}/u.test(own.textContent)) own.setAttribute("aria-label", words);
      }
      byId("key-list").append(made("dt", {}, made("kbd", {}, key)), made("dd", {}, words));
    }
    const names = new Set(offered.map(([name]) => name));
    for (const own of document.querySelectorAll("[data-act]")) {
      if (!names.has(own.dataset.act)) own.remove();
    }
  }

  #listen() {
    // A press on the bar must not take the selection away.
    byId("bar").addEventListener("pointerdown", (event) => event.preventDefault());
    byId("bar").addEventListener("mousedown", (event) => event.preventDefault());
    byId("close-help").addEventListener("click", () => byId("help").close());
    byId("fold").addEventListener("click", () => this.#fold(true));
    byId("unfold").addEventListener("click", () => this.#fold(false));
    byId("beside").addEventListener("click", ({ target }) => {
      // On a phone what leads to the text must show it.
      if (target.closest(".quote, .aspect-name, #documents button, #results button")) this.#fold(false);
    });
    byId("keys-on").checked = this.#keys.isOn;
    byId("keys-on").addEventListener("change", ({ target }) => {
      this.#keys.isOn = target.checked;
      say(target.checked ? "keyboard shortcuts are on" : "keyboard shortcuts are off");
    });
    document.addEventListener("visibilitychange", () => {
      const kind = document.visibilityState === "hidden" ? "leave" : "return";
      if (this.#desk.text) this.#desk.act(kind);
    });
  }

  #changed(news) {
    if (!this.#desk) return;
    const { state } = this.#desk.outbox;
    this.#showState();
    const isTrouble = !["saved", "saving"].includes(state.kind);
    if (isTrouble && state.kind !== this.#lastState) say(state.text, true);
    this.#lastState = state.kind;
    if (news.said) say(news.said);
    if (this.#desk.text) this.#draw();
    else this.#showNotices();
  }

  /** In the corner: whether all is saved, also what is being written. */
  #showState() {
    const { kind, text } = this.#desk.outbox.state;
    const isUnkept = kind === "saved" && (this.#note.isUnkept || this.#keywords.isUnkept);
    byId("state").textContent = isUnkept ? "not saved yet" : text;
    byId("state").className = isUnkept ? "saving" : kind;
  }

  #draw() {
    const { text, judgement, passages } = this.#desk;
    const marks = JSON.stringify([judgement.spans, judgement.entry]);
    if (marks !== this.#drawnMarks) {
      this.#drawnMarks = marks;
      this.#layers.paint("marked", text, judgement.spans);
      this.#layers.paint("entry", text, entrySpan(text, judgement.entry));
    }
    this.#layers.paint("pooled", text, this.#showsPool ? passages : []);
    const pool = document.querySelector("[data-act=pool]");
    pool?.setAttribute("aria-pressed", String(this.#showsPool));
    this.#panels.draw();
    this.#note.show(judgement.note, JSON.stringify(this.#desk.place));
    this.#keywords.changed();
    this.#showState();
    this.#showNotices();
    this.#adjudication?.changed();
  }

  #finish() {
    this.#keepWritten();
    return this.#marking.queue(() => {
      const { judgement, settings } = this.#desk;
      if (this.#refusesLocked()) return;
      if (judgement.done) {
        if (this.#act("undone")) say("not finished any more");
        return;
      }
      const reason = unfinished(judgement, settings);
      if (reason) say(reason, true);
      else if (this.#act("done")) say(this.#finishedWords());
    });
  }

  #finishedWords() {
    const { done, all } = this.#desk.progress;
    if (done === all) return `finished: all ${counted(all, "document")} are done. Thank you!`;
    const count = this.#desk.judgement.spans.length;
    return `finished with ${count ? counted(count, "highlight") : "nothing relevant"}: n goes on`;
  }

  #nothing() {
    return this.#marking.queue(async () => {
      const { judgement } = this.#desk;
      if (this.#refusesLocked()) return;
      if (judgement.spans.length) {
        say("something is highlighted: remove it first, or press f if it is relevant", true);
        return;
      }
      if (judgement.entry !== null && !this.#act("no-entry")) return;
      if (!judgement.done && !this.#act("done")) return;
      await this.#move(1);
    });
  }

  async #move(step) {
    const found = this.#desk.neighbour(step);
    const { done, all } = this.#desk.progress;
    if (found) await this.#openFound(found);
    else if (step < 0) say("this is the first document");
    else if (done === all) say(`all ${counted(all, "document")} are finished. Thank you!`);
    else {
      const others = counted(all - done, "other is", "others are");
      say(`this is the last document; ${others} not finished yet`);
    }
  }

  #act(kind, fields) {
    return !this.#refusesLocked() && this.#desk.act(kind, fields);
  }

  #refusesLocked() {
    if (this.#desk.isLocked) say(LOCKED, true);
    return this.#desk.isLocked;
  }

  #togglePool() {
    this.#showsPool = !this.#showsPool;
    this.#desk.act(this.#showsPool ? "pool-shown" : "pool-hidden");
    const count = counted(this.#desk.passages.length, "passage");
    say(this.#showsPool ? `${count} that systems returned` : "pooled text is hidden");
    this.#draw();
  }

  #keepWritten() {
    this.#note.keep();
    this.#keywords.keep();
  }

  /** Keep a note on the document that it was written on, which may be closed by now. */
  #saveNote(value, place) {
    return place !== null && this.#act("note", { ...JSON.parse(place), value });
  }

  #writeKeywords() {
    if (getComputedStyle(byId("fold")).display !== "none") this.#fold(true);
    this.#keywords.write();
  }

  #toggleHelp() {
    const help = byId("help");
    if (help.open) help.close();
    else help.showModal();
  }

  #drop() {
    if (document.activeElement?.matches("input, textarea, select")) document.activeElement.blur();
    else if (!this.#marking.drop() && byId("beside").classList.contains("open")) this.#fold(false);
  }

  /** On a phone the panel beside the text covers it, or is closed. */
  #fold(isOpen) {
    const isWithin = byId("beside").contains(document.activeElement);
    byId("beside").classList.toggle("open", isOpen);
    byId("fold").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("unfold").focus();
    else if (isWithin) byId("fold").focus({ preventScroll: true });
  }

  #showNotices() {
    const { outbox, text, isLocked } = this.#desk;
    const { refused } = outbox;
    const lines = new Set(refused.map((one) => `Refused: ${one.error}`));
    const again = refused.some(isRetryable) && button("Try again", () => this.#retry());
    const buttons = [again, button("Dismiss", () => outbox.dismiss())].filter(Boolean);
    notice("refused", [...lines], made("p", { class: "row" }, ...buttons));
    notice("lock", text && isLocked ? [`T${LOCKED.slice(1)}.`] : []);
  }

  #retry() {
    this.#desk.outbox.retry();
    // It may be unlocked by now; the outbox tells when the server is out of reach.
    this.#desk.refresh().catch(() => {});
  }

  #showNothing() {
    const isJudge = this.#desk.role === "adjudicator";
    const words = isJudge
      ? "No two assessors have finished a document with different text yet."
      : "No topic is assigned to you yet: ask the organiser.";
    instead("Nothing to judge yet", words);
  }
}

/** Where an entry point is drawn: its first word, or the character there. */
function entrySpan(text, entry) {
  if (entry === null || entry >= text.length) return [];
  const span = text.snapped(entry, entry + 1, "word");
  return [[entry, span ? Math.max(span[1], entry + 1) : entry + 1]];
}

const missing = lacking();
if (missing) {
  const words = `It lacks ${missing}. Use a current Chrome, Edge, Firefox or Safari.`;
  instead("This browser cannot show the page", words);
} else {
  try {
    await new Page(await fetched("api/desk")).start();
  } catch (error) {
    instead("The page cannot start", error.message);
  }
}
