// Layers drawn over the text with the CSS Custom Highlight API, without changing elements.

// From the lowest up: of two backgrounds the upper one is visible.
const ORDER = ["pooled", "marked", "keyword", "pending", "cursor", "entry"];

/** A required feature that this browser lacks; "" if it has all. */
export function missingFeature() {
  if (typeof Highlight !== "function" || !globalThis.CSS?.highlights) return "CSS highlights";
  if (typeof Intl.Segmenter !== "function") return "Intl.Segmenter";
  // Browsers offer these only to pages from this machine or over https.
  if (!globalThis.crypto?.subtle || !crypto.randomUUID) return "a secure connection (https)";
  return "";
}

export class Layers {
  #highlights = new Map();

  constructor() {
    ORDER.forEach((name, index) => this.add(name, 10 * index));
  }

  /** Add a layer, which style sheets call ::highlight(name). */
  add(name, priority) {
    const highlight = new Highlight();
    highlight.priority = priority;
    CSS.highlights.set(name, highlight);
    this.#highlights.set(name, highlight);
  }

  /** Draw a layer at these spans of a text, and nowhere else. */
  paint(name, text, spans) {
    const highlight = this.#highlights.get(name);
    highlight.clear();
    for (const [start, stop] of spans) if (start < stop) highlight.add(text.range(start, stop));
  }

  clear() {
    for (const highlight of this.#highlights.values()) highlight.clear();
  }
}
