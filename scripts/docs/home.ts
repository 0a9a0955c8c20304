import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { CHAPTERS, GUIDES, HOME, type Page, shell } from "./shell.ts";

const DOORS = [
  {
    title: "You have a scheduling system",
    text: "In any language. Read what to expose and what to send, look at a provider that works, and have yours verified: every fault comes with its fix.",
    page: GUIDES.provider,
  },
  {
    title: "You call providers, or change the contract",
    text: "Edit the documents, generate types, clients, stubs and validators, see what breaks for whom, and call a provider of any dialect.",
    page: GUIDES.platform,
  },
  {
    title: "You run the platform",
    text: "Start it, onboard an organisation, find out in one view why a shift is not staffed, and know what to do when something needs a person.",
    page: GUIDES.operator,
  },
] as const;

export function homePage(): string {
  const doors = DOORS.map(
    ({ title, text, page }) =>
      markup`<article><h2>${title}</h2><p>${text}</p><p><a href="${page.file}">${page.title}</a></p></article>`,
  );
  return shell(
    HOME,
    markup`<h1>shiftpact</h1>
<p class="lead">Connects shift-scheduling systems to a staffing platform, and shows that both sides mean the same.</p>
<p>A provider tells the platform that a shift was created, changed or deleted. The platform reads the shift, finds somebody for it, and assigns
them at the provider. One contract says how: it is written by hand, everything else is generated from it or tested against it.</p>
<div class="doors">${doors}</div>
${CHAPTERS.slice(1).map(({ title, pages }) => markup`<h2>${title}</h2><ul>${pages.map(entry)}</ul>`)}`,
  );
}

function entry({ file, title, about }: Page): Markup {
  return markup`<li><a href="${file}">${title}</a>: ${about}</li>`;
}
