// The guidelines, in a small part of Markdown: headings, lists, paragraphs, bold, keys.

import { made } from "./elements.js";

const ITEM = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;

/** The elements of a guide; all else in it is shown as it is written. */
export function guideOf(markdown) {
  const found = [];
  let level = 2;
  for (const block of markdown.split(/\r?\n[^\S\n]*(?:\r?\n)+/)) {
    let list = null;
    let paragraph = null;
    for (const line of block.split(/\r?\n/).filter((one) => one.trim())) {
      const heading = HEADING.exec(line);
      const item = ITEM.exec(line);
      if (heading) {
        level = Math.min(heading[1].length + 2, level + 1, 6);
        found.push(made(`h${level}`, {}, ...inline(heading[2])));
        [list, paragraph] = [null, null];
      } else if (item && !paragraph) {
        const tag = item[1] ? "ol" : "ul";
        if (list?.localName !== tag) found.push((list = made(tag)));
        list.append(made("li", {}, ...inline(item[2])));
      } else if (list) {
        list.lastChild.append(" ", ...inline(line.trim()));
      } else {
        if (paragraph) paragraph.append(" ");
        else found.push((paragraph = made("p")));
        paragraph.append(...inline(line.trim()));
      }
    }
  }
  return found;
}

function inline(text) {
  // Keys first: what is typed is not Markdown.
  return text.split(/`([^`]+)`/).flatMap((part, place) => (place % 2 ? made("kbd", {}, part) : bold(part)));
}

function bold(text) {
  return text
    .split(/\*\*(.+?)\*\*/)
    .map((part, place) => (place % 2 ? made("strong", {}, part) : part))
    .filter((part) => part !== "");
}
