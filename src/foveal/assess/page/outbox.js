// The outbox: it stores every act until the server has it on disk; nobody has to press "save".

import { mergedLog } from "./replay.js";
import { batchOf, keptText, MOST_EVENTS, outcomeOf } from "./requests.js";
import { UnsentActs } from "./unsent_acts.js";

export { sender } from "./requests.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const POLL_INTERVAL = 15_000;
// Milliseconds that another tab has to send its act before this tab does.
const OTHER_TAB_DELAY = 2_000;
const RESTORED_TEXT =
  "the server has an older copy of the campaign now: look again at what you did last";

/**
 * The acts of one person in one campaign, on their way to the server.
 *
 * `send(events, after)` resolves to {status, body}, or rejects when the server is out of reach;
 * `sender("api/events")` makes one. `changed(news)` is called whenever there is something to show:
 * {state, events, refused, said, reread}: `state` as below, `events` from the server, `refused`
 * ones, `said` a message or "", `reread` true if the page must fetch everything again.
 */
export class Outbox {
  #send;
  #changed;
  #tab;
  #unsentActs;
  #channel;
  #lockName;
  #number = 0;
  #received = new Map(); // by id: the person's events that came from the server since the page was opened
  #trouble = null; // {kind, text, since} of the last request, if it failed
  #isSending = false;
  #pause = FIRST_PAUSE;
  #batchSize = MOST_EVENTS;
  #timer = 0;
  #delayed = null; // {ids, sent}: acts that had to wait, and the number of those sent by now

