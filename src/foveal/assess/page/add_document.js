// Documents that no system returned: found by their names, and put on the desk.

import { fetched } from "./desk.js";
import { button, byId, counted, made, named, opening } from "./elements.js";
import { say } from "./saying.js";

/** Let the form find documents; `go(topic, doc)` opens the one that is added. */
export function offerAdding(desk, go) {
  byId("adding").addEventListener("submit", (event) => {
    event.preventDefault();
    const words = byId("wanted").value.trim();
    if (words && desk.topic) void told(find(desk, words, go));
  });
}

async function find(desk, words, go) {
  const { documents } = await fetched("api/find", { topic: desk.topic.topic, text: words });
  const rows = documents.map((one) => {
    const pressed = () => told(add(desk, one.doc, go));
    const own = button(named(one.doc), pressed, { title: "Add this document and open it" });
    const start = made("p", { class: "muted", dir: "auto" }, opening(one.opening, 80));
    return made("li", {}, own, start);
  });
  byId("results").replaceChildren(...rows);
  const none = "no other document has that in its name";
  say(rows.length ? `${counted(rows.length, "document")} found` : none);
}

async function add(desk, name, go) {
  byId("results").replaceChildren();
  byId("wanted").value = "";
  const [topic, doc] = (await desk.addDocument(name)) ?? [];
  if (doc?.doc !== name) return;
  await go(topic, doc);
  say(`added: ${name}`);
}

async function told(work) {
  try {
    await work;
  } catch (error) {
    say(error.message, true);
  }
}
