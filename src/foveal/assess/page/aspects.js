// The aspect of highlighted text: one of the topic's, or a new one.

import { button, byId, counted, create, isolated, excerpt } from "./elements.js";
import { LOCKED } from "./messages.js";

export class AspectChooser {
  #desk;
  #marking;
  #say;
  #dialog = byId("aspect");
  #field = byId("aspect-name");
  #list = byId("aspect-list");
  #names = [];
  #matches = [];
  #active = -1;
  #request = { text: null, span: null };
  #hasSelected = false;

  constructor(desk, marking, say) {
    this.#desk = desk;
    this.#marking = marking;
    this.#say = say;
    byId("aspect-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take(this.#field.value);
    });
    byId("close-aspect").addEventListener("click", () => this.close());
    // Not "close", which fires so late that it would clear the next selection.
    this.#dialog.addEventListener("cancel", () => this.#leave());
    this.#field.addEventListener("input", (event) => this.#onInput(event));
    this.#field.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Ask for the aspect of what is selected, or of what is at the cursor. */
  open() {
    if (this.#desk.isLocked) {
      this.#say(LOCKED, true);
      return;
    }
    this.#field.value = "";
    // A new object each time, because an earlier act may still be queued.
    this.#request = { text: null, span: null };
    byId("aspect-quote").textContent = "…";
    this.#names = aspectsOf(this.#desk);
    this.#draw("");
    this.#dialog.showModal();
    // Queued after the running acts; the dialog is open already, so that keys type a name.
    const request = this.#request;
    void this.#marking.queue(() => this.#showSpan(request));
  }

  close() {
    this.#leave();
    this.#dialog.close();
  }

  #showSpan(request) {
    const { text } = this.#desk;
    const span = this.#marking.toName();
    Object.assign(request, { text, span });
    // A fast typist may have entered a name already.
    if (request !== this.#request || !this.#dialog.open) return;
    if (!span) {
      this.close();
      return;
    }
    byId("aspect-quote").textContent = `“${excerpt(text.slice(...span), 80)}”`;
    this.#hasSelected = this.#marking.select(span);
  }

  #leave() {
    // The span was selected only to show what gets the aspect.
    if (this.#hasSelected) this.#marking.drop();
    this.#hasSelected = false;
  }

  #take(words) {
    const typed = oneLine(words);
    if (!typed) return;
    // A name that differs only in case would be another aspect, which is never intended.
    const name = this.#names.find((known) => known === typed) ?? spelled(typed, this.#names);
    this.#hasSelected = false;
    this.close();
    const request = this.#request;
    const target = () => (request.text === this.#desk.text ? request.span : null);
    void this.#marking.name(target, name);
  }

  /** Complete the typed text to an existing name, with the rest selected. */
  #onInput({ inputType = "", isComposing }) {
    const typed = this.#field.value;
    const isAtEnd = this.#field.selectionEnd === typed.length;
    const canComplete = typed.trim() && inputType.startsWith("insert") && isAtEnd && !isComposing;
    const name = canComplete ? completed(typed, this.#names) : null;
    if (name) {
      this.#field.value = typed + name.slice(typed.length);
      this.#field.setSelectionRange(typed.length, name.length);
    }
    this.#draw(typed);
  }

  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing || !this.#matches.length) return;
    event.preventDefault();
    const { length } = this.#matches;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    this.#active = (from + step + length) % length;
    this.#field.value = this.#matches[this.#active];
    this.#point();
  }

  #draw(typed) {
    const folded = typed.trim().toLowerCase();
    this.#matches = this.#names.filter((name) => name.toLowerCase().includes(folded));
    this.#active = -1;
    const rows = this.#matches.map((name, index) =>
      create(
        "li",
        { role: "option", id: `aspect-${index}`, on: { click: () => this.#take(name) } },
        isolated(name),
      ),
    );
    this.#list.replaceChildren(...rows);
    this.#list.hidden = !rows.length;
    this.#field.setAttribute("aria-expanded", String(rows.length > 0));
    this.#point();
  }

  #point() {
    [...this.#list.children].forEach((row, index) => {
      row.setAttribute("aria-selected", String(index === this.#active));
    });
    const active = this.#list.children[this.#active];
    if (active) this.#field.setAttribute("aria-activedescendant", active.id);
    else this.#field.removeAttribute("aria-activedescendant");
    active?.scrollIntoView({ block: "nearest" });
  }
}

/** A list of the aspects of a highlight, with buttons to select and remove each. */
export function aspectList(span, index, { desk, marking }) {
  const aspects = aspectsIn(desk.judgement, span);
  if (!aspects.length) return null;
  const rows = aspects.map(([name, spans]) => {
    const size = lengthOf(spans);
    const isPart = size < span[1] - span[0];
    const title = `${counted(size, "character")}: select ${spans.length > 1 ? "the first" : "them"}`;
    const go = button(isolated(name), () => marking.select(spans[0]), { class: "aspect-name", title });
    if (isPart) go.append(create("span", { class: "muted" }, " (in part)"));
    const remove = button("×", () => marking.unname(span, name), {
      class: "remove", title: "Remove this aspect, keep the highlight", disabled: desk.isLocked,
      "aria-label": `Remove aspect ${name} from highlight ${index + 1}`,
    });
    return create("li", {}, go, remove);
  });
  return create("ul", { class: "aspects", "aria-label": `Aspects of highlight ${index + 1}` }, ...rows);
}

/** The aspects of text in a span, with their spans. */
export function aspectsIn({ aspects }, [start, stop]) {
  const within = aspects.map(([name, spans]) => [
    name, spans.filter(([a, b]) => a < stop && b > start),
  ]);
  return within.filter(([, spans]) => spans.length);
}

/** A typed text as a name in one line. */
export function oneLine(words) {
  return words.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** Names of aspects in the topic, including those that are not sent yet. */
function aspectsOf({ topic, outbox }) {
  const marks = outbox.since(topic.topic).filter(({ kind, value }) => kind === "mark" && value);
  const names = new Set([...(topic.aspects ?? []), ...marks.map(({ value }) => value)]);
  return [...names].sort((first, second) => first.localeCompare(second));
}

/** The name that equals the typed text or starts with it. */
function completed(typed, names) {
  const folded = typed.toLowerCase();
  const matches = names.filter((name) => name.slice(0, typed.length).toLowerCase() === folded);
  return matches.find((name) => name.length === typed.length) ?? matches[0] ?? null;
}

/** The name that differs from the typed text only in case, else the typed text. */
function spelled(typed, names) {
  const folded = typed.toLowerCase();
  return names.find((name) => name.toLowerCase() === folded) ?? typed;
}

function lengthOf(spans) {
  return spans.reduce((sum, [start, stop]) => sum + stop - start, 0);
}
