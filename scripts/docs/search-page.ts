import MiniSearch from "minisearch";
import type { Section } from "./sections.ts";

// Runs in the browser. The words are in the fragment of the address, so that a search can be linked, and Back returns to it.

/** Filled in by searchScript. */
declare const SECTIONS: readonly Section[];

const SHOWN = 30;
/** Characters of the text before and after the first word found. */
const AROUND = 90;

const index = new MiniSearch({
  fields: ["title", "page", "text"],
  searchOptions: {
    prefix: true,
    boost: { title: 3, page: 2 },
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  },
});
index.addAll(SECTIONS.map((section, id) => ({ id, ...section })));

const part = <T extends Element>(id: string): T => document.querySelector(`#${id}`) as T;
const [words, count, found] = [part<HTMLInputElement>("words"), part("count"), part("found")];

function show(): void {
  const all = index.search(words.value, { combineWith: "AND" });
  // A question has words that no section has.
  const results = all.length > 0 ? all : index.search(words.value);
  const shown = results.slice(0, SHOWN).flatMap(({ id, terms }) => {
    const section = SECTIONS[id];
    return section === undefined ? [] : [itemOf(section, terms)];
  });
  found.replaceChildren(...shown);
  count.textContent = words.value.trim() === "" ? "" : `${results.length} sections`;
}

function itemOf({ page, title, href, text }: Section, terms: readonly string[]): Element {
  const link = element("a", title === page ? title : `${page}: ${title}`);
  link.setAttribute("href", href);
  return element("li", link, element("p", ...excerpt(text, terms)));
}

/** Returns the text around the first of the terms, with all of them marked. */
function excerpt(text: string, terms: readonly string[]): (string | Element)[] {
  const escaped = terms.map((term) => term.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  const any = new RegExp(`(${escaped.join("|")})`, "giu");
  const start = Math.max(0, text.search(any) - AROUND);
  const part = text.slice(start, start + 2 * AROUND);
  const pieces = part.split(any).map((piece, index) => (index % 2 === 1 ? element("mark", piece) : piece));
  return [start > 0 ? "… " : "", ...pieces, start + 2 * AROUND < text.length ? " …" : ""];
}

function element(name: string, ...children: (string | Element)[]): Element {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

words.value = decodeURIComponent(location.hash.slice(1));
words.addEventListener("input", () => {
  history.replaceState(undefined, "", `#${encodeURIComponent(words.value)}`);
  show();
});
words.focus();
show();
