import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { codeBlock, DOWNLOADS, EVENTS, type Page, REFERENCES, scrolling, shell } from "./shell.ts";

/** The generated documents by their file names: they stand beside the pages. */
export function downloadFiles(folder: string): [string, string][] {
  const names = readdirSync(folder).sort();
  return names.map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

/** What each kind of file is, by the end of its name. */
const KINDS = [
  { end: ".openapi-3.1.yaml", title: "OpenAPI 3.1" },
  { end: ".openapi-3.1.json", title: "as JSON" },
  { end: ".openapi-3.0.yaml", title: "OpenAPI 3.0" },
  { end: ".openapi-3.0.json", title: "as JSON" },
  { end: ".asyncapi-3.0.yaml", title: "AsyncAPI 3.0" },
  { end: ".asyncapi-3.0.json", title: "as JSON" },
  { end: ".postman_collection.json", title: "Postman" },
];
/** What the readers of a document accept, beside what should be sent. */
const TOLERANT = "-tolerant";

const COMMAND = `npx shiftpact spec provider --openapi 3.0 --routing path --out provider.yaml
npx shiftpact spec events --format json
npx shiftpact spec provider --collection --out provider.postman_collection.json`;

export function downloadsPage(names: readonly string[]): string {
  const references = Object.entries(REFERENCES).map(
    ([file, page]) => [file.split(".")[0] ?? "", page] as const,
  );
  const rows = [...references, ["events", EVENTS] as const];
  return shell(
    DOWNLOADS,
    markup`<h1>${DOWNLOADS.title}</h1>
<p class="lead">Each document in one file, for generators of clients, servers and models in any language.</p>
${scrolling(
  "Files",
  markup`<table><thead><tr><th scope="col">Document</th><th scope="col">Files</th></tr></thead>
<tbody>${rows.map(([name, page]) => row(name, page, names))}</tbody></table>`,
)}
<h2 id="choose">Which one to take</h2>
<ul>
<li>The document itself if you build a provider: it says what to send. The tolerant one if you call providers or take their webhooks: it says
what may come.</li>
<li>OpenAPI 3.1 if your generator reads it. Both versions accept the same values.</li>
<li>OpenAPI 3.0 otherwise. What this version cannot say is left out and named in the description.</li>
<li>The Postman collection to call an API by hand. Set its variables <code>baseUrl</code> and <code>token</code>, and for a provider
<code>providerId</code>. A provider's requests are in two folders, one for each routing.</li>
</ul>
<p>Conditions that no type can show, such as “at least one field of variant B”, are in <code>not</code>: validators check them, generators pass over
them.</p>
<h2 id="command">The same on the command line</h2>
${codeBlock(COMMAND, "Commands that print or write the files")}`,
  );
}

function row(name: string, page: Page, names: readonly string[]): Markup {
  const tolerant = links(`${name}${TOLERANT}`, names);
  return markup`<tr><th scope="row"><a href="${page.file}">${page.title}</a></th><td>${links(name, names)}${
    tolerant.length > 0 ? markup`<br>tolerant: ${tolerant}` : ""
  }</td></tr>`;
}

const links = (name: string, names: readonly string[]): Markup[] =>
  KINDS.filter(({ end }) => names.includes(name + end)).map(
    ({ end, title }, index) =>
      markup`${index === 0 ? "" : ", "}<a href="${name}${end}" download>${title}</a>`,
  );
