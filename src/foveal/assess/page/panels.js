// What is beside the text: topic, highlights, documents. Redrawn from the desk, never read.

import { aspectList } from "./aspects.js";
import { button, byId, counted, made, named, opening } from "./elements.js";
import { guideOf } from "./guide.js";
import { progressWords } from "./acts.js";

const STATES = {
  open: ["○", "not finished"],
  relevant: ["●", "finished, relevant"],
  nothing: ["✓", "finished, nothing relevant"],
};

// What cannot be pressed while a topic is locked.
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
    this.#chooseTopics();
    if (desk.settings.guide.trim()) {
      byId("guide").append(...guideOf(desk.settings.guide));
      byId("guide-fold").hidden = false;
    }
    byId("pool").hidden = !desk.settings.show_pool;
  }

  /** Show what the desk says now; only what has changed is made anew. */
  draw() {
    const { topic, doc, judgement, isLocked, topics } = this.#desk;
    byId("progress").textContent = progressWords(this.#desk.progress);
    this.#once("topics", topics.map((one) => [one.topic, ...countsOf(one)]), () => this.#topics());
    if (!topic) return;
    byId("topic").value = topic.topic;
    this.#once("name", [topic.topic, doc.doc], () => this.#name());
    this.#once("about", [topic.topic], () => this.#about());
    const open = [topic.topic, doc.doc, isLocked];
    const { spans, aspects } = judgement;
    this.#once("passages", [open, spans, aspects], () => this.#passages());
    this.#once("entry", [open, judgement.entry], () => this.#entry());
    this.#once("documents", [topic.topic, doc.doc, topic.documents], () => this.#documents());
    this.#switches(judgement);
  }

  #chooseTopics() {
    let isPointed = false;
    byId("topic").addEventListener("pointerdown", () => (isPointed = true));
    byId("topic").addEventListener("keydown", () => (isPointed = false));
    byId("topic").addEventListener("change", ({ target }) => {
      const found = this.#desk.find(target.value, null);
      if (found) void this.#go(...found);
      // Whoever points goes on with the text, where letters are keys and do not choose topics.
      if (isPointed) target.blur();
    });
  }

  #once(name, state, draw) {
    const words = JSON.stringify(state);
    if (this.#drawn[name] === words) return;
    this.#drawn[name] = words;
    draw();
  }

  #topics() {
    const options = this.#desk.topics.map((topic) => {
      const [done, all] = countsOf(topic);
      const title = opening(topic.title || topic.description || topic.narrative, 50);
      const words = [topic.topic, title].filter(Boolean).join(" · ");
      return made("option", { value: topic.topic }, `${words} (${done}/${all})`);
    });
    byId("topic").replaceChildren(...options);
  }

  #name() {
    const { doc, topic } = this.#desk;
    byId("name").replaceChildren(named(doc.doc));
    document.title = `${doc.doc} – topic ${topic.topic}`;
  }

  #about() {
    const { title, topic, narrative, description } = this.#desk.topic;
    const parts = [
      made("h2", { class: "title" }, named(title || `Topic ${topic}`)),
      narrative && made("p", { dir: "auto", class: "narrative" }, narrative),
      description && made("p", { dir: "auto", class: "muted" }, description),
    ];
    byId("about").replaceChildren(...parts.filter(Boolean));
  }

  #passages() {
    const { text, judgement, isLocked } = this.#desk;
    const rows = judgement.spans.map((span, place) => {
      const quote = opening(text.slice(span[0], Math.min(span[1], span[0] + 400)), 90);
      const jump = button(quote || "blanks", () => this.#marking.jump(span[0]), {
        class: "quote", dir: "auto", title: `${counted(span[1] - span[0], "character")}: go there`,
      });
      const remove = button("×", () => this.#marking.remove(span), {
        class: "remove", title: "Remove this highlight", disabled: isLocked,
        "aria-label": `Remove highlight ${place + 1}: ${opening(quote, 30)}`,
      });
      const parts = { desk: this.#desk, marking: this.#marking };
      return made("li", {}, jump, remove, aspectList(span, place, parts));
    });
    replaced(byId("passages"), rows, byId("judged-title"));
    byId("no-passages").hidden = rows.length > 0;
  }

  #entry() {
    const { text, judgement, settings, isLocked } = this.#desk;
    const place = byId("entry");
    if (settings.entry === "none") {
      place.replaceChildren();
      return;
    }
    const head = made("h3", {}, "Entry point");
    if (judgement.entry === null) {
      const isRequired = settings.entry === "required";
      const none = isRequired ? "Not set: a relevant document needs one." : "Not set.";
      replaced(place, [head, made("p", { class: "muted" }, none)], head);
      return;
    }
    const at = judgement.entry;
    const quote = opening(text.slice(at, Math.min(at + 200, text.length)), 60);
    const jump = button(quote || "the end", () => this.#marking.jump(at), {
      class: "quote", dir: "auto", title: "Go there",
    });
    const remove = button("×", () => this.#marking.removeEntry(), {
      class: "remove", title: "Remove the entry point (Shift+b)", disabled: isLocked,
      "aria-label": "Remove the entry point", "aria-keyshortcuts": "Shift+b",
    });
    replaced(place, [head, made("div", { class: "line" }, jump, remove)], head);
  }

  #documents() {
    const { topic, doc } = this.#desk;
    const rows = topic.documents.map((one) => {
      const [sign, words] = STATES[one.done ? (one.relevant ? "relevant" : "nothing") : "open"];
      const own = button(named(one.doc), () => this.#go(topic, one), {
        "aria-current": one === doc ? "true" : null,
      });
      const notes = [words, one.added && "added", one.disputed && "disputed"].filter(Boolean);
      own.prepend(made("span", { class: "sign", "aria-hidden": "true" }, sign));
      own.append(made("span", { class: "hidden" }, ` (${notes.join(", ")})`));
      if (one.added) own.append(made("span", { class: "tag", "aria-hidden": "true" }, "added"));
      return made("li", {}, own);
    });
    const here = rows[topic.documents.indexOf(doc)]?.firstChild;
    replaced(byId("documents"), rows, here ?? byId("documents"));
    const [done, all] = countsOf(topic);
    byId("documents-count").textContent = `${done} of ${all} finished`;
  }

  #switches(judgement) {
    const { isLocked } = this.#desk;
    for (const name of JUDGING) {
      for (const one of document.querySelectorAll(`[data-act="${name}"]`)) one.disabled = isLocked;
    }
    byId("note").readOnly = isLocked;
    byId("adding").hidden = isLocked;
    const finish = document.querySelector("[data-act=finish]");
    finish.setAttribute("aria-pressed", String(judgement.done));
  }
}

/** Put other lines into a place; if the one with the focus goes away, `heir` has it. */
function replaced(place, lines, heir) {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...lines);
  if (!hadFocus) return;
  if (heir.tabIndex < 0) heir.tabIndex = -1;
  heir.focus({ preventScroll: true });
}

function countsOf(topic) {
  return [topic.documents.filter((doc) => doc.done).length, topic.documents.length];
}
