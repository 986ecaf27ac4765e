// What somebody writes into a field: kept soon after the last key, and before the page goes away.

// Milliseconds.
const AFTER_LAST_KEY = 1_000;

export class Written {
  #field;
  #save;
  #told;
  #shown = ""; // what the field had when it was last kept or shown
  #place = null;
  #timer = 0;

  /**
   * `save(text, place)` keeps a text and returns false if that is impossible; `typed()` is called at
   * each key; `told()` is called once something is kept and the cursor has left the field.
   */
  constructor(field, { save, typed, told }) {
    this.#field = field;
    this.#save = save;
    this.#told = told;
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.keep(), AFTER_LAST_KEY);
      typed();
    });
    field.addEventListener("change", () => {
      if (this.keep()) this.#told();
    });
    const keep = () => this.keep();
    // Captured, so that the outbox, which asks before it lets unsent acts go, knows of this one.
    addEventListener("beforeunload", keep, { capture: true });
    addEventListener("pagehide", keep, { capture: true });
    document.addEventListener("visibilitychange", keep, { capture: true });
  }

  /** Whether the field has something that is not kept yet. */
  get isUnkept() {
    return this.#field.value !== this.#shown;
  }

  /** Keep what is written, if that is new; false if it cannot be kept. */
  keep() {
    clearTimeout(this.#timer);
    if (!this.isUnkept) return true;
    const before = this.#shown;
    // First: to save draws the page, which shows what is kept.
    this.#shown = this.#field.value;
    if (this.#save(this.#field.value.toWellFormed(), this.#place)) return true;
    this.#shown = before;
    return false;
  }

  /** Show the text of a place; in the same place not while somebody writes there. */
  show(text, place) {
    const isOther = place !== this.#place;
    if (isOther) this.keep();
    else if (document.activeElement === this.#field || this.isUnkept) return;
    this.#place = place;
    // Compared as the field has it: browsers change ends of lines. Set anew, the cursor would jump.
    if (this.#field.value !== text) this.#field.value = text;
    this.#shown = this.#field.value;
  }
}
