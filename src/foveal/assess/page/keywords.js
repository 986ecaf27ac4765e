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
    this.#field.value = remembered(this.#name);
    this.draw();
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

  get #name() {
    const { campaign, assessor, topic } = this.#desk;
    return `foveal-keywords:${JSON.stringify([campaign, assessor, topic.topic])}`;
  }

  #keep() {
    const value = this.#field.value.toWellFormed().trim();
    if (!this.#desk.text || value === remembered(this.#name)) return;
    try {
      localStorage.setItem(this.#name, value);
    } catch {
      // Without storage they last as long as this page.
    }
    this.#desk.act("keyword", { doc: null, value });
    say(value ? `keywords: ${value}` : "no keywords");
  }
}

function remembered(name) {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}
