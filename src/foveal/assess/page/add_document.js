// Adding documents that no system returned: find them by name, and add them to the topic.

import { fetchJson } from "./desk.js";
import { button, byId, counted, create, isolated, excerpt } from "./elements.js";
import { say } from "./messages.js";

/** Make the form find documents; `go(topic, doc)` opens the added one. */
export function offerAddDocument(desk, go) {
  byId("adding").addEventListener("submit", (event) => {
    event.preventDefault();
    const query = byId("wanted").value.trim();
    if (query && desk.topic) void reportErrors(find(desk, query, go));
  });
}

async function find(desk, query, go) {
  const { documents } = await fetchJson("api/find", { topic: desk.topic.topic, text: query });
  const rows = documents.map((match) => {
    const onClick = () => reportErrors(add(desk, match.doc, go));
    const addButton = button(isolated(match.doc), onClick, { title: "Add this document and open it" });
    const firstWords = create("p", { class: "muted", dir: "auto" }, excerpt(match.opening, 80));
    return create("li", {}, addButton, firstWords);
  });
  byId("results").replaceChildren(...rows);
  const noneFound = "no other document has that in its name";
  say(rows.length ? `${counted(rows.length, "document")} found` : noneFound);
}

async function add(desk, name, go) {
  byId("results").replaceChildren();
  byId("wanted").value = "";
  const [topic, doc] = (await desk.addDocument(name)) ?? [];
  if (doc?.doc !== name) return;
  await go(topic, doc);
  say(`added: ${name}`);
}

async function reportErrors(promise) {
  try {
    await promise;
  } catch (error) {
    say(error.message, true);
  }
}
