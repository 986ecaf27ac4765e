// Create elements from text: names and documents are never parsed as markup.

/** An element with attributes and children; `on` has listeners, false and null are left out. */
export function create(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [kind, listener] of Object.entries(value)) element.addEventListener(kind, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** A button, which never sends a form. */
export function button(label, onClick, attributes = {}) {
  return create("button", { type: "button", on: { click: onClick }, ...attributes }, label);
}

/** A name whose writing direction does not affect the text around it. */
export function isolated(name) {
  return create("bdi", {}, name);
}

export function byId(id) {
  return document.getElementById(id);
}

/** The beginning of a text in one line. */
export function excerpt(text, maximum = 60) {
  const line = text.slice(0, 4 * maximum).replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= maximum && text.length <= 4 * maximum) return line;
  return `${characters.slice(0, maximum).join("").trimEnd()}…`;
}

/** "1 document", "2 documents", "1,234 characters". */
export function counted(count, singular, plural = `${singular}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}
