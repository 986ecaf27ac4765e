// Nothing is ever "saved" by hand: every act is kept here until the server has it on disk.

import { joined } from "./replay.js";
import { batchOf, keptWords, MOST_EVENTS, outcomeOf } from "./sending.js";
import { Unsent } from "./unsent.js";

export { sender } from "./sending.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const BETWEEN_LOOKS = 15_000;
// How long another tab may take to send its own act before this one does it.
const FOR_OTHERS = 2_000;
const WENT_BACK =
  "the server has an older copy of the campaign now: look again at what you did last";

/**
 * The acts of one person in one campaign, on their way to the server.
 *
 * `send(events, after)` resolves to {status, body}, or rejects when the server is out of reach;
 * `sender("api/events")` makes one. `changed(news)` is called whenever there is something to show:
 * {state, events, refused, said, reread}: `state` as below, `events` that came from the server,
 * `refused` ones, `said` a sentence or "", `reread` true if the page must fetch all anew.
 */
export class Outbox {
  #send;
  #changed;
  #tab;
  #unsent;
  #channel;
  #lockName;
  #number = 0;
  #received = new Map(); // by id: own events that came from the server since the page was opened
  #trouble = null; // {kind, words, since} of the last request, if it failed
  #busy = false;
  #pause = FIRST_PAUSE;
  #most = MOST_EVENTS;
  #timer = 0;
  #late = null; // {ids, sent}: acts that had to wait, and how many of them are sent by now

