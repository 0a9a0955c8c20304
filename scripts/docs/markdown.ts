import { Marked, type Token, type Tokens } from "marked";
import { Markup, markup } from "../../src/verify/reporters/markup.ts";
import { anchorOf } from "../contract-sections.ts";
import { codeBlock, scrolling } from "./shell.ts";

export interface Heading {
  id: string;
  depth: number;
  title: string;
}

export interface Written {
  html: Markup;
  headings: readonly Heading[];
}

/** How a link of the text is written on a page of the site. */
export type LinkTo = (href: string) => string;

const asItIs: LinkTo = (href) => href;

/** A text as Markdown. Tags in it are shown, not obeyed. */
export function written(text: string, linkTo: LinkTo = asItIs): Written {
  const headings: Heading[] = [];
  const html = new Markup(parser(headings, linkTo).parse(text, { async: false }));
  return { html, headings };
}

export const paragraphs = (text: string): Markup => written(text).html;

/** Without a paragraph around it. */
export const line = (text: string): Markup =>
  new Markup(parser([], asItIs).parseInline(text, { async: false }));

function parser(headings: Heading[], linkTo: LinkTo): Marked {
  const taken = new Set<string>();
  const marked = new Marked({ gfm: true });
  marked.use({
    walkTokens: (token) => {
      if (token.type === "link") token.href = linkTo(token.href);
    },
    renderer: {
      html: ({ text }) => markup`${text}`.text,
      code: ({ text, lang }) => codeBlock(text, labelIn(headings, lang === "sh" ? "Command" : "Code")).text,
      heading({ tokens, depth, text }) {
        const id = idFor(text, taken);
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        headings.push({ id, depth, title });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table({ header, rows }) {
        const inline = (tokens: Token[]) => new Markup(this.parser.parseInline(tokens));
        return table(labelIn(headings, "Table"), header, rows, inline).text;
      },
    },
  });
  return marked;
}

/** Of the chapter in which it stands; a counter keeps the labels of a page apart. */
function labelIn(headings: readonly Heading[], kind: string): string {
  return `${kind}: ${headings.at(-1)?.title ?? ""}`;
}

function idFor(title: string, taken: Set<string>): string {
  const id = anchorOf(title) || "part";
  const free = taken.has(id) ? `${id}-${taken.size}` : id;
  taken.add(free);
  return free;
}

type Inline = (tokens: Token[]) => Markup;

function table(
  label: string,
  header: readonly Tokens.TableCell[],
  rows: readonly Tokens.TableCell[][],
  inline: Inline,
): Markup {
  const titles = header.map(({ tokens }) => markup`<th scope="col">${inline(tokens)}</th>`);
  const lines = rows.map((cells) => rowOf(cells, inline));
  return scrolling(label, markup`<table><thead><tr>${titles}</tr></thead><tbody>${lines}</tbody></table>`);
}

/** A row that begins with a code can be linked to. */
function rowOf(cells: readonly Tokens.TableCell[], inline: Inline): Markup {
  const [first, ...rest] = cells;
  const others = rest.map(({ tokens }) => markup`<td>${inline(tokens)}</td>`);
  const code = first && /^`([a-z][a-z0-9_]*)`$/.exec(first.text)?.[1];
  if (code !== undefined) return codeRow(code, others);
  return markup`<tr><td>${first ? inline(first.tokens) : ""}</td>${others}</tr>`;
}

export function codeRow(code: string, cells: readonly Markup[]): Markup {
  return markup`<tr id="${code}"><th scope="row"><a href="#${code}"><code>${code}</code></a></th>${cells}</tr>`;
}
