// Elements made from text: names and documents are never read as markup.

/** An element with attributes and children; `on` holds listeners, false and null leave out. */
export function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [kind, heard] of Object.entries(value)) element.addEventListener(kind, heard);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** A button, which never sends a form. */
export function button(label, pressed, attributes = {}) {
  return made("button", { type: "button", on: { click: pressed }, ...attributes }, label);
}

/** A name from outside, whose direction leaves the words around it alone. */
export function named(name) {
  return made("bdi", {}, name);
}

export function byId(id) {
  return document.getElementById(id);
}

/** The first words of a text in one line. */
export function opening(text, most = 60) {
  const line = text.slice(0, 4 * most).replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= most && text.length <= 4 * most) return line;
  return `${characters.slice(0, most).join("").trimEnd()}…`;
}

/** "1 document", "2 documents", "1,234 characters". */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
