// The adjudicator's part of the page: what assessors marked, and the ruling on each region.

import { button, byId, counted, made, named, opening } from "./elements.js";
import { decidedSpans, layerOf, nextUndecided, regionsOf, rulingOn, whoWords } from "./regions.js";
import { LOCKED } from "./saying.js";

// Below the person's own marks, above pooled text.
const LAYERS = ["by-all", "by-several", "by-0", "by-1", "by-2", "by-3"];
const SIGNS = { accepted: "✓", rejected: "✗", "in part": "◐", "": "○" };

export class Adjudication {
  #desk;
  #layers;
  #marking;
  #say;
  #read;
  #panel;
  #buttons = [];
  #regions = [];
  #names = [];
  #rulings = [];
  #current = 0;
  #drawn = "";

  /** `parts` is what the page lends: desk, layers, marking, keys, say, read, panel. */
  constructor({ desk, layers, marking, keys, say, read, panel }) {
    this.#desk = desk;
    this.#layers = layers;
    this.#marking = marking;
    this.#say = say;
    this.#read = read;
    this.#panel = panel;
    document.head.append(made("link", { rel: "stylesheet", href: "/static/adjudication.css" }));
    LAYERS.forEach((name, place) => layers.add(name, 1 + place));
    layers.add("rejected", 15);
    layers.add("region", 25);
    this.#offer(keys);
  }

