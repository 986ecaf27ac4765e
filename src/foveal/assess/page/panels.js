// The side panel: topic, highlights, documents; drawn from the state of the desk.

import { aspectList } from "./aspects.js";
import { button, byId, counted, create, isolated, excerpt } from "./elements.js";
import { guideOf } from "./guide.js";
import { progressText } from "./acts.js";

const STATES = {
  open: ["○", "not finished"],
  relevant: ["●", "finished, relevant"],
  nothing: ["✓", "finished, nothing relevant"],
};

// Acts whose buttons are disabled while a topic is locked.
const JUDGING = ["highlight", "unhighlight", "aspect", "set-entry", "undo", "redo", "nothing", "finish"];

export class Panels {
  #desk;
  #marking;
  #go;
  #drawn = {};

  /** `go(topic, doc)` opens another document. */
  constructor(desk, marking, go) {
    this.#desk = desk;
    this.#marking = marking;
    this.#go = go;
    this.#listenToTopics();
    if (desk.settings.guide.trim()) {
      byId("guide").append(...guideOf(desk.settings.guide));
      byId("guide-fold").hidden = false;
    }
    byId("pool").hidden = !desk.settings.show_pool;
  }

  /** Draw the current state; only parts that have changed are drawn again. */
  draw() {
    const { topic, doc, judgement, isLocked, topics } = this.#desk;
    byId("progress").textContent = progressText(this.#desk.progress);
    this.#drawOnce("topics", topics.map((item) => [item.topic, ...countsOf(item)]), () => this.#topics());
    if (!topic) return;
    byId("topic").value = topic.topic;
    this.#drawOnce("name", [topic.topic, doc.doc], () => this.#name());
    this.#drawOnce("about", [topic.topic], () => this.#about());
    const open = [topic.topic, doc.doc, isLocked];
    const { spans, aspects } = judgement;
    this.#drawOnce("passages", [open, spans, aspects], () => this.#passages());
    this.#drawOnce("entry", [open, judgement.entry], () => this.#entry());
    this.#drawOnce("documents", [topic.topic, doc.doc, topic.documents], () => this.#documents());
    this.#setButtons(judgement);
  }

  #listenToTopics() {
    let isPointed = false;
    byId("topic").addEventListener("pointerdown", () => (isPointed = true));
    byId("topic").addEventListener("keydown", () => (isPointed = false));
    byId("topic").addEventListener("change", ({ target }) => {
      const found = this.#desk.find(target.value, null);
      if (found) void this.#go(...found);
      // After a choice by pointer, letters must act as keys again, not choose topics.
      if (isPointed) target.blur();
    });
  }

  #drawOnce(name, state, draw) {
    const words = JSON.stringify(state);
    if (this.#drawn[name] === words) return;
    this.#drawn[name] = words;
    draw();
  }

