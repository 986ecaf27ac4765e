// The guidelines, in a small part of Markdown: headings, lists, paragraphs, bold, keys.

import { create } from "./elements.js";

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;

/** The elements of a guide; other Markdown is shown as text. */
export function guideOf(markdown) {
  const elements = [];
  let level = 2;
  for (const block of markdown.split(/\r?\n[^\S\n]*(?:\r?\n)+/)) {
    let list = null;
    let paragraph = null;
    for (const line of block.split(/\r?\n/).filter((text) => text.trim())) {
      const heading = HEADING.exec(line);
      const item = ITEM.exec(line);
      if (heading) {
        level = Math.min(heading[1].length + 2, level + 1, 6);
        elements.push(create(`h${level}`, {}, ...inline(heading[2])));
        [list, paragraph] = [null, null];
      } else if (item && !paragraph) {
        const tag = item[1] ? "ol" : "ul";
        if (list?.localName !== tag) elements.push((list = create(tag)));
        list.append(create("li", {}, ...inline(item[2])));
      } else if (list) {
        list.lastChild.append(" ", ...inline(line.trim()));
      } else {
        if (paragraph) paragraph.append(" ");
        else elements.push((paragraph = create("p")));
        paragraph.append(...inline(line.trim()));
      }
    }
  }
  return elements;
}

function inline(text) {
  // Code spans first: their text is not Markdown.
  return text.split(/`([^`]+)`/).flatMap((part, index) => (index % 2 ? create("kbd", {}, part) : bold(part)));
}

function bold(text) {
  return text
    .split(/\*\*(.+?)\*\*/)
    .map((part, index) => (index % 2 ? create("strong", {}, part) : part))
    .filter((part) => part !== "");
}
