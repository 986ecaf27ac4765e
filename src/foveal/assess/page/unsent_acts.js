// Acts that the server has not acknowledged yet, kept in this browser for all tabs of a person.

const FIELDS = ["topic", "doc", "kind", "start", "stop", "value", "quote_sha256", "undoes"];
const REMEMBERED = 1_000;

/** The unsent acts of one person in one campaign, in the order in which they were made. */
export class Unsent {
  #prefix;
  #refusedKey;
  #known = new Map(); // by key: what this tab has seen and the server has not answered yet
  #inMemory = new Set(); // keys that this browser did not let us store
  #refused = null; // refusals that this browser did not let us store
  #last = [0, 0];

  constructor(campaign, assessor) {
    // Encoded, so that no name is the beginning of another's keys.
    const owner = `${encodeURIComponent(campaign)}:${encodeURIComponent(assessor)}`;
    this.#prefix = `foveal:${owner}:`;
    this.#refusedKey = `foveal-refused:${owner}`;
    this.look();
  }

  /** Keep an act before anything else happens to it; returns it with all its fields. */
  add(act, tab) {
    const event = { id: crypto.randomUUID(), tab, at_client: Date.now() };
    for (const field of FIELDS) event[field] = act[field] ?? null;
    this.keep(event);
    return event;
  }

  /** Keep an event to be sent, behind all that wait. */
  keep(event) {
    const key = `${this.#nextPlace()}:${event.id}`;
    this.#known.set(key, event);
    if (!this.#write(this.#prefix + key, JSON.stringify(event))) this.#inMemory.add(key);
  }

  /** See what other tabs, or this one before it was closed, have left; true if that is new. */
  look() {
    const before = this.#known.size;
    for (const [key, event] of this.#stored()) {
      this.#known.set(key, event);
      this.#goPast(key);
    }
    return this.#known.size > before;
  }

  /** All acts that wait, in order. */
  get events() {
    return this.#ordered([...this.#known]).map(([, event]) => event);
  }

  /** What has to be sent: all that is stored, by whatever tab, or that could not be stored. */
  get toSend() {
    const held = [...this.#known].filter(([key]) => this.#inMemory.has(key));
    return this.#ordered([...this.#stored(), ...held]).map(([, event]) => event);
  }

  /** How many acts would be lost with this page, because the browser does not store them. */
  get endangered() {
    return this.#inMemory.size;
  }

  /** Forget acts that the server has answered; `ids` is a set. */
  remove(ids) {
    for (const [key, event] of [...this.#known, ...this.#stored()]) {
      if (!ids.has(event.id)) continue;
      this.#known.delete(key);
      this.#inMemory.delete(key);
      this.#write(this.#prefix + key, null);
    }
  }

  /** Keys of waiting acts that another tab has sent or dropped since. */
  get endedElsewhere() {
    const stored = new Set(this.#stored().map(([key]) => key));
    const known = [...this.#known.keys()];
    return known.filter((key) => !stored.has(key) && !this.#inMemory.has(key));
  }

  /** Forget waiting acts that another tab has sent or dropped. */
  forget(keys) {
    for (const key of keys) this.#known.delete(key);
  }

  /** What the server refused, with its reasons, until it is dismissed in any tab. */
  get refused() {
    return this.#refused ?? parsed(this.#read(this.#refusedKey)) ?? [];
  }

  set refused(list) {
    const kept = list.slice(-REMEMBERED);
    const isStored = this.#write(this.#refusedKey, kept.length ? JSON.stringify(kept) : null);
    this.#refused = isStored ? null : kept;
  }

  #stored() {
    const found = [];
    for (const name of storedNames()) {
      if (!name.startsWith(this.#prefix)) continue;
      const event = parsed(this.#read(name));
      if (event?.id) found.push([name.slice(this.#prefix.length), event]);
    }
    return found;
  }

  #ordered(entries) {
    return entries.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  }

  #nextPlace() {
    const [time, counter] = this.#last;
    const now = Date.now();
    // A clock that is set back must not bring an undo before what it undoes.
    this.#last = now > time ? [now, 0] : [time, counter + 1];
    return `${String(this.#last[0]).padStart(15, "0")}:${String(this.#last[1]).padStart(6, "0")}`;
  }

  #goPast(key) {
    const [time, counter] = key.split(":").map(Number);
    const [lastTime, lastCounter] = this.#last;
    if (time > lastTime || (time === lastTime && counter > lastCounter)) {
      this.#last = [time, counter];
    }
  }

  #read(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  #write(name, value) {
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, value);
      return true;
    } catch {
      return false;
    }
  }
}

function storedNames() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