  #topics() {
    const options = this.#desk.topics.map((topic) => {
      const [done, all] = countsOf(topic);
      const title = excerpt(topic.title || topic.description || topic.narrative, 50);
      const words = [topic.topic, title].filter(Boolean).join(" · ");
      return create("option", { value: topic.topic }, `${words} (${done}/${all})`);
    });
    byId("topic").replaceChildren(...options);
  }

  #name() {
    const { doc, topic } = this.#desk;
    byId("name").replaceChildren(isolated(doc.doc));
    document.title = `${doc.doc} – topic ${topic.topic}`;
  }

  #about() {
    const { title, topic, narrative, description } = this.#desk.topic;
    const parts = [
      create("h2", { class: "title" }, isolated(title || `Topic ${topic}`)),
      narrative && create("p", { dir: "auto", class: "narrative" }, narrative),
      description && create("p", { dir: "auto", class: "muted" }, description),
    ];
    byId("about").replaceChildren(...parts.filter(Boolean));
  }

  #passages() {
    const { text, judgement, isLocked } = this.#desk;
    const rows = judgement.spans.map((span, index) => {
      const quote = excerpt(text.slice(span[0], Math.min(span[1], span[0] + 400)), 90);
      const jump = button(quote || "blanks", () => this.#marking.jump(span[0]), {
        class: "quote", dir: "auto", title: `${counted(span[1] - span[0], "character")}: go there`,
      });
      const remove = button("×", () => this.#marking.remove(span), {
        class: "remove", title: "Remove this highlight", disabled: isLocked,
        "aria-label": `Remove highlight ${index + 1}: ${excerpt(quote, 30)}`,
      });
      const parts = { desk: this.#desk, marking: this.#marking };
      return create("li", {}, jump, remove, aspectList(span, index, parts));
    });
    replaceLines(byId("passages"), rows, byId("judged-title"));
    byId("no-passages").hidden = rows.length > 0;
  }

  #entry() {
    const { text, judgement, settings, isLocked } = this.#desk;
    const container = byId("entry");
    if (settings.entry === "none") {
      container.replaceChildren();
      return;
    }
    const head = create("h3", {}, "Entry point");
    if (judgement.entry === null) {
      const isRequired = settings.entry === "required";
      const note = isRequired ? "Not set: a relevant document needs one." : "Not set.";
      replaceLines(container, [head, create("p", { class: "muted" }, note)], head);
      return;
    }
    const offset = judgement.entry;
    const quote = excerpt(text.slice(offset, Math.min(offset + 200, text.length)), 60);
    const jump = button(quote || "the end", () => this.#marking.jump(offset), {
      class: "quote", dir: "auto", title: "Go there",
    });
    const remove = button("×", () => this.#marking.removeEntry(), {
      class: "remove", title: "Remove the entry point (Shift+b)", disabled: isLocked,
      "aria-label": "Remove the entry point", "aria-keyshortcuts": "Shift+b",
    });
    replaceLines(container, [head, create("div", { class: "line" }, jump, remove)], head);
  }

  #documents() {
    const { topic, doc } = this.#desk;
    const rows = topic.documents.map((entry) => {
      const [sign, words] = STATES[entry.done ? (entry.relevant ? "relevant" : "nothing") : "open"];
      const openButton = button(isolated(entry.doc), () => this.#go(topic, entry), {
        "aria-current": entry === doc ? "true" : null,
      });
      const notes = [words, entry.added && "added", entry.disputed && "disputed"].filter(Boolean);
      openButton.prepend(create("span", { class: "sign", "aria-hidden": "true" }, sign));
      openButton.append(create("span", { class: "hidden" }, ` (${notes.join(", ")})`));
      if (entry.added) openButton.append(create("span", { class: "tag", "aria-hidden": "true" }, "added"));
      return create("li", {}, openButton);
    });
    const currentButton = rows[topic.documents.indexOf(doc)]?.firstChild;
    replaceLines(byId("documents"), rows, currentButton ?? byId("documents"));
    const [done, all] = countsOf(topic);
    byId("documents-count").textContent = `${done} of ${all} finished`;
  }

  #setButtons(judgement) {
    const { isLocked } = this.#desk;
    for (const name of JUDGING) {
      for (const element of document.querySelectorAll(`[data-act="${name}"]`)) element.disabled = isLocked;
    }
    byId("note").readOnly = isLocked;
    byId("adding").hidden = isLocked;
    const finish = document.querySelector("[data-act=finish]");
    finish.setAttribute("aria-pressed", String(judgement.done));
  }
}

/** Replace the lines of an element; if one of them had the focus, `heir` gets it. */
function replaceLines(container, lines, heir) {
  const hadFocus = container.contains(document.activeElement);
  container.replaceChildren(...lines);
  if (!hadFocus) return;
  if (heir.tabIndex < 0) heir.tabIndex = -1;
  heir.focus({ preventScroll: true });
}

function countsOf(topic) {
  return [topic.documents.filter((doc) => doc.done).length, topic.documents.length];
}