  /** Begin with a document that was just opened. */
  opened() {
    const { text, layers } = this.#desk;
    this.#names = layers.map(({ assessor }) => assessor);
    this.#regions = regionsOf(layers, (start, stop) => text.isBlank(start, stop));
    this.#drawn = "";
    this.#rule();
    this.#current = Math.max(0, nextUndecided(this.#rulings, 0));
    for (const name of LAYERS) {
      const own = this.#regions.filter(({ who }) => layerOf(who, this.#names) === name);
      this.#layers.paint(name, text, own.map(({ start, stop }) => [start, stop]));
    }
    this.changed();
    if (this.#regions.length) this.#marking.show(this.#span());
  }

  /** Show the rulings as they are now. */
  changed() {
    this.#rule();
    const { judgement, isLocked } = this.#desk;
    const state = JSON.stringify([this.#rulings, this.#current, judgement.entry, isLocked]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    this.#paint();
    this.#list();
    for (const one of this.#buttons) one.disabled = isLocked || !this.#regions.length;
  }

  #offer(keys) {
    const acts = [
      ["Accept", "a", "Accept the region: it is relevant", () => this.#decide("mark")],
      ["Reject", "r", "Reject the region: it is not relevant", () => this.#decide("unmark")],
      ["Accept shared", "Shift+a", "Accept all that everybody marked", () => this.#acceptShared()],
      ["", "d", "Next region", () => this.#move(1)],
      ["", "Shift+d", "Previous region", () => this.#move(-1)],
    ];
    for (const [label, key, words, act] of acts) {
      keys.add(key, () => this.#desk.text && act());
      byId("key-list").append(made("dt", {}, made("kbd", {}, key)), made("dd", {}, words));
      if (!label) continue;
      const title = `${words} (${key})`;
      this.#buttons.push(button(label, act, { title, "aria-keyshortcuts": key }));
    }
    byId("bar").prepend(made("span", { class: "group" }, ...this.#buttons));
  }

  #rule() {
    const { text, judgement } = this.#desk;
    const decided = text ? decidedSpans(this.#desk.log) : [];
    this.#rulings = this.#regions.map((one) => rulingOn(one, decided, judgement.spans));
  }

  #span() {
    const { start, stop } = this.#regions[this.#current];
    return [start, stop];
  }

  #decide(kind) {
    return this.#marking.queue(async () => {
      if (!this.#regions.length) {
        this.#say("nobody marked anything here");
        return;
      }
      const region = this.#regions[this.#current];
      if (!(await this.#act(kind, region))) return;
      const words = `${kind === "mark" ? "accepted" : "rejected"}: ${this.#described(region)}`;
      this.#goOn(words);
    });
  }

  /** Mark or unmark a region; false, with the reason said, if that is not allowed. */
  async #act(kind, { start, stop }) {
    const { text, judgement } = this.#desk;
    const met = judgement.spans.filter(([a, b]) => a <= stop && b >= start);
    const low = Math.min(start, ...met.map(([a]) => a));
    const high = Math.max(stop, ...met.map(([, b]) => b));
    // What is left of a highlight must not begin or end with blanks.
    const span =
      kind === "mark"
        ? text.reaching([start, stop], judgement.spans)
        : text.withBlanks(start, stop, low, high);
    const isKept = await this.#desk.actOnText(kind, ...span);
    if (!isKept) this.#say(LOCKED, true);
    return isKept;
  }

  #goOn(words) {
    this.#rule();
    const left = this.#rulings.filter((ruling) => ruling === "").length;
    const next = nextUndecided(this.#rulings, this.#current);
    if (next >= 0) this.#current = next;
    const rest = left ? `${counted(left, "region")} left` : "all regions are decided, f finishes";
    this.#say(`${words}; ${rest}`);
    this.changed();
    if (next >= 0) this.#show();
  }

  #acceptShared() {
    return this.#marking.queue(async () => {
      const total = this.#names.length;
      const shared = this.#regions.filter(
        ({ who }, place) => who.length === total && this.#rulings[place] === "",
      );
      for (const region of shared) if (!(await this.#act("mark", region))) return;
      const count = counted(shared.length, "region");
      this.#goOn(shared.length ? `accepted ${count} that everybody marked` : "nothing shared is undecided");
    });
  }

  #move(step) {
    if (!this.#regions.length) return;
    const { length } = this.#regions;
    this.#choose((this.#current + step + length) % length);
  }

  #choose(place) {
    this.#current = place;
    this.changed();
    this.#show();
  }

  /** Bring the region into sight, with the sentence cursor, and announce it to screen readers. */
  #show() {
    const [start, stop] = this.#span();
    this.#marking.jump(start);
    this.#marking.show([start, stop]);
    const place = `region ${this.#current + 1} of ${this.#regions.length}`;
    this.#read(`${place}, ${this.#described(this.#regions[this.#current])}`);
  }

  #described({ start, stop, who }) {
    const quote = opening(this.#desk.text.slice(start, Math.min(stop, start + 400)), 60);
    return `${whoWords(who, this.#names.length)}, “${quote}”`;
  }

  #paint() {
    const { text } = this.#desk;
    const spansOf = (regions) => regions.map(({ start, stop }) => [start, stop]);
    const rejected = this.#regions.filter((_, place) => this.#rulings[place] === "rejected");
    this.#layers.paint("rejected", text, spansOf(rejected));
    this.#layers.paint("region", text, spansOf(this.#regions.slice(this.#current, this.#current + 1)));
  }

  #list() {
    const hadFocus = this.#panel.contains(document.activeElement);
    const left = this.#rulings.filter((ruling) => ruling === "").length;
    const head = made("h2", { id: "regions-title", tabindex: "-1" }, "What assessors marked");
    const count = this.#regions.length
      ? `${counted(this.#regions.length, "region")}, ${left ? `${left} undecided` : "all decided"}`
      : "Nobody marked anything.";
    const rows = this.#regions.map((region, place) => this.#row(region, place));
    const list = made("ol", { id: "regions", "aria-labelledby": "regions-title" }, ...rows);
    this.#panel.replaceChildren(
      head, this.#legend(), made("p", { class: "muted" }, count), list, ...this.#entries(),
    );
    this.#panel.hidden = false;
    const current = list.children[this.#current];
    if (hadFocus) (current?.firstChild ?? head).focus({ preventScroll: true });
    scrollWithin(list, current);
  }

  #legend() {
    // A fifth assessor is drawn as the first is.
    const kinds = new Map();
    for (const { who } of this.#regions) {
      const name = layerOf(who, this.#names);
      const words = name === "by-several" ? "several" : whoWords(who, this.#names.length);
      kinds.set(name, (kinds.get(name) ?? new Set()).add(words));
    }
    const shown = LAYERS.filter((name) => kinds.has(name));
    const items = shown.map((name) =>
      made("li", {}, made("span", { class: `sample ${name}` }, named([...kinds.get(name)].join(", ")))),
    );
    items.push(made("li", {}, made("span", { class: "sample own" }, "accepted by you")));
    return made("ul", { class: "legend", "aria-label": "How it is drawn" }, ...items);
  }

  #row(region, place) {
    const ruling = this.#rulings[place];
    const { text } = this.#desk;
    const quote = opening(text.slice(region.start, Math.min(region.stop, region.start + 400)), 90);
    const name = layerOf(region.who, this.#names);
    const who = named(whoWords(region.who, this.#names.length));
    const own = button(made("span", { dir: "auto", class: `sample ${name}` }, quote), () => this.#choose(place), {
      class: "quote", "aria-current": place === this.#current ? "true" : null,
    });
    const look = ruling === "rejected" ? "sign rejected" : "sign";
    const sign = made("span", { class: look, "aria-hidden": "true" }, SIGNS[ruling]);
    own.append(made("span", { class: "who" }, sign, who, ` · ${ruling || "undecided"}`));
    return made("li", {}, own);
  }

  #entries() {
    const { layers, settings, judgement, isLocked, text } = this.#desk;
    const given = layers.filter(({ entry }) => entry !== null);
    if (settings.entry === "none" || !given.length) return [];
    const rows = given.map(({ assessor, entry }) => {
      const quote = opening(text.slice(entry, Math.min(entry + 200, text.length)), 50);
      const jump = button(made("span", { dir: "auto" }, quote || "the end"), () => this.#marking.jump(entry), {
        class: "quote",
      });
      jump.append(made("span", { class: "who" }, named(assessor)));
      const isTaken = judgement.entry === entry;
      const take = button("Take", () => this.#takeEntry(assessor, entry), {
        "aria-pressed": String(isTaken), "aria-label": `Take the entry point of ${assessor}`,
        disabled: isLocked,
      });
      return made("li", {}, jump, take);
    });
    return [made("h3", {}, "Their entry points"), made("ul", { id: "entries" }, ...rows)];
  }

  #takeEntry(assessor, start) {
    return this.#marking.queue(() => {
      if (this.#desk.judgement.entry === start) this.#say("the entry point is there already");
      else if (this.#desk.act("entry", { start })) this.#say(`entry point of ${assessor} taken`);
      else this.#say(LOCKED, true);
    });
  }
}

/** Show a line of a list that scrolls, and leave the page where it is. */
function scrollWithin(list, line) {
  if (!line) return;
  const [top, bottom] = [line.offsetTop - list.offsetTop, line.offsetTop - list.offsetTop + line.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
