// Keywords of an assessor, underlined in every document of a topic.

import { byId } from "./elements.js";
import { say } from "./messages.js";
import { SavedField } from "./fields.js";

export class Keywords {
  #desk;
  #layers;
  #field = byId("keywords");
  #written;

  /** `typed()` is called at each key. */
  constructor(desk, layers, typed) {
    this.#desk = desk;
    this.#layers = layers;
    this.#written = new SavedField(this.#field, {
      save: (text, topic) => this.#save(text.trim(), topic),
      onInput: () => {
        this.draw();
        typed();
      },
      onSaved: () => say(desk.keywords ? `keywords: ${desk.keywords}` : "no keywords"),
    });
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#field.blur();
    });
  }

  /** The keywords of the topic that is open now. */
  start() {
    this.#written.show(this.#desk.keywords, this.#desk.topic.topic);
    this.draw();
  }

  /** Show keywords from another tab or browser, unless the field is being edited. */
  changed() {
    const isOther = this.#field.value.toWellFormed().trim() !== this.#desk.keywords;
    if (isOther) this.start();
  }

  /** Whether the field has text that is not saved yet. */
  get isUnsaved() {
    return this.#written.isUnsaved;
  }

  keep() {
    this.#written.keep();
  }

  draw() {
    const { text } = this.#desk;
    const words = this.#field.value.split(/[\s,;]+/).filter(Boolean);
    if (text) this.#layers.paint("keyword", text, text.spansOf(words));
  }

  write() {
    this.#field.focus();
    this.#field.select();
  }

  #save(words, topic) {
    if (topic === null) return false;
    if (words !== this.#desk.keywords || topic !== this.#desk.topic.topic) {
      this.#desk.keepKeywords(topic, words);
    }
    return true;
  }
}
