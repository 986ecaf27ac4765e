// Keyboard shortcuts: a letter for every act; ignored in text fields, and can be switched off.

const STORED = "foveal-keys";
const REPEATING = new Set(["j", "k", "Shift+j", "Shift+k", "e", "Shift+e"]);

export class Keys {
  #acts = new Map();
  #isOn = read() !== "off";

  /** `run(act)` runs an act; keys are added with `add`. */
  constructor(run) {
    document.addEventListener("keydown", (event) => {
      const name = nameOf(event);
      const act = name && this.#acts.get(name);
      if (!act || isTyping(event) || (event.repeat && !REPEATING.has(name))) return;
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
      // Without storage the choice lasts as long as this page.
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
  // The case of the letter is ignored, because Caps Lock must not change the act.
  if (!/^[a-z]$/i.test(event.key)) return null;
  const control = event.ctrlKey ? "Ctrl+" : "";
  return `${control}${event.shiftKey ? "Shift+" : ""}${event.key.toLowerCase()}`;
}

function isTyping(event) {
  const target = event.target;
  const isField = target.matches?.("textarea, select, input:not([type=checkbox])");
  if (isField || target.isContentEditable) return event.key !== "Escape";
  return Boolean(target.closest?.("dialog")) && event.key !== "?" && event.key !== "Escape";
}

function read() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}
