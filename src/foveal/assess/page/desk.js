// What an assessor has on the desk: the topics, the open document, the log, the outbox.

import { Outbox, sender } from "./outbox.js";
import { redoable, replayed, undoable } from "./replay.js";
import { DocumentText } from "./text.js";

// What the server refuses while a topic is locked.
const OPEN_TO_ALL = new Set(["open", "leave", "return", "pool-shown", "pool-hidden", "keyword"]);

// What changes how a document is listed, beside what says so.
const CHANGING = new Set(["mark", "unmark", "entry", "no-entry", "undo"]);

// Milliseconds until an answer is given up.
const PATIENCE = 20_000;

/** An answer of the server, or an Error whose message is a sentence for people. */
export async function fetched(path, words = {}) {
  const query = new URLSearchParams(words).toString();
  let response;
  try {
    const options = { credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) };
    response = await fetch(query ? `${path}?${query}` : path, options);
  } catch {
    throw new Error("the server does not answer: try again in a moment");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the server has a problem (${response.status})`);
  return body;
}

export class Desk {
  #changed;
  #asked = 0;
  #fetched = [];
  #loading = null;
  #next = null;

  /** Take what the server says of a person; `changed(news)` is called when there is news. */
  constructor(answer, changed) {
    this.#changed = changed;
    this.#take(answer);
    this.topic = null;
    this.doc = null;
    this.text = null;
    this.judgement = replayed([]);
    this.tab = crypto.randomUUID().slice(0, 8);
    this.outbox = new Outbox({
      campaign: answer.campaign,
      assessor: answer.assessor,
      tab: this.tab,
      send: sender("api/events"),
      changed: (news) => this.#heard(news),
    });
    this.outbox.start(answer.number);
  }

  /** Fetch a document, lay it out, note that it was opened; false if another was asked for. */
  async open(topicName, docName) {
    this.#asked += 1;
    const asked = this.#asked;
    const answer = await fetched("api/document", { topic: topicName, doc: docName });
    if (asked !== this.#asked) return false;
    const text = new DocumentText(answer.text, answer.blocks);
    // Found only now: the desk may have been refreshed meanwhile.
    const [topic, doc] = this.find(topicName, docName) ?? [];
    if (topic?.topic !== topicName || doc.doc !== docName) {
      throw new Error("it is not on your desk any more: reload the page");
    }
    Object.assign(this, { topic, doc, text, passages: answer.passages, layers: answer.layers });
    this.#fetched = answer.events;
    this.#replay();
    this.act("open");
    return true;
  }

  /** All own events of the open document, in order. */
  get log() {
    return this.outbox.log(this.topic.topic, this.doc.doc, this.#fetched);
  }

  /** The names of what is open. */
  get place() {
    return { topic: this.topic.topic, doc: this.doc.doc };
  }

  isOpen(topicName, docName) {
    return this.topic?.topic === topicName && this.doc.doc === docName;
  }

  get isLocked() {
    return this.topic?.locked ?? false;
  }

  /** Keep an act on the open document; false if its topic is locked. */
  act(kind, fields = {}) {
    if (this.isLocked && !OPEN_TO_ALL.has(kind)) return false;
    this.outbox.put({ ...this.place, kind, ...fields });
    return true;
  }

  /** An act on the text of [start, stop), which it quotes; false if the topic is locked. */
  async actOnText(kind, start, stop, aspect = null) {
    const { topic, doc, text } = this;
    if (this.isLocked) return false;
    const quote = new TextEncoder().encode(text.slice(start, stop));
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", quote));
    const digest = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const act = { topic: topic.topic, doc: doc.doc, kind, start, stop, quote_sha256: digest };
    this.outbox.put({ ...act, value: aspect });
    return true;
  }

  /** What the person looks for in all documents of the open topic. */
  get keywords() {
    const unsent = this.outbox.pending(this.topic.topic, null);
    const last = unsent.findLast(({ kind }) => kind === "keyword");
    // Kept for the moment between its acknowledgement and the next answer about the desk.
    if (last) this.topic.keywords = last.value;
    return this.topic.keywords;
  }

  /** Keep what the person looks for in a topic, which may be closed by now. */
  keepKeywords(topic, value) {
    this.act("keyword", { topic, doc: null, value });
    const own = this.topics.find((one) => one.topic === topic);
    if (own) own.keywords = value;
  }

  /** The event that undo, or redo, takes back; null if there is none. */
  toUndo(isRedo) {
    const log = this.log;
    const id = isRedo ? redoable(log) : undoable(log);
    return log.find((event) => event.id === id) ?? null;
  }

  /** The document so many places on, and its topic; null beyond the ends. */
  neighbour(step) {
    const all = this.topics.flatMap((topic) => topic.documents.map((doc) => [topic, doc]));
    const here = all.findIndex(([topic, doc]) => this.isOpen(topic.topic, doc.doc));
    return all[here + step] ?? null;
  }

  /** The document of these names, else the first that is not finished, else the first of all. */
  find(topicName, docName) {
    const all = this.topics.flatMap((topic) => topic.documents.map((doc) => [topic, doc]));
    return (
      all.find(([topic, doc]) => topic.topic === topicName && doc.doc === docName) ??
      all.find(([topic, doc]) => topic.topic === topicName && !doc.done) ??
      all.find(([topic]) => topic.topic === topicName) ??
      all.find(([topic, doc]) => !topic.locked && !doc.done) ??
      all[0] ??
      null
    );
  }

  /** {done, all, secondsLeft}; secondsLeft is null as long as nothing is finished. */
  get progress() {
    const documents = this.topics.flatMap((topic) => topic.documents);
    const done = documents.filter((doc) => doc.done).length;
    const left = documents.length - done;
    const secondsLeft = done ? (this.activeSeconds / done) * left : null;
    return { done, all: documents.length, secondsLeft };
  }

  /** Put a document outside of the pool on the desk, and wait until the server has it there. */
  async addDocument(name) {
    const topic = this.topic.topic;
    this.outbox.put({ topic, doc: name, kind: "add-document" });
    while (this.outbox.pending(topic, name).length) {
      const { kind } = this.outbox.state;
      if (kind !== "saving" && kind !== "saved") {
        throw new Error(`${name} is added when the server answers again`);
      }
      await new Promise((done) => setTimeout(done, 30));
    }
    await this.refresh();
    return this.find(topic, name);
  }

  /** Ask anew what is finished, by this tab or another. */
  refresh() {
    if (!this.#loading) return this.#load();
    // The answer that is under way may not know the latest acts.
    this.#next ??= this.#loading
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#load();
      });
    return this.#next;
  }

  #load() {
    this.#loading = fetched("api/desk")
      .then((answer) => {
        // Older than what was acknowledged meanwhile: the next answer, already asked for, knows it.
        if (this.#next && answer.number < this.outbox.number) return;
        this.#take(answer);
        this.#changed({ desk: true });
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }

  #take(answer) {
    const { topic, doc } = this;
    this.assessor = answer.assessor;
    this.campaign = answer.campaign;
    this.role = answer.role;
    this.settings = answer.settings;
    this.activeSeconds = answer.active_seconds;
    const before = this.topics ?? [];
    this.topics = answer.topics;
    this.#keepUnsent(before);
    if (!topic) return;
    // What is open stays open, as the new answer knows it.
    this.topic = this.topics.find((one) => one.topic === topic.topic) ?? topic;
    this.doc = this.topic.documents.find((one) => one.doc === doc.doc) ?? doc;
    this.#remember();
  }

  /** The server does not know yet what the outbox holds. */
  #keepUnsent(before) {
    for (const topic of before) {
      const now = this.topics.find((one) => one.topic === topic.topic);
      for (const doc of topic.documents) {
        if (!this.outbox.pending(topic.topic, doc.doc).length) continue;
        const own = now?.documents.find((one) => one.doc === doc.doc);
        if (own) Object.assign(own, { done: doc.done, relevant: doc.relevant });
      }
    }
  }

  async #heard(news) {
    if (this.text) this.#replay();
    this.#changed(news);
    if (news.reread) await this.#reread();
    // Nothing in one's own log tells that the organiser has unlocked a topic.
    else if (this.isLocked || news.events.some((event) => this.#changesDesk(event))) {
      this.#refreshQuietly();
    }
  }

  #changesDesk(event) {
    if (["add-document", "done", "undone", "keyword"].includes(event.kind)) return true;
    // What another tab does may take back that a document is finished.
    return event.tab !== this.tab && CHANGING.has(event.kind);
  }

  #refreshQuietly() {
    // The outbox tells when the server is out of reach.
    this.refresh().catch(() => {});
  }

  async #reread() {
    this.#refreshQuietly();
    if (!this.text) return;
    const { topic, doc } = this;
    try {
      const answer = await fetched("api/document", { topic: topic.topic, doc: doc.doc });
      if (!this.isOpen(topic.topic, doc.doc)) return;
      this.#fetched = answer.events;
      this.#replay();
      this.#changed({});
    } catch {
      // As above.
    }
  }

  #replay() {
    this.judgement = replayed(this.log);
    this.#remember();
  }

  #remember() {
    this.doc.done = this.judgement.done;
    this.doc.relevant = this.judgement.spans.length > 0;
  }
}
