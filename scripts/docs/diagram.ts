import { renderMermaidSVG } from "beautiful-mermaid";
import { type Markup, markup } from "../../src/verify/reporters/html.ts";

/** The colours of docs.css, which does not apply inside a picture. */
const COLOURS = `svg { --bg: #fff; --fg: #1b1f24; }
  @media (prefers-color-scheme: dark) { svg { --bg: #0d1117; --fg: #e6edf3; } }`;

/** Returns a Mermaid diagram as a picture that loads nothing and follows the reader's colour scheme. */
export function diagram(source: string, label: string): Markup {
  const svg = renderMermaidSVG(source, { transparent: true, padding: 8 })
    .replace(/ style="[^"]*"/, "")
    .replace(/@import url\('[^']*'\);/, COLOURS);
  const data = Buffer.from(svg).toString("base64");
  return markup`<img class="diagram" alt="${label}" src="data:image/svg+xml;base64,${data}">`;
}
