// The adjudicator's part of the page: highlights of assessors, and a ruling on each region.

import { button, byId, counted, create, isolated, excerpt } from "./elements.js";
import { decidedSpans, layerOf, nextUndecided, regionsOf, rulingOn, assessorsText } from "./regions.js";
import { LOCKED } from "./messages.js";

// Below the adjudicator's highlights, above pooled text.
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

  /** The parameters are parts of the page: desk, layers, marking, keys, say, read, panel. */
  constructor({ desk, layers, marking, keys, say, read, panel }) {
    this.#desk = desk;
    this.#layers = layers;
    this.#marking = marking;
    this.#say = say;
    this.#read = read;
    this.#panel = panel;
    document.head.append(create("link", { rel: "stylesheet", href: "/static/adjudication.css" }));
    LAYERS.forEach((name, index) => layers.add(name, 1 + index));
    layers.add("rejected", 15);
    layers.add("region", 25);
    this.#setUpActs(keys);
  }

  /** Begin with a document that was just opened. */
  opened() {
    const { text, layers } = this.#desk;
    this.#names = layers.map(({ assessor }) => assessor);
    this.#regions = regionsOf(layers, (start, stop) => text.isBlank(start, stop));
    this.#drawn = "";
    this.#updateRulings();
    this.#current = Math.max(0, nextUndecided(this.#rulings, 0));
    for (const name of LAYERS) {
      const ofLayer = this.#regions.filter(({ who }) => layerOf(who, this.#names) === name);
      this.#layers.paint(name, text, ofLayer.map(({ start, stop }) => [start, stop]));
    }
    this.changed();
    if (this.#regions.length) this.#marking.show(this.#span());
  }

  /** Show the rulings as they are now. */
  changed() {
    this.#updateRulings();
    const { judgement, isLocked } = this.#desk;
    const state = JSON.stringify([this.#rulings, this.#current, judgement.entry, isLocked]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    this.#paint();
    this.#list();
    for (const actButton of this.#buttons) actButton.disabled = isLocked || !this.#regions.length;
  }

  #setUpActs(keys) {
    const acts = [
      ["Accept", "a", "Accept the region: it is relevant", () => this.#decide("mark")],
      ["Reject", "r", "Reject the region: it is not relevant", () => this.#decide("unmark")],
      ["Accept shared", "Shift+a", "Accept all that everybody marked", () => this.#acceptShared()],
      ["", "d", "Next region", () => this.#move(1)],
      ["", "Shift+d", "Previous region", () => this.#move(-1)],
    ];
    for (const [label, key, description, act] of acts) {
      keys.add(key, () => this.#desk.text && act());
      byId("key-list").append(create("dt", {}, create("kbd", {}, key)), create("dd", {}, description));
      if (!label) continue;
      const title = `${description} (${key})`;
      this.#buttons.push(button(label, act, { title, "aria-keyshortcuts": key }));
    }
    byId("bar").prepend(create("span", { class: "group" }, ...this.#buttons));
  }

  #updateRulings() {
    const { text, judgement } = this.#desk;
    const decided = text ? decidedSpans(this.#desk.log) : [];
    this.#rulings = this.#regions.map((region) => rulingOn(region, decided, judgement.spans));
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
      const message = `${kind === "mark" ? "accepted" : "rejected"}: ${this.#describe(region)}`;
      this.#nextRegion(message);
    });
  }

  /** Mark or unmark a region; false, with a message, if that is not allowed. */
  async #act(kind, { start, stop }) {
    const { text, judgement } = this.#desk;
    const touching = judgement.spans.filter(([a, b]) => a <= stop && b >= start);
    const low = Math.min(start, ...touching.map(([a]) => a));
    const high = Math.max(stop, ...touching.map(([, b]) => b));
    // The rest of a highlight must not begin or end with blanks.
    const span =
      kind === "mark"
        ? text.reaching([start, stop], judgement.spans)
        : text.withBlanks(start, stop, low, high);
    const isAccepted = await this.#desk.actOnText(kind, ...span);
    if (!isAccepted) this.#say(LOCKED, true);
    return isAccepted;
  }

  #nextRegion(message) {
    this.#updateRulings();
    const undecided = this.#rulings.filter((ruling) => ruling === "").length;
    const next = nextUndecided(this.#rulings, this.#current);
    if (next >= 0) this.#current = next;
    const remaining = undecided ? `${counted(undecided, "region")} left` : "all regions are decided, f finishes";
    this.#say(`${message}; ${remaining}`);
    this.changed();
    if (next >= 0) this.#show();
  }

  #acceptShared() {
    return this.#marking.queue(async () => {
      const total = this.#names.length;
      const shared = this.#regions.filter(
        ({ who }, index) => who.length === total && this.#rulings[index] === "",
      );
      for (const region of shared) if (!(await this.#act("mark", region))) return;
      const count = counted(shared.length, "region");
      this.#nextRegion(shared.length ? `accepted ${count} that everybody marked` : "nothing shared is undecided");
    });
  }

  #move(step) {
    if (!this.#regions.length) return;
    const { length } = this.#regions;
    this.#choose((this.#current + step + length) % length);
  }

  #choose(index) {
    this.#current = index;
    this.changed();
    this.#show();
  }

  /** Bring the region into sight, with the sentence cursor, and announce it to screen readers. */
  #show() {
    const [start, stop] = this.#span();
    this.#marking.jump(start);
    this.#marking.show([start, stop]);
    const position = `region ${this.#current + 1} of ${this.#regions.length}`;
    this.#read(`${position}, ${this.#describe(this.#regions[this.#current])}`);
  }

  #describe({ start, stop, who }) {
    const quote = excerpt(this.#desk.text.slice(start, Math.min(stop, start + 400)), 60);
    return `${assessorsText(who, this.#names.length)}, “${quote}”`;
  }

  #paint() {
    const { text } = this.#desk;
    const spansOf = (regions) => regions.map(({ start, stop }) => [start, stop]);
    const rejected = this.#regions.filter((_, index) => this.#rulings[index] === "rejected");
    this.#layers.paint("rejected", text, spansOf(rejected));
    this.#layers.paint("region", text, spansOf(this.#regions.slice(this.#current, this.#current + 1)));
  }

  #list() {
    const hadFocus = this.#panel.contains(document.activeElement);
    const undecided = this.#rulings.filter((ruling) => ruling === "").length;
    const heading = create("h2", { id: "regions-title", tabindex: "-1" }, "What assessors marked");
    const count = this.#regions.length
      ? `${counted(this.#regions.length, "region")}, ${undecided ? `${undecided} undecided` : "all decided"}`
      : "Nobody marked anything.";
    const rows = this.#regions.map((region, index) => this.#row(region, index));
    const list = create("ol", { id: "regions", "aria-labelledby": "regions-title" }, ...rows);
    this.#panel.replaceChildren(
      heading, this.#legend(), create("p", { class: "muted" }, count), list, ...this.#entries(),
    );
    this.#panel.hidden = false;
    const current = list.children[this.#current];
    if (hadFocus) (current?.firstChild ?? heading).focus({ preventScroll: true });
    scrollWithin(list, current);
  }

  #legend() {
    // A fifth assessor is drawn as the first is.
    const textsByLayer = new Map();
    for (const { who } of this.#regions) {
      const name = layerOf(who, this.#names);
      const label = name === "by-several" ? "several" : assessorsText(who, this.#names.length);
      textsByLayer.set(name, (textsByLayer.get(name) ?? new Set()).add(label));
    }
    const layerNames = LAYERS.filter((name) => textsByLayer.has(name));
    const items = layerNames.map((name) =>
      create("li", {}, create("span", { class: `sample ${name}` }, isolated([...textsByLayer.get(name)].join(", ")))),
    );
    items.push(create("li", {}, create("span", { class: "sample own" }, "accepted by you")));
    return create("ul", { class: "legend", "aria-label": "How it is drawn" }, ...items);
  }

  #row(region, index) {
    const ruling = this.#rulings[index];
    const { text } = this.#desk;
    const quote = excerpt(text.slice(region.start, Math.min(region.stop, region.start + 400)), 90);
    const name = layerOf(region.who, this.#names);
    const who = isolated(assessorsText(region.who, this.#names.length));
    const rowButton = button(create("span", { dir: "auto", class: `sample ${name}` }, quote), () => this.#choose(index), {
      class: "quote", "aria-current": index === this.#current ? "true" : null,
    });
    const className = ruling === "rejected" ? "sign rejected" : "sign";
    const sign = create("span", { class: className, "aria-hidden": "true" }, SIGNS[ruling]);
    rowButton.append(create("span", { class: "who" }, sign, who, ` · ${ruling || "undecided"}`));
    return create("li", {}, rowButton);
  }

  #entries() {
    const { layers, settings, judgement, isLocked, text } = this.#desk;
    const withEntry = layers.filter(({ entry }) => entry !== null);
    if (settings.entry === "none" || !withEntry.length) return [];
    const rows = withEntry.map(({ assessor, entry }) => {
      const quote = excerpt(text.slice(entry, Math.min(entry + 200, text.length)), 50);
      const jump = button(create("span", { dir: "auto" }, quote || "the end"), () => this.#marking.jump(entry), {
        class: "quote",
      });
      jump.append(create("span", { class: "who" }, isolated(assessor)));
      const isCurrent = judgement.entry === entry;
      const takeButton = button("Take", () => this.#takeEntry(assessor, entry), {
        "aria-pressed": String(isCurrent), "aria-label": `Take the entry point of ${assessor}`,
        disabled: isLocked,
      });
      return create("li", {}, jump, takeButton);
    });
    return [create("h3", {}, "Their entry points"), create("ul", { id: "entries" }, ...rows)];
  }

  #takeEntry(assessor, start) {
    return this.#marking.queue(() => {
      if (this.#desk.judgement.entry === start) this.#say("the entry point is there already");
      else if (this.#desk.act("entry", { start })) this.#say(`entry point of ${assessor} taken`);
      else this.#say(LOCKED, true);
    });
  }
}

/** Scroll a list to a line, without scrolling the page. */
function scrollWithin(list, line) {
  if (!line) return;
  const [top, bottom] = [line.offsetTop - list.offsetTop, line.offsetTop - list.offsetTop + line.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
