// The page of an assessor: opens documents, runs the acts of keys and buttons, shows messages.

import { actsOf, unfinished } from "./acts.js";
import { offerAddDocument } from "./add_document.js";
import { AspectChooser } from "./aspects.js";
import { Desk, fetchJson } from "./desk.js";
import { button, byId, counted, create, excerpt } from "./elements.js";
import { Keys } from "./keys.js";
import { Keywords } from "./keywords.js";
import { missingFeature, Layers } from "./layers.js";
import { Marking } from "./marking.js";
import { isRetryable } from "./outbox.js";
import { Panels } from "./panels.js";
import { showInstead, LOCKED, showNotice, read, say } from "./messages.js";
import { SavedField } from "./fields.js";

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
    this.#desk = new Desk(answer, (news) => this.#onChange(news));
    this.#marking = new Marking(this.#desk, this.#layers, say, read);
    // Queued after the running acts, which belong to the document that is open now.
    const go = (topic, doc) => this.#marking.queue(() => this.open(topic.topic, doc.doc));
    this.#panels = new Panels(this.#desk, this.#marking, go);
    const onInput = () => this.#showState();
    this.#keywords = new Keywords(this.#desk, this.#layers, onInput);
    const save = (text, owner) => this.#saveNote(text, owner);
    this.#note = new SavedField(byId("note"), { save, onInput, onSaved: () => say("note kept") });
    this.#chooser = new AspectChooser(this.#desk, this.#marking, say);
    offerAddDocument(this.#desk, go);
    this.#keys = new Keys((act) => act());
    this.#setUpActs();
    this.#listen();
  }

  /** Open the document in the address, else the first that is not finished. */
  async start() {
    if (this.#desk.role === "adjudicator") await this.#adjudicate();
    const entry = this.#documentToOpen();
    this.#panels.draw();
    addEventListener("hashchange", () => {
      const other = this.#documentToOpen();
      if (other) void this.#marking.queue(() => this.#openEntry(other));
    });
    if (entry) await this.#openEntry(entry);
    else this.#showNothing();
  }

  /** Show the document of these names, unless it is open already. */
  async open(topicName, docName) {
    const previousTopic = this.#desk.topic?.topic;
    if (this.#desk.isOpen(topicName, docName)) return;
    try {
      this.#saveFields();
      if (!(await this.#desk.open(topicName, docName))) return;
    } catch (error) {
      say(`${docName} cannot be shown: ${error.message}`, true);
      const next = `${error.message}. To try again, reload the page.`;
      if (!this.#desk.text) showInstead("No document is open", next);
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
    say(topicName === previousTopic ? count : `topic ${topicName}: ${excerpt(topic.title, 60)}, ${count}`);
  }

  /** The document in the address, or the next one to judge. */
  #documentToOpen() {
    const params = new URLSearchParams(location.hash.slice(1));
    return this.#desk.find(params.get("topic"), params.get("doc"));
  }

  #openEntry([topic, doc]) {
    return this.open(topic.topic, doc.doc);
  }

  async #adjudicate() {
    const { Adjudication } = await import("./adjudication.js");
    const { pageParts } = this;
    this.#adjudication = new Adjudication(pageParts);
  }

  /** Parts of the page for the adjudication module. */
  get pageParts() {
    const [desk, layers, marking, keys] = [this.#desk, this.#layers, this.#marking, this.#keys];
    return { desk, layers, marking, keys, say, read, panel: byId("extra") };
  }

  #setUpActs() {
    // Queued, because a running act depends on the cursor's position.
    const queued = (task) => this.#marking.queue(task);
    const actions = {
      highlight: () => this.#marking.highlight(),
      unhighlight: () => this.#marking.unhighlight(),
      aspect: () => this.#chooser.open(),
      "set-entry": () => this.#marking.setEntry(),
      "remove-entry": () => this.#marking.removeEntry(),
      undo: () => this.#marking.undo(false),
      redo: () => this.#marking.undo(true),
      "next-sentence": () => queued(() => this.#marking.moveSentence(1)),
      "previous-sentence": () => queued(() => this.#marking.moveSentence(-1)),
      "next-paragraph": () => queued(() => this.#marking.moveParagraph(1)),
      "previous-paragraph": () => queued(() => this.#marking.moveParagraph(-1)),
      extend: () => queued(() => this.#marking.extend(1)),
      shrink: () => queued(() => this.#marking.extend(-1)),
      finish: () => this.#finish(),
      nothing: () => this.#nothing(),
      next: () => queued(() => this.#move(1)),
      previous: () => queued(() => this.#move(-1)),
      pool: () => this.#togglePool(),
      keywords: () => this.#writeKeywords(),
      help: () => this.#toggleHelp(),
      drop: () => this.#drop(),
    };
    const offered = actsOf(this.#desk.settings);
    for (const [name, key, description] of offered) {
      const act = () => (this.#desk.text || name === "help" ? actions[name]() : undefined);
      this.#keys.add(key, act);
      for (const element of document.querySelectorAll(`[data-act="${name}"]`)) {
        element.addEventListener("click", act);
        element.title = `${description} (${key})`;
        element.setAttribute("aria-keyshortcuts", key.replace("Ctrl", "Control"));
        // Screen readers cannot read symbols.
        if (!/\p{L}{2}/u.test(element.textContent)) element.setAttribute("aria-label", description);
      }
      byId("key-list").append(create("dt", {}, create("kbd", {}, key)), create("dd", {}, description));
    }
    const names = new Set(offered.map(([name]) => name));
    for (const element of document.querySelectorAll("[data-act]")) {
      if (!names.has(element.dataset.act)) element.remove();
    }
  }

  #listen() {
    // Pressing the bar must not clear the selection.
    byId("bar").addEventListener("pointerdown", (event) => event.preventDefault());
    byId("bar").addEventListener("mousedown", (event) => event.preventDefault());
    byId("close-help").addEventListener("click", () => byId("help").close());
    byId("fold").addEventListener("click", () => this.#fold(true));
    byId("unfold").addEventListener("click", () => this.#fold(false));
    byId("beside").addEventListener("click", ({ target }) => {
      // On a phone the panel covers the text, so links to the text close it.
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

  #onChange(news) {
    if (!this.#desk) return;
    const { state } = this.#desk.outbox;
    this.#showState();
    const hasProblem = !["saved", "saving"].includes(state.kind);
    if (hasProblem && state.kind !== this.#lastState) say(state.text, true);
    this.#lastState = state.kind;
    if (news.said) say(news.said);
    if (this.#desk.text) this.#draw();
    else this.#showNotices();
  }

  /** Show in the corner whether everything is saved, including text in fields. */
  #showState() {
    const { kind, text } = this.#desk.outbox.state;
    const isUnsaved = kind === "saved" && (this.#note.isUnsaved || this.#keywords.isUnsaved);
    byId("state").textContent = isUnsaved ? "not saved yet" : text;
    byId("state").className = isUnsaved ? "saving" : kind;
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
    this.#saveFields();
    return this.#marking.queue(() => {
      const { judgement, settings } = this.#desk;
      if (this.#isRefusedAsLocked()) return;
      if (judgement.done) {
        if (this.#act("undone")) say("not finished any more");
        return;
      }
      const reason = unfinished(judgement, settings);
      if (reason) say(reason, true);
      else if (this.#act("done")) say(this.#finishedText());
    });
  }

  #finishedText() {
    const { done, all } = this.#desk.progress;
    if (done === all) return `finished: all ${counted(all, "document")} are done. Thank you!`;
    const count = this.#desk.judgement.spans.length;
    return `finished with ${count ? counted(count, "highlight") : "nothing relevant"}: n goes on`;
  }

  #nothing() {
    return this.#marking.queue(async () => {
      const { judgement } = this.#desk;
      if (this.#isRefusedAsLocked()) return;
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
    const entry = this.#desk.neighbour(step);
    const { done, all } = this.#desk.progress;
    if (entry) await this.#openEntry(entry);
    else if (step < 0) say("this is the first document");
    else if (done === all) say(`all ${counted(all, "document")} are finished. Thank you!`);
    else {
      const others = counted(all - done, "other is", "others are");
      say(`this is the last document; ${others} not finished yet`);
    }
  }

  #act(kind, fields) {
    return !this.#isRefusedAsLocked() && this.#desk.act(kind, fields);
  }

  #isRefusedAsLocked() {
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

  #saveFields() {
    this.#note.keep();
    this.#keywords.keep();
  }

  /** Save a note on its document, which may be closed by now. */
  #saveNote(value, owner) {
    return owner !== null && this.#act("note", { ...JSON.parse(owner), value });
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

  /** Open or close the side panel; on a phone it covers the text. */
  #fold(isOpen) {
    const hadFocus = byId("beside").contains(document.activeElement);
    byId("beside").classList.toggle("open", isOpen);
    byId("fold").setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("unfold").focus();
    else if (hadFocus) byId("fold").focus({ preventScroll: true });
  }

  #showNotices() {
    const { outbox, text, isLocked } = this.#desk;
    const { refused } = outbox;
    const texts = new Set(refused.map((refusal) => `Refused: ${refusal.error}`));
    const retryButton = refused.some(isRetryable) && button("Try again", () => this.#retry());
    const buttons = [retryButton, button("Dismiss", () => outbox.dismiss())].filter(Boolean);
    showNotice("refused", [...texts], create("p", { class: "row" }, ...buttons));
    showNotice("lock", text && isLocked ? [`T${LOCKED.slice(1)}.`] : []);
  }

  #retry() {
    this.#desk.outbox.retry();
    // The topic may be unlocked by now; the outbox reports if the server cannot be reached.
    this.#desk.refresh().catch(() => {});
  }

  #showNothing() {
    const isAdjudicator = this.#desk.role === "adjudicator";
    const text = isAdjudicator
      ? "No two assessors have finished a document with different text yet."
      : "No topic is assigned to you yet: ask the organiser.";
    showInstead("Nothing to judge yet", text);
  }
}

/** The span at which an entry point is drawn: its first word, or a character. */
function entrySpan(text, entry) {
  if (entry === null || entry >= text.length) return [];
  const span = text.snapped(entry, entry + 1, "word");
  return [[entry, span ? Math.max(span[1], entry + 1) : entry + 1]];
}

const missing = missingFeature();
if (missing) {
  const text = `It lacks ${missing}. Use a current Chrome, Edge, Firefox or Safari.`;
  showInstead("This browser cannot show the page", text);
} else {
  try {
    await new Page(await fetchJson("api/desk")).start();
  } catch (error) {
    showInstead("The page cannot start", error.message);
  }
}
