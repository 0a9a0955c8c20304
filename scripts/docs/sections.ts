import type { Page } from "./shell.ts";

/** A part of a page that the search finds. */
export interface Section {
  /** The title of the page. */
  page: string;
  title: string;
  href: string;
  text: string;
}

const STARTS = /(?=<(?:h[1-6]|tr) id=")/;
const HEAD = /^<(\w+) id="([^"]+)"[^>]*>([\s\S]*?)<\/(?:h[1-6]|th)>/;

/** Returns a section for each heading, and for each row that has an id. */
export function sectionsOf({ file, title: page }: Page, html: string): Section[] {
  const main = html.slice(html.indexOf("<main"), html.indexOf("</main>"));
  return main.split(STARTS).flatMap((part) => {
    const [start = "", tag, id, title = ""] = HEAD.exec(part) ?? [];
    if (id === undefined) return [];
    const href = tag === "h1" ? file : `${file}#${id}`;
    return [{ page, title: plain(title), href, text: plain(part.slice(start.length)) }];
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

function plain(html: string): string {
  return html
    .replaceAll(/<nav class="contents"[\s\S]*?<\/nav>/g, "")
    .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}
