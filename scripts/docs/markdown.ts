import { renderMermaidSVG } from "beautiful-mermaid";
import { Marked, type Token, type Tokens } from "marked";
import { Markup, markup } from "../../src/verify/reporters/html.ts";
import { anchorOf } from "../contract-sections.ts";
import { codeBlock, type Page, scrolling, shell } from "./shell.ts";

interface Heading {
  id: string;
  depth: number;
  /** HTML. */
  title: string;
}

/** Returns the address on the site for a link in a text. */
type LinkTo = (href: string) => string;

const unchanged: LinkTo = (href) => href;

/** Returns the page of a text, with a list of its sections below the title. */
export function markdownPage(page: Page, text: string, linkTo: LinkTo = unchanged): string {
  const { html, headings } = htmlOf(text, linkTo);
  const end = html.indexOf("</h1>") + "</h1>".length;
  const [title, rest] = [new Markup(html.slice(0, end)), new Markup(html.slice(end))];
  return shell(page, markup`${title}${contents(headings)}${rest}`);
}

function contents(headings: readonly Heading[]): Markup {
  const sections = headings.filter(({ depth }) => depth === 2);
  const links = sections.map(({ id, title }) => markup`<li><a href="#${id}">${new Markup(title)}</a></li>`);
  return markup`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links}</ul></nav>`;
}

/** Renders a text as HTML. Tags in the text are shown, not interpreted. */
function htmlOf(text: string, linkTo: LinkTo): { html: string; headings: readonly Heading[] } {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  const marked = new Marked({ gfm: true });
  marked.use({
    walkTokens: (token) => {
      if (token.type === "link" || token.type === "image") token.href = linkTo(token.href);
    },
    renderer: {
      html: ({ text }) => markup`${text}`.text,
      code({ text, lang }) {
        if (lang === "mermaid") return diagram(text, labelIn(headings, "Diagram")).text;
        return codeBlock(text, labelIn(headings, lang === "sh" ? "Command" : "Code")).text;
      },
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
  return { html: marked.parse(text, { async: false }), headings };
}

/** Returns a label that names the section of a table or a code block. */
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

/** A row that begins with a code has the code as its id. */
function rowOf(cells: readonly Tokens.TableCell[], inline: Inline): Markup {
  const [first, ...rest] = cells;
  const others = rest.map(({ tokens }) => markup`<td>${inline(tokens)}</td>`);
  const code = first && /^`([a-z][a-z0-9_]*)`$/.exec(first.text)?.[1];
  if (code === undefined) return markup`<tr><td>${first ? inline(first.tokens) : ""}</td>${others}</tr>`;
  return markup`<tr id="${code}"><th scope="row"><a href="#${code}"><code>${code}</code></a></th>${others}</tr>`;
}

/** The colours of docs.css, which does not apply inside a picture. */
const COLOURS = `svg { --bg: #fff; --fg: #1b1f24; }
  @media (prefers-color-scheme: dark) { svg { --bg: #0d1117; --fg: #e6edf3; } }`;

/** Returns a Mermaid diagram as a picture that loads nothing and follows the reader's colour scheme. */
function diagram(source: string, label: string): Markup {
  const svg = renderMermaidSVG(source, { transparent: true, padding: 8 })
    .replace(/ style="[^"]*"/, "")
    .replace(/@import url\('[^']*'\);/, COLOURS);
  const data = Buffer.from(svg).toString("base64");
  return markup`<img class="diagram" alt="${label}" src="data:image/svg+xml;base64,${data}">`;
}
