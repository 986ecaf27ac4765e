// Text fields that are saved soon after the last key, and before the page is closed.

// Milliseconds.
const AFTER_LAST_KEY = 1_000;

export class SavedField {
  #field;
  #save;
  #onSaved;
  #saved = ""; // the text of the field when it was last saved or shown
  #owner = null;
  #timer = 0;

  /**
   * `save(text, owner)` saves a text and returns false if that is impossible; `onInput()` is called at
   * each key; `onSaved()` is called when a text is saved after the cursor has left the field.
   */
  constructor(field, { save, onInput, onSaved }) {
    this.#field = field;
    this.#save = save;
    this.#onSaved = onSaved;
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.keep(), AFTER_LAST_KEY);
      onInput();
    });
    field.addEventListener("change", () => {
      if (this.keep()) this.#onSaved();
    });
    const keep = () => this.keep();
    // Captured, so that the text is in the outbox before the outbox checks for unsent acts.
    addEventListener("beforeunload", keep, { capture: true });
    addEventListener("pagehide", keep, { capture: true });
    document.addEventListener("visibilitychange", keep, { capture: true });
  }

  /** Whether the field has text that is not saved yet. */
  get isUnsaved() {
    return this.#field.value !== this.#saved;
  }

  /** Save the text, if it is new; false if it cannot be saved. */
  keep() {
    clearTimeout(this.#timer);
    if (!this.isUnsaved) return true;
    const previous = this.#saved;
    // Set first, because saving draws the page, which shows the saved text.
    this.#saved = this.#field.value;
    if (this.#save(this.#field.value.toWellFormed(), this.#owner)) return true;
    this.#saved = previous;
    return false;
  }

  /** Show the text of an owner; not while the person edits the text of the same owner. */
  show(text, owner) {
    const isOtherOwner = owner !== this.#owner;
    if (isOtherOwner) this.keep();
    else if (document.activeElement === this.#field || this.isUnsaved) return;
    this.#owner = owner;
    // Compared with the field's value, because browsers change line ends; setting it moves the cursor.
    if (this.#field.value !== text) this.#field.value = text;
    this.#saved = this.#field.value;
  }
}