  constructor({ campaign, assessor, tab, send, changed }) {
    this.#send = send;
    this.#changed = changed;
    this.#tab = tab;
    this.#unsentActs = new UnsentActs(campaign, assessor);
    this.#lockName = `foveal:${campaign}:${assessor}`;
    this.#channel = new BroadcastChannel(this.#lockName);
    this.#channel.addEventListener("message", ({ data }) => this.#onMessage(data));
    // Also when the network is lost, because a server on the same machine can still be reached.
    for (const name of ["online", "offline"]) addEventListener(name, () => this.#wake());
    addEventListener("beforeunload", (unloading) => {
      if (this.#unsentActs.events.length) unloading.preventDefault();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#wake();
    });
  }

  /** Number of the person's last event that is known to be stored. */
  get number() {
    return this.#number;
  }

  /** Start: send waiting acts, and ask for events after `number`, the last known one. */
  start(number) {
    this.#number = number;
    this.#wake();
  }

  /** Store an act and send it; returns it as an event. */
  put(act) {
    const event = this.#unsentActs.add(act, this.#tab);
    this.#channel.postMessage({ kind: "look" });
    // After a failed request, acts wait for the next attempt.
    if (!this.#trouble) this.#wake();
    this.#notify();
    return event;
  }

  /** Acts on a document that the server has not acknowledged. */
  pending(topic, doc) {
    return this.#unsentActs.events.filter((event) => event.topic === topic && event.doc === doc);
  }

  /** The person's events on a topic that are newer than the last response, in any order. */
  since(topic) {
    const newer = [...this.#received.values(), ...this.#unsentActs.events];
    return newer.filter((event) => event.topic === topic);
  }

  /** All of the person's events on a document in order: fetched, newer and unsent ones. */
  log(topic, doc, fetched) {
    const newer = [...this.#received.values()].filter(
      (event) => event.topic === topic && event.doc === doc,
    );
    return mergedLog([...fetched, ...newer], this.pending(topic, doc));
  }

  /** {kind, text, unsent}: kind is saved, saving, offline, full, broken, ended or refused. */
  get state() {
    const unsent = this.#unsentActs.events.length;
    const kept = unsent ? keptText(unsent, this.#unsentActs.endangered) : "";
    const state = (kind, text) => ({ kind, text, unsent });
    if (this.#trouble?.kind === "offline") {
      const since = `offline since ${clock(this.#trouble.since)}`;
      return state("offline", kept ? `${since}, ${kept}` : since);
    }
    if (this.#trouble) {
      const { kind, text } = this.#trouble;
      return state(kind, kept ? `${text}${kind === "ended" ? ";" : ":"} ${kept}` : text);
    }
    if (unsent) return state("saving", this.#unsentActs.endangered ? `saving: ${kept}` : "saving");
    const refused = this.#unsentActs.refused.at(-1);
    return refused ? state("refused", `refused: ${refused.error}`) : state("saved", "saved");
  }

  /** Refused acts as {id, status, error, event}, until `dismiss`. */
  get refused() {
    return this.#unsentActs.refused;
  }

  /** Remove the refusals, which the person has read. */
  dismiss() {
    this.#unsentActs.refused = [];
    this.#channel.postMessage({ kind: "look" });
    this.#notify();
  }

  /** Send acts again that were refused because their topic was locked. */
  retry() {
    const { refused } = this.#unsentActs;
    for (const refusal of refused.filter(isRetryable)) this.#unsentActs.enqueue(refusal.event);
    this.#unsentActs.refused = refused.filter((refusal) => !isRetryable(refusal));
    this.#channel.postMessage({ kind: "look" });
    this.#wake();
    this.#notify();
  }

  #notify(news = {}) {
    this.#changed({ events: [], refused: [], said: "", reread: false, ...news, state: this.state });
  }

  #wake() {
    clearTimeout(this.#timer);
    if (!this.#isSending) void this.#deliver();
  }

  #schedule(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), pause);
  }

  async #deliver() {
    this.#isSending = true;
    let delivered = false;
    try {
      do {
        delivered = await this.#withLock(() => this.#sendBatch());
      } while (delivered && this.#unsentActs.toSend.length);
    } catch (error) {
      // An error in the page must not stop the sending.
      delivered = false;
      reportError(error);
    }
    this.#isSending = false;
    if (!delivered) {
      this.#schedule(this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    } else if (document.visibilityState === "visible") {
      this.#schedule(POLL_INTERVAL);
    }
  }

  #withLock(task) {
    // Without locks two tabs may send the same acts, but the server stores each only once.
    return navigator.locks ? navigator.locks.request(this.#lockName, task) : task();
  }

  /** One request; true if the server took it. */
  async #sendBatch() {
    this.#unsentActs.refresh();
    const events = batchOf(this.#unsentActs.toSend, this.#batchSize);
    const removedKeys = this.#unsentActs.removedElsewhere;
    const after = this.#number;
    let response;
    try {
      response = await this.#send(events, after);
    } catch {
      return this.#failed("offline", "");
    }
    const { kind, text } = outcomeOf(response);
    if (kind === "too-large" && events.length) return this.#tooLarge(text, events, after);
    if (kind !== "delivered") return this.#failed(kind, text);
    this.#batchSize = Math.min(MOST_EVENTS, 2 * this.#batchSize);
    this.#unsentActs.forget(removedKeys);
    const isUnderstood = this.#delivered(response.body, events, after);
    return isUnderstood || this.#failed("broken", "the server does not say what it did");
  }

  #tooLarge(text, events, after) {
    this.#batchSize = Math.max(1, Math.floor(events.length / 2));
    if (events.length === 1) {
      const refused = [{ id: events[0].id, status: 413, error: text }];
      this.#delivered({ refused, events: [], number: after }, events, after);
    }
    return true;
  }

  /** Apply a response; false if it does not mention the sent events, which would be sent forever. */
  #delivered(body, events, after) {
    const refused = (body.refused ?? []).map((refusal) => ({
      ...refusal,
      event: events.find((event) => event.id === refusal.id) ?? null,
    }));
    const acknowledged = body.acknowledged ?? [];
    const ids = [...acknowledged, ...refused].map((refusal) => refusal.id);
    const stored = [...body.events, ...missing(body.events, acknowledged, events)];
    const news = { kind: "sent", after, number: body.number, events: stored, ids, refused };
    // Other tabs apply these without a request.
    if (events.length) this.#channel.postMessage(news);
    if (refused.length) this.#unsentActs.refused = [...this.#unsentActs.refused, ...refused];
    this.#apply(news);
    return !events.length || events.some((event) => ids.includes(event.id));
  }

  #apply({ after, ids, events, number, refused }) {
    // The organiser has restored an older copy of the campaign.
    const wentBack = number < after;
    if (wentBack) this.#received.clear();
    for (const event of events) this.#received.set(event.id, event);
    this.#endTrouble();
    // Removed only now, so that an act is always either received or unsent.
    this.#unsentActs.remove(new Set([...ids, ...events.map((event) => event.id)]));
    this.#number = wentBack ? number : Math.max(number, this.#number);
    const reread = wentBack || refused.length > 0;
    const said = this.#caughtUpText(refused);
    this.#notify({ events, refused, reread, said: wentBack ? RESTORED_TEXT : said });
  }

  #endTrouble() {
    if (!this.#trouble) return;
    this.#trouble = null;
    this.#pause = FIRST_PAUSE;
    const ids = new Set(this.#unsentActs.events.map((event) => event.id));
    this.#delayed = { ids, sent: this.#delayed?.sent ?? 0 };
  }

  /** Message once all delayed acts are sent, even if newer acts are still waiting; else "". */
  #caughtUpText(refused) {
    if (!this.#delayed) return "";
    const { ids } = this.#delayed;
    const unsent = new Set(this.#unsentActs.events.map((event) => event.id));
    const finished = [...ids].filter((id) => !unsent.has(id));
    for (const id of finished) ids.delete(id);
    const refusedIds = new Set(refused.map((refusal) => refusal.id));
    this.#delayed.sent += finished.filter((id) => !refusedIds.has(id)).length;
    if (ids.size) return "";
    const { sent } = this.#delayed;
    this.#delayed = null;
    return sent ? `caught up: ${sent} ${sent === 1 ? "act" : "acts"} sent` : "caught up";
  }

  #failed(kind, text) {
    const since = this.#trouble?.since ?? Date.now();
    this.#trouble = { kind, text, since };
    this.#notify();
    return false;
  }

  #onMessage(message) {
    if (message.kind === "look") {
      this.#unsentActs.refresh();
      this.#notify();
      if (!this.#trouble) this.#schedule(OTHER_TAB_DELAY);
    } else if (message.after <= this.#number) {
      this.#apply(message);
    } else {
      this.#wake();
    }
  }
}

/** Whether a refused act can be sent again when the topic is unlocked. */
export function isRetryable({ status, event }) {
  return status === 423 && event !== null;
}

/** Acknowledged events that the response lacks: it has only those after the last known number. */
function missing(sentEvents, acknowledged, events) {
  const numbers = new Map(acknowledged.map(({ id, number }) => [id, number]));
  for (const { id } of sentEvents) numbers.delete(id);
  return events
    .filter(({ id }) => numbers.has(id))
    .map((event) => ({ ...event, number: numbers.get(event.id) }));
}

function clock(time) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
