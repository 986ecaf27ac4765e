// The aspect of highlighted text: chosen from those of the topic, or named anew.

import { button, byId, counted, made, named, opening } from "./elements.js";
import { LOCKED } from "./saying.js";

export class AspectChooser {
  #desk;
  #marking;
  #say;
  #dialog = byId("aspect");
  #field = byId("aspect-name");
  #list = byId("aspect-list");
  #names = [];
  #shown = [];
  #active = -1;
  #asked = { text: null, span: null };
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
    // Not "close", which comes so late that it would drop what is selected next.
    this.#dialog.addEventListener("cancel", () => this.#leave());
    this.#field.addEventListener("input", (event) => this.#typed(event));
    this.#field.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Ask for the aspect of what is selected, or of what is at the cursor. */
  open() {
    if (this.#desk.isLocked) {
      this.#say(LOCKED, true);
      return;
    }
    this.#field.value = "";
    // Another one each time: the act before this may still be waiting for its turn.
    this.#asked = { text: null, span: null };
    byId("aspect-quote").textContent = "…";
    this.#names = aspectsOf(this.#desk);
    this.#draw("");
    this.#dialog.showModal();
    // After the acts that are under way; what is typed meanwhile must be a name, not keys.
    const asked = this.#asked;
    void this.#marking.queue(() => this.#begin(asked));
  }

  close() {
    this.#leave();
    this.#dialog.close();
  }

  #begin(asked) {
    const { text } = this.#desk;
    const span = this.#marking.toName();
    Object.assign(asked, { text, span });
    // Whoever types fast has named it already.
    if (asked !== this.#asked || !this.#dialog.open) return;
    if (!span) {
      this.close();
      return;
    }
    byId("aspect-quote").textContent = `“${opening(text.slice(...span), 80)}”`;
    this.#hasSelected = this.#marking.select(span);
  }

  #leave() {
    // What was shown alone to tell what is named.
    if (this.#hasSelected) this.#marking.drop();
    this.#hasSelected = false;
  }

  #take(words) {
    const typed = oneLine(words);
    if (!typed) return;
    // The same name in other letters would be another aspect, which nobody wants.
    const name = this.#names.find((own) => own === typed) ?? spelled(typed, this.#names);
    this.#hasSelected = false;
    this.close();
    const asked = this.#asked;
    const target = () => (asked.text === this.#desk.text ? asked.span : null);
    void this.#marking.name(target, name);
  }

  /** Complete what is typed to a name that is there, with the rest selected. */
  #typed({ inputType = "", isComposing }) {
    const typed = this.#field.value;
    const isAtEnd = this.#field.selectionEnd === typed.length;
    const found = typed.trim() && inputType.startsWith("insert") && isAtEnd && !isComposing;
    const name = found ? completed(typed, this.#names) : null;
    if (name) {
      this.#field.value = typed + name.slice(typed.length);
      this.#field.setSelectionRange(typed.length, name.length);
    }
    this.#draw(typed);
  }

  #pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing || !this.#shown.length) return;
    event.preventDefault();
    const { length } = this.#shown;
    const from = this.#active < 0 && step < 0 ? 0 : this.#active;
    this.#active = (from + step + length) % length;
    this.#field.value = this.#shown[this.#active];
    this.#point();
  }

  #draw(typed) {
    const wanted = typed.trim().toLowerCase();
    this.#shown = this.#names.filter((name) => name.toLowerCase().includes(wanted));
    this.#active = -1;
    const rows = this.#shown.map((name, place) =>
      made(
        "li",
        { role: "option", id: `aspect-${place}`, on: { click: () => this.#take(name) } },
        named(name),
      ),
    );
    this.#list.replaceChildren(...rows);
    this.#list.hidden = !rows.length;
    this.#field.setAttribute("aria-expanded", String(rows.length > 0));
    this.#point();
  }

  #point() {
    [...this.#list.children].forEach((row, place) => {
      row.setAttribute("aria-selected", String(place === this.#active));
    });
    const own = this.#list.children[this.#active];
    if (own) this.#field.setAttribute("aria-activedescendant", own.id);
    else this.#field.removeAttribute("aria-activedescendant");
    own?.scrollIntoView({ block: "nearest" });
  }
}

/** The aspects of a highlight as a list, in which each can be gone to and removed. */
export function aspectList(span, place, { desk, marking }) {
  const own = aspectsIn(desk.judgement, span);
  if (!own.length) return null;
  const rows = own.map(([name, spans]) => {
    const size = lengthOf(spans);
    const isPart = size < span[1] - span[0];
    const title = `${counted(size, "character")}: select ${spans.length > 1 ? "the first" : "them"}`;
    const go = button(named(name), () => marking.select(spans[0]), { class: "aspect-name", title });
    if (isPart) go.append(made("span", { class: "muted" }, " (in part)"));
    const remove = button("×", () => marking.unname(span, name), {
      class: "remove", title: "Remove this aspect, keep the highlight", disabled: desk.isLocked,
      "aria-label": `Remove aspect ${name} from highlight ${place + 1}`,
    });
    return made("li", {}, go, remove);
  });
  return made("ul", { class: "aspects", "aria-label": `Aspects of highlight ${place + 1}` }, ...rows);
}

/** The aspects that text within a span has, each with where it is. */
export function aspectsIn({ aspects }, [start, stop]) {
  const within = aspects.map(([name, spans]) => [
    name, spans.filter(([a, b]) => a < stop && b > start),
  ]);
  return within.filter(([, spans]) => spans.length);
}

/** What somebody wrote, made a name. */
export function oneLine(words) {
  return words.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** The names that are used in the topic, also those that the server does not know yet. */
function aspectsOf({ topic, outbox }) {
  const marks = outbox.since(topic.topic).filter(({ kind, value }) => kind === "mark" && value);
  const names = new Set([...(topic.aspects ?? []), ...marks.map(({ value }) => value)]);
  return [...names].sort((one, other) => one.localeCompare(other));
}

/** The name that what is typed is, or begins. */
function completed(typed, names) {
  const own = typed.toLowerCase();
  const begun = names.filter((name) => name.slice(0, typed.length).toLowerCase() === own);
  return begun.find((name) => name.length === typed.length) ?? begun[0] ?? null;
}

/** The name that differs from what is typed by capitals alone, else what is typed. */
function spelled(typed, names) {
  const own = typed.toLowerCase();
  return names.find((name) => name.toLowerCase() === own) ?? typed;
}

function lengthOf(spans) {
  return spans.reduce((sum, [start, stop]) => sum + stop - start, 0);
}
