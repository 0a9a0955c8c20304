import { type Markup, markup } from "../../src/verify/reporters/html.ts";

export interface Page {
  /** The file name. All pages are in one folder, so every link is relative. */
  file: string;
  title: string;
  /** One sentence, for the menu's reader and for search. */
  about: string;
}

interface Chapter {
  title: string;
  pages: readonly Page[];
}

const page = (file: string, title: string, about: string): Page => ({ file, title, about });

export const HOME = page("index.html", "Start", "What shiftpact is, and where to begin.");
export const SEARCH = page("search.html", "Search", "Finds words in the pages of this site.");

export const GUIDES = {
  "first-ten-minutes": page(
    "guide-first-ten-minutes.html",
    "The first ten minutes",
    "A small provider in Python, verified, broken and fixed.",
  ),
  provider: page("guide-provider.html", "Build a provider", "From nothing to a verified provider."),
  verify: page("guide-verify.html", "Verify a provider", "Verdicts, fixtures, flags, CI, webhooks."),
  "pact-verifiers": page(
    "guide-pact-verifiers.html",
    "Use your own Pact verifier",
    "The contracts in a JVM, Go, .NET or PHP test suite.",
  ),
  tools: page(
    "guide-tools.html",
    "Use your tools",
    "Third-party generators, mocks and checks on the documents.",
  ),
  platform: page("guide-platform.html", "Change the contract", "Edit spec/, generate, use the clients."),
  console: page("guide-console.html", "Use the console", "The tasks of an operator, with pictures."),
  operator: page("guide-operator.html", "Run the platform", "Deploy, onboard, watch, back up."),
  organisations: page(
    "guide-organisations.html",
    "Many organisations",
    "One PostgreSQL, several behind a router, and the move of an organisation.",
  ),
  telemetry: page(
    "guide-telemetry.html",
    "Export telemetry",
    "Traces of the platform in your collector, with OpenTelemetry's instrumentation.",
  ),
  settings: page("guide-settings.html", "Settings", "Every setting of the platform, with its default."),
  runbook: page("guide-runbook.html", "Runbook", "Each alert and each issue: what it means, what to do."),
  "threat-model": page(
    "guide-threat-model.html",
    "Threat model",
    "What is protected, against whom, and what is left to you.",
  ),
  architecture: page(
    "guide-architecture.html",
    "Architecture",
    "The layers, the generator and the reconciler.",
  ),
  contributing: page(
    "guide-contributing.html",
    "Contribute",
    "Where each kind of change goes, and how to prove it.",
  ),
  supported: page(
    "guide-supported.html",
    "What the documents may say",
    "The keys of OpenAPI, AsyncAPI and JSON Schema that the generator understands.",
  ),
} as const;

export const REFERENCES = {
  "provider.openapi.yaml": page("provider.html", "Provider API", "What a provider exposes to the platform."),
  "platform.openapi.yaml": page(
    "platform.html",
    "Webhook API",
    "Where the platform receives a provider's webhooks.",
  ),
  "operations.openapi.yaml": page(
    "operations.html",
    "Operations API",
    "The platform's own API, for those who run it.",
  ),
  "candidate.openapi.yaml": page(
    "candidate.html",
    "Pages for candidates",
    "What a candidate opens from a mail, and answers.",
  ),
} as const;

/** The AsyncAPI documents, by their file. */
export const MESSAGES: Readonly<Record<string, Page>> = {
  "events.asyncapi.yaml": page("events.html", "Events", "The three webhooks, field by field."),
  "notifications.asyncapi.yaml": page(
    "notifications.html",
    "Notifications",
    "The webhook for a company's own service of messages, field by field.",
  ),
};
export const CONTRACT = page(
  "contract.html",
  "The contract",
  "What a provider and the platform owe each other.",
);
export const DOWNLOADS = page("downloads.html", "Downloads", "The documents for generators in any language.");
export const DECISIONS = page(
  "decisions.html",
  "Decisions",
  "What the contract leaves open, and how it is settled here.",
);
export const FINDINGS = page("findings.html", "Finding codes", "What verify, listen and compare can find.");
export const PROBLEMS = page("problems.html", "Error codes", "Every code of an error response.");
export const ISSUES = page("issues.html", "Issue codes", "What needs an operator, and what to do about it.");

export const CHAPTERS: readonly Chapter[] = [
  { title: "Guides", pages: Object.values(GUIDES) },
  {
    title: "Reference",
    pages: [CONTRACT, ...Object.values(REFERENCES), ...Object.values(MESSAGES), DOWNLOADS],
  },
  { title: "Look up", pages: [DECISIONS, FINDINGS, PROBLEMS, ISSUES] },
];

/** Returns a complete page with styles from docs.css only; no script is inline. */
export function shell(current: Page, content: Markup): string {
  return document(
    current,
    markup`<body class="own">
<a class="skip" href="#content">Skip to the text</a>
${header(current)}
<main id="content" tabindex="-1">
${content}
</main>
</body>`,
  );
}

/** Redoc writes `/shifts` for what it shows at `#/shifts`: a new tab or a copied address would leave the page. */
const LINKS = `<script>
for (const type of ["pointerover", "focusin"])
  addEventListener(type, (event) => {
    const link = event.target.closest('#redoc a[href^="/"]');
    if (link) link.setAttribute("href", "#" + link.getAttribute("href"));
  });
</script>`;

/** Returns the Handlebars template of the page around a document in Redoc. */
export function redocTemplate(current: Page): string {
  const body = `<body class="redoc-page">\n${header(current).text}\n{{{redocHTML}}}\n${LINKS}\n</body>`;
  const head = "<style>body { margin: 0; padding: 0; }</style>\n{{{redocHead}}}\n</head>";
  return document(current, markup``)
    .replace("</head>", () => head)
    .replace("</html>", () => `${body}\n</html>`);
}

function document({ title, about }: Page, body: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${about}">
<title>${title} · shiftpact</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs.css">
</head>
${body}
</html>
`.text;
}

function header(current: Page): Markup {
  return markup`<header class="site">
<a class="brand" href="index.html"${current === HOME ? markup` aria-current="page"` : ""}>shiftpact</a>
<a class="search" href="search.html"${current === SEARCH ? markup` aria-current="page"` : ""}>Search</a>
<details class="menu">
<summary>Pages</summary>
<nav aria-label="Pages">${CHAPTERS.map((chapter) => chapterOf(chapter, current))}</nav>
</details>
</header>`;
}

function chapterOf({ title, pages }: Chapter, current: Page): Markup {
  const links = pages.map((each) => {
    const mark = each === current ? markup` aria-current="page"` : "";
    return markup`<li><a href="${each.file}"${mark}>${each.title}</a></li>`;
  });
  return markup`<div><p>${title}</p><ul>${links}</ul></div>`;
}

/** Wide content scrolls in a separate box, which the keyboard reaches. */
export function scrolling(label: string, content: Markup): Markup {
  return markup`<div class="scroll" role="group" aria-label="${label}" tabindex="0">${content}</div>`;
}

export function codeBlock(text: string, label = "Code"): Markup {
  return markup`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}
