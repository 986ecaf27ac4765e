// Plain words that an assessor looks for, underlined in every document of a topic.

import { byId } from "./elements.js";
import { say } from "./saying.js";
import { Written } from "./written.js";

export class Keywords {
  #desk;
  #layers;
  #field = byId("keywords");
  #written;

  /** `typed()` is called at each key. */
  constructor(desk, layers, typed) {
    this.#desk = desk;
    this.#layers = layers;
    this.#written = new Written(this.#field, {
      save: (text, topic) => this.#save(text.trim(), topic),
      typed: () => {
        this.draw();
        typed();
      },
      told: () => say(desk.keywords ? `keywords: ${desk.keywords}` : "no keywords"),
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

  /** Show what another tab or browser has written, unless somebody writes here. */
  changed() {
    const isOther = this.#field.value.toWellFormed().trim() !== this.#desk.keywords;
    if (isOther) this.start();
  }

  /** Whether something is written that is not kept yet. */
  get isUnkept() {
    return this.#written.isUnkept;
  }

  keep() {
    this.#written.keep();
  }

  draw() {
    const { text } = this.#desk;
    const words = this.#field.value.split(/[\s,;]+/).filter(Boolean);
    if (text) this.#layers.paint("keyword", text, text.found(words));
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
