// Messages of the page: in the status line, for screen readers only, and as notices that stay.

import { byId, create, excerpt } from "./elements.js";

export const LOCKED = "this topic is locked: you can read it, and the organiser can unlock it";

/** Show a message in the status line. */
export function say(text, isUrgent = false) {
  const line = byId("said");
  announce(line, text);
  line.classList.toggle("urgent", isUrgent);
}

/** Announce a text to screen readers only. */
export function read(text) {
  announce(byId("read"), excerpt(text, 400));
}

/** Screen readers ignore text that does not change, so a repeated text gets a blank. */
function announce(element, text) {
  element.textContent = element.textContent === text ? `${text}\u00a0` : text;
}

/** Show lines above the text, replacing the notice of the same name; without lines remove it. */
export function showNotice(name, lines, ...buttons) {
  const id = `notice-${name}`;
  const previous = byId(id);
  if (previous?.dataset.words === JSON.stringify(lines)) return;
  // The button with the focus is removed with its notice.
  if (previous?.contains(document.activeElement)) byId("name").focus({ preventScroll: true });
  previous?.remove();
  if (!lines.length) return;
  const box = create("div", { class: "notice", id }, ...lines.map((line) => create("p", {}, line)));
  box.append(...buttons);
  box.dataset.words = JSON.stringify(lines);
  byId("notices").append(box);
}

/** Show a title and a text in place of a document. */
export function showInstead(title, text) {
  byId("name").textContent = title;
  byId("place").replaceChildren(create("p", {}, text));
}