  constructor({ campaign, assessor, tab, send, changed }) {
    this.#send = send;
    this.#changed = changed;
    this.#tab = tab;
    this.#unsent = new Unsent(campaign, assessor);
    this.#lockName = `foveal:${campaign}:${assessor}`;
    this.#channel = new BroadcastChannel(this.#lockName);
    this.#channel.addEventListener("message", ({ data }) => this.#heard(data));
    // Also when the network goes: a server on this very machine is still in reach.
    for (const name of ["online", "offline"]) addEventListener(name, () => this.#wake());
    addEventListener("beforeunload", (leaving) => {
      if (this.#unsent.events.length) leaving.preventDefault();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#wake();
    });
  }

  /** The number of the last own event that is known to be stored. */
  get number() {
    return this.#number;
  }

  /** Begin: send what is left over, and ask for events after `number`, the last that is known. */
  start(number) {
    this.#number = number;
    this.#wake();
  }

  /** Keep an act and send it; returns the event that was made of it. */
  put(act) {
    const event = this.#unsent.add(act, this.#tab);
    this.#channel.postMessage({ kind: "look" });
    // While the server is in trouble, acts wait for the next try.
    if (!this.#trouble) this.#wake();
    this.#tell();
    return event;
  }

  /** Acts on a document that the server has not acknowledged. */
  pending(topic, doc) {
    return this.#unsent.events.filter((event) => event.topic === topic && event.doc === doc);
  }

  /** Own events on a topic that are newer than the desk's answer, in no order. */
  since(topic) {
    const newer = [...this.#received.values(), ...this.#unsent.events];
    return newer.filter((event) => event.topic === topic);
  }

  /** All own events on a document in order: those that were fetched, newer ones, unsent ones. */
  log(topic, doc, fetched) {
    const newer = [...this.#received.values()].filter(
      (event) => event.topic === topic && event.doc === doc,
    );
    return joined([...fetched, ...newer], this.pending(topic, doc));
  }

  /** {kind, text, unsent}: kind is saved, saving, offline, full, broken, ended or refused. */
  get state() {
    const unsent = this.#unsent.events.length;
    const kept = unsent ? keptWords(unsent, this.#unsent.endangered) : "";
    const state = (kind, text) => ({ kind, text, unsent });
    if (this.#trouble?.kind === "offline") {
      const since = `offline since ${clock(this.#trouble.since)}`;
      return state("offline", kept ? `${since}, ${kept}` : since);
    }
    if (this.#trouble) {
      const { kind, words } = this.#trouble;
      return state(kind, kept ? `${words}${kind === "ended" ? ";" : ":"} ${kept}` : words);
    }
    if (unsent) return state("saving", this.#unsent.endangered ? `saving: ${kept}` : "saving");
    const refused = this.#unsent.refused.at(-1);
    return refused ? state("refused", `refused: ${refused.error}`) : state("saved", "saved");
  }

  /** What the server refused: {id, status, error, event}, until `dismiss`. */
  get refused() {
    return this.#unsent.refused;
  }

  /** The refusals have been read. */
  dismiss() {
    this.#unsent.refused = [];
    this.#channel.postMessage({ kind: "look" });
    this.#tell();
  }

  /** Send once more what was refused because its topic was locked. */
  retry() {
    const { refused } = this.#unsent;
    for (const one of refused.filter(isRetryable)) this.#unsent.keep(one.event);
    this.#unsent.refused = refused.filter((one) => !isRetryable(one));
    this.#channel.postMessage({ kind: "look" });
    this.#wake();
    this.#tell();
  }

  #tell(news = {}) {
    this.#changed({ events: [], refused: [], said: "", reread: false, ...news, state: this.state });
  }

  #wake() {
    clearTimeout(this.#timer);
    if (!this.#busy) void this.#deliver();
  }

  #later(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), pause);
  }

  async #deliver() {
    this.#busy = true;
    let delivered = false;
    try {
      do {
        delivered = await this.#alone(() => this.#round());
      } while (delivered && this.#unsent.toSend.length);
    } catch (error) {
      // Whatever goes wrong in the page must not end the sending.
      delivered = false;
      reportError(error);
    }
    this.#busy = false;
    if (!delivered) {
      this.#later(this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    } else if (document.visibilityState === "visible") {
      this.#later(BETWEEN_LOOKS);
    }
  }

  #alone(work) {
    // Without locks two tabs may send the same acts: they are stored once all the same.
    return navigator.locks ? navigator.locks.request(this.#lockName, work) : work();
  }

  /** One request; true if the server took it. */
  async #round() {
    this.#unsent.look();
    const events = batchOf(this.#unsent.toSend, this.#most);
    const ended = this.#unsent.endedElsewhere;
    const after = this.#number;
    let answer;
    try {
      answer = await this.#send(events, after);
    } catch {
      return this.#failed("offline", "");
    }
    const { kind, words } = outcomeOf(answer);
    if (kind === "too-large" && events.length) return this.#tooLarge(words, events, after);
    if (kind !== "delivered") return this.#failed(kind, words);
    this.#most = Math.min(MOST_EVENTS, 2 * this.#most);
    this.#unsent.forget(ended);
    const isAnswered = this.#delivered(answer.body, events, after);
    return isAnswered || this.#failed("broken", "the server does not say what it did");
  }

  #tooLarge(words, events, after) {
    this.#most = Math.max(1, Math.floor(events.length / 2));
    if (events.length === 1) {
      const refused = [{ id: events[0].id, status: 413, error: words }];
      this.#delivered({ refused, events: [], number: after }, events, after);
    }
    return true;
  }

  /** Take an answer; false if it says nothing about what was sent, so that it would be sent forever. */
  #delivered(body, events, after) {
    const refused = (body.refused ?? []).map((one) => ({
      ...one,
      event: events.find((event) => event.id === one.id) ?? null,
    }));
    const acknowledged = body.acknowledged ?? [];
    const ids = [...acknowledged, ...refused].map((one) => one.id);
    const stored = [...body.events, ...missing(body.events, acknowledged, events)];
    const news = { kind: "sent", after, number: body.number, events: stored, ids, refused };
    // Another tab that takes these over needs no request of its own.
    if (events.length) this.#channel.postMessage(news);
    if (refused.length) this.#unsent.refused = [...this.#unsent.refused, ...refused];
    this.#take(news);
    return !events.length || events.some((event) => ids.includes(event.id));
  }

  #take({ after, ids, events, number, refused }) {
    // The organiser has gone back to an older copy of the campaign.
    const wentBack = number < after;
    if (wentBack) this.#received.clear();
    for (const event of events) this.#received.set(event.id, event);
    this.#endTrouble();
    // Only now: an act must never be missing both here and there.
    this.#unsent.remove(new Set([...ids, ...events.map((event) => event.id)]));
    this.#number = wentBack ? number : Math.max(number, this.#number);
    const reread = wentBack || refused.length > 0;
    const said = this.#caughtUp(refused);
    this.#tell({ events, refused, reread, said: wentBack ? WENT_BACK : said });
  }

  #endTrouble() {
    if (!this.#trouble) return;
    this.#trouble = null;
    this.#pause = FIRST_PAUSE;
    const ids = new Set(this.#unsent.events.map((event) => event.id));
    this.#late = { ids, sent: this.#late?.sent ?? 0 };
  }

  /** What to say once all that had to wait is sent; whoever works on has newer acts on the way. */
  #caughtUp(refused) {
    if (!this.#late) return "";
    const { ids } = this.#late;
    const unsent = new Set(this.#unsent.events.map((event) => event.id));
    const gone = [...ids].filter((id) => !unsent.has(id));
    for (const id of gone) ids.delete(id);
    const isRefused = new Set(refused.map((one) => one.id));
    this.#late.sent += gone.filter((id) => !isRefused.has(id)).length;
    if (ids.size) return "";
    const { sent } = this.#late;
    this.#late = null;
    return sent ? `caught up: ${sent} ${sent === 1 ? "act" : "acts"} sent` : "caught up";
  }

  #failed(kind, words) {
    const since = this.#trouble?.since ?? Date.now();
    this.#trouble = { kind, words, since };
    this.#tell();
    return false;
  }

  #heard(message) {
    if (message.kind === "look") {
      this.#unsent.look();
      this.#tell();
      if (!this.#trouble) this.#later(FOR_OTHERS);
    } else if (message.after <= this.#number) {
      this.#take(message);
    } else {
      this.#wake();
    }
  }
}

/** Whether a refusal may be over when the organiser unlocks the topic. */
export function isRetryable({ status, event }) {
  return status === 423 && event !== null;
}

/** What was acknowledged and not told: the server tells only what is newer than the page knows. */
function missing(told, acknowledged, events) {
  const numbers = new Map(acknowledged.map(({ id, number }) => [id, number]));
  for (const { id } of told) numbers.delete(id);
  return events
    .filter(({ id }) => numbers.has(id))
    .map((event) => ({ ...event, number: numbers.get(event.id) }));
}

function clock(time) {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
