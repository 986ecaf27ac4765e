// Plain words that an assessor looks for, underlined in every document of a topic.

import { byId } from "./elements.js";
import { say } from "./saying.js";

export class Keywords {
  #desk;
  #layers;
  #field = byId("keywords");

  constructor(desk, layers) {
    this.#desk = desk;
    this.#layers = layers;
    this.#field.addEventListener("change", () => this.#keep());
    this.#field.addEventListener("input", () => this.draw());
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#field.blur();
    });
  }

  /** The keywords of the topic that is open now. */
  start() {
    this.#field.value = this.#desk.keywords;
    this.draw();
  }

  /** Show what another tab or browser has written, unless somebody writes here. */
  changed() {
    const isOther = this.#field.value.toWellFormed().trim() !== this.#desk.keywords;
    if (isOther && document.activeElement !== this.#field) this.start();
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

  #keep() {
    const value = this.#field.value.toWellFormed().trim();
    if (!this.#desk.text || value === this.#desk.keywords) return;
    this.#desk.keywords = value;
    say(value ? `keywords: ${value}` : "no keywords");
  }
}
