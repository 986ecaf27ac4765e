// Acts that the server has not acknowledged yet, stored in this browser for all tabs of a person.

const FIELDS = ["topic", "doc", "kind", "start", "stop", "value", "quote_sha256", "undoes"];
const MAX_REFUSALS = 1_000;

/** The unsent acts of one person in one campaign, in the order in which they were made. */
export class UnsentActs {
  #prefix;
  #refusedKey;
  #waiting = new Map(); // by key: acts that the server has not answered yet
  #inMemory = new Set(); // keys that could not be written to localStorage
  #refused = null; // refusals that could not be written to localStorage
  #lastPrefix = [0, 0];

  constructor(campaign, assessor) {
    // Encoded, so that no prefix is the beginning of another one.
    const owner = `${encodeURIComponent(campaign)}:${encodeURIComponent(assessor)}`;
    this.#prefix = `foveal:${owner}:`;
    this.#refusedKey = `foveal-refused:${owner}`;
    this.refresh();
  }

  /** Store a new act; returns it as an event with all its fields. */
  add(act, tab) {
    const event = { id: crypto.randomUUID(), tab, at_client: Date.now() };
    for (const field of FIELDS) event[field] = act[field] ?? null;
    this.enqueue(event);
    return event;
  }

  /** Store an event to be sent after all others. */
  enqueue(event) {
    const key = `${this.#nextPrefix()}:${event.id}`;
    this.#waiting.set(key, event);
    if (!this.#write(this.#prefix + key, JSON.stringify(event))) this.#inMemory.add(key);
  }

  /** Read acts that other tabs, or earlier pages, have stored; true if there are new ones. */
  refresh() {
    const previousCount = this.#waiting.size;
    for (const [key, event] of this.#stored()) {
      this.#waiting.set(key, event);
      this.#advanceTo(key);
    }
    return this.#waiting.size > previousCount;
  }

  /** All waiting acts, in order. */
  get events() {
    return this.#ordered([...this.#waiting]).map(([, event]) => event);
  }

  /** Acts to send: those stored by any tab, and those of this tab that could not be stored. */
  get toSend() {
    const inMemory = [...this.#waiting].filter(([key]) => this.#inMemory.has(key));
    return this.#ordered([...this.#stored(), ...inMemory]).map(([, event]) => event);
  }

  /** Number of acts that would be lost with this page, because they could not be stored. */
  get endangered() {
    return this.#inMemory.size;
  }

  /** Forget acts that the server has answered; `ids` is a set. */
  remove(ids) {
    for (const [key, event] of [...this.#waiting, ...this.#stored()]) {
      if (!ids.has(event.id)) continue;
      this.#waiting.delete(key);
      this.#inMemory.delete(key);
      this.#write(this.#prefix + key, null);
    }
  }

  /** Keys of waiting acts that another tab has sent or removed since. */
  get removedElsewhere() {
    const stored = new Set(this.#stored().map(([key]) => key));
    const waitingKeys = [...this.#waiting.keys()];
    return waitingKeys.filter((key) => !stored.has(key) && !this.#inMemory.has(key));
  }

  /** Forget waiting acts that another tab has sent or removed. */
  forget(keys) {
    for (const key of keys) this.#waiting.delete(key);
  }

  /** Refused acts with reasons, until they are dismissed in any tab. */
  get refused() {
    return this.#refused ?? parsed(this.#read(this.#refusedKey)) ?? [];
  }

  set refused(list) {
    const recent = list.slice(-MAX_REFUSALS);
    const isStored = this.#write(this.#refusedKey, recent.length ? JSON.stringify(recent) : null);
    this.#refused = isStored ? null : recent;
  }

  #stored() {
    const stored = [];
    for (const name of storedNames()) {
      if (!name.startsWith(this.#prefix)) continue;
      const event = parsed(this.#read(name));
      if (event?.id) stored.push([name.slice(this.#prefix.length), event]);
    }
    return stored;
  }

  #ordered(entries) {
    return entries.sort(([first], [second]) => (first < second ? -1 : Number(first > second)));
  }

  #nextPrefix() {
    const [time, counter] = this.#lastPrefix;
    const now = Date.now();
    // If the clock is set back, an undo must not sort before the event that it undoes.
    this.#lastPrefix = now > time ? [now, 0] : [time, counter + 1];
    return `${String(this.#lastPrefix[0]).padStart(15, "0")}:${String(this.#lastPrefix[1]).padStart(6, "0")}`;
  }

  #advanceTo(key) {
    const [time, counter] = key.split(":").map(Number);
    const [lastTime, lastCounter] = this.#lastPrefix;
    if (time > lastTime || (time === lastTime && counter > lastCounter)) {
      this.#lastPrefix = [time, counter];
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
