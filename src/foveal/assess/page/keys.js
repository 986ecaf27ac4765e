// One letter for every act; letters never act while somebody writes, and can be switched off.

const STORED = "foveal-keys";
const REPEATING = new Set(["j", "k", "Shift+j", "Shift+k", "e", "Shift+e"]);

export class Keys {
  #acts = new Map();
  #isOn = read() !== "off";

  /** `run(act)` does an act; the keys of all acts are added one by one. */
  constructor(run) {
    document.addEventListener("keydown", (event) => {
      const name = nameOf(event);
      const act = name && this.#acts.get(name);
      if (!act || isWriting(event) || (event.repeat && !REPEATING.has(name))) return;
      if (!this.#isOn && name !== "Escape") return;
      if (name !== "Escape") event.preventDefault();
      run(act);
    });
  }

  add(name, act) {
    this.#acts.set(name, act);
  }

  get isOn() {
    return this.#isOn;
  }

  set isOn(value) {
    this.#isOn = value;
    try {
      localStorage.setItem(STORED, value ? "on" : "off");
    } catch {
      // Without storage it lasts as long as this page.
    }
  }
}

/** "h", "Shift+b", "Ctrl+Shift+z", "?"; null where a key belongs to the browser or the system. */
function nameOf(event) {
  if (event.altKey || event.metaKey || event.isComposing) return null;
  if (event.getModifierState("AltGraph")) return null;
  if (event.key === "/" || event.key === "?" || event.key === "Escape") {
    return event.ctrlKey ? null : event.key;
  }
  // Not the case of the letter: Caps Lock must not turn one act into another.
  if (!/^[a-z]$/i.test(event.key)) return null;
  const control = event.ctrlKey ? "Ctrl+" : "";
  return `${control}${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}`;
}

function isWriting(event) {
  const place = event.target;
  const isField = place.matches?.("textarea, select, input:not([type=checkbox])");
  if (isField || place.isContentEditable) return event.key !== "Escape";
  return Boolean(place.closest?.("dialog")) && event.key !== "?" && event.key !== "Escape";
}

function read() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}
