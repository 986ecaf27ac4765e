// State of the page: the topics, the open document, its log, the outbox.

import { Outbox, sender } from "./outbox.js";
import { redoable, replayed, undoable } from "./replay.js";
import { DocumentText } from "./text.js";

// Acts that the server accepts while a topic is locked.
const OPEN_TO_ALL = new Set(["open", "leave", "return", "pool-shown", "pool-hidden", "keyword"]);

// Acts that may change how a document is listed, in addition to done and undone.
const CHANGING = new Set(["mark", "unmark", "entry", "no-entry", "undo"]);

// Milliseconds to wait for a response.
const TIMEOUT = 20_000;

/** JSON from the server; throws an Error whose message is a sentence for people. */
export async function fetchJson(path, params = {}) {
  const query = new URLSearchParams(params).toString();
  let response;
  try {
    const options = { credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT) };
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
  #openCount = 0;
  #fetched = [];
  #loading = null;
  #next = null;

  /** `answer` is the first payload of the server; `changed(news)` is called after each change. */
  constructor(answer, changed) {
    this.#changed = changed;
    this.#apply(answer);
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
      changed: (news) => this.#onNews(news),
    });
    this.outbox.start(answer.number);
  }

  /** Fetch a document, lay it out, log that it was opened; false if another was opened meanwhile. */
  async open(topicName, docName) {
    this.#openCount += 1;
    const openCount = this.#openCount;
    const answer = await fetchJson("api/document", { topic: topicName, doc: docName });
    if (openCount !== this.#openCount) return false;
    const text = new DocumentText(answer.text, answer.blocks);
    // Searched only now, because the topics may have been refreshed meanwhile.
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

  /** The person's events on the open document, in order. */
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

  /** Log an act on the open document; false if its topic is locked. */
  act(kind, fields = {}) {
    if (this.isLocked && !OPEN_TO_ALL.has(kind)) return false;
    this.outbox.put({ ...this.place, kind, ...fields });
    return true;
  }

  /** Log an act on the text of [start, stop), with its digest; false if the topic is locked. */
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

  /** The person's keywords for the open topic. */
  get keywords() {
    const unsent = this.outbox.pending(this.topic.topic, null);
    const last = unsent.findLast(({ kind }) => kind === "keyword");
    // Stored for the time between its acknowledgement and the next refresh.
    if (last) this.topic.keywords = last.value;
    return this.topic.keywords;
  }

  /** Log the keywords of a topic, which may be closed by now. */
  keepKeywords(topic, value) {
    this.act("keyword", { topic, doc: null, value });
    const entry = this.topics.find((item) => item.topic === topic);
    if (entry) entry.keywords = value;
  }

  /** The event that undo, or redo, reverts; null if there is none. */
  toUndo(isRedo) {
    const log = this.log;
    const id = isRedo ? redoable(log) : undoable(log);
    return log.find((event) => event.id === id) ?? null;
  }

  /** The document some steps on, and its topic; null beyond the ends. */
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
    const remaining = documents.length - done;
    const secondsLeft = done ? (this.activeSeconds / done) * remaining : null;
    return { done, all: documents.length, secondsLeft };
  }

  /** Add a document that is not in the pool, and wait until the server has it. */
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

  /** Fetch the topics again, with documents finished in any tab. */
  refresh() {
    if (!this.#loading) return this.#load();
    // The response that is on its way may lack the latest acts.
    this.#next ??= this.#loading
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#load();
      });
    return this.#next;
  }

  #load() {
    this.#loading = fetchJson("api/desk")
      .then((answer) => {
        // Older than an acknowledgement received meanwhile; the next request is already queued.
        if (this.#next && answer.number < this.outbox.number) return;
        this.#apply(answer);
        this.#changed({ desk: true });
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }

  #apply(answer) {
    const { topic, doc } = this;
    this.assessor = answer.assessor;
    this.campaign = answer.campaign;
    this.role = answer.role;
    this.settings = answer.settings;
    this.activeSeconds = answer.active_seconds;
    const previousTopics = this.topics ?? [];
    this.topics = answer.topics;
    this.#keepUnsent(previousTopics);
    if (!topic) return;
    // The open document stays open, with its new state.
    this.topic = this.topics.find((item) => item.topic === topic.topic) ?? topic;
    this.doc = this.topic.documents.find((item) => item.doc === doc.doc) ?? doc;
    this.#remember();
  }

  /** Keep the state of documents with unsent acts, which the server does not know yet. */
  #keepUnsent(previousTopics) {
    for (const topic of previousTopics) {
      const newTopic = this.topics.find((item) => item.topic === topic.topic);
      for (const doc of topic.documents) {
        if (!this.outbox.pending(topic.topic, doc.doc).length) continue;
        const entry = newTopic?.documents.find((item) => item.doc === doc.doc);
        if (entry) Object.assign(entry, { done: doc.done, relevant: doc.relevant });
      }
    }
  }

  async #onNews(news) {
    if (this.text) this.#replay();
    this.#changed(news);
    if (news.reread) await this.#refetch();
    // The person's log does not show that the organiser has unlocked a topic.
    else if (this.isLocked || news.events.some((event) => this.#changesTopics(event))) {
      this.#refreshQuietly();
    }
  }

  #changesTopics(event) {
    if (["add-document", "done", "undone", "keyword"].includes(event.kind)) return true;
    // An act in another tab may make a document unfinished.
    return event.tab !== this.tab && CHANGING.has(event.kind);
  }

  #refreshQuietly() {
    // The outbox reports if the server cannot be reached.
    this.refresh().catch(() => {});
  }

  async #refetch() {
    this.#refreshQuietly();
    if (!this.text) return;
    const { topic, doc } = this;
    try {
      const answer = await fetchJson("api/document", { topic: topic.topic, doc: doc.doc });
      if (!this.isOpen(topic.topic, doc.doc)) return;
      this.#fetched = answer.events;
      this.#replay();
      this.#changed({});
    } catch {
      // The outbox reports if the server cannot be reached.
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
