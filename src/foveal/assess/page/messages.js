// What the page says: to everybody, to screen readers only, and in notices that stay.

import { byId, made, opening } from "./elements.js";

export const LOCKED = "this topic is locked: you can read it, and the organiser can unlock it";

/** Say what happened. */
export function say(words, isUrgent = false) {
  const said = byId("said");
  announce(said, words);
  said.classList.toggle("urgent", isUrgent);
}

/** Tell screen readers only. */
export function read(words) {
  announce(byId("read"), opening(words, 400));
}

/** Screen readers are silent about words that are there already, so a blank tells them apart. */
function announce(place, words) {
  place.textContent = place.textContent === words ? `${words}\u00a0` : words;
}

/** Show lines above the text, in place of those of the same name; no lines take them away. */
export function notice(name, lines, ...buttons) {
  const id = `notice-${name}`;
  const before = byId(id);
  if (before?.dataset.words === JSON.stringify(lines)) return;
  // The pressed button goes away with its notice.
  if (before?.contains(document.activeElement)) byId("name").focus({ preventScroll: true });
  before?.remove();
  if (!lines.length) return;
  const box = made("div", { class: "notice", id }, ...lines.map((line) => made("p", {}, line)));
  box.append(...buttons);
  box.dataset.words = JSON.stringify(lines);
  byId("notices").append(box);
}

/** In place of a document: why there is none. */
export function instead(title, words) {
  byId("name").textContent = title;
  byId("place").replaceChildren(made("p", {}, words));
}
