import { catalogue } from "../../src/contract/problem.ts";
import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { codeRow, line } from "./markdown.ts";
import type { Operation } from "./operations.ts";
import { codeBlock, PROBLEMS, scrolling, shell } from "./shell.ts";
import { nodesBelow, type SpecFolder } from "./spec-folder.ts";

const ABOUT =
  "An error is answered as an RFC 9457 problem document: `type`, `title`, `status`, `detail`, and with them `code`, `traceId` and `errors`, which " +
  "name each fault by its JSON pointer. Programs decide by `code`; it is never renamed. From a provider, any error body is tolerated.";

const EXAMPLE = {
  type: "https://shiftpact.example/problems/validation_failed",
  title: catalogue.validation_failed.title,
  status: catalogue.validation_failed.status,
  code: "validation_failed",
  errors: [{ pointer: "#/body/content/shiftId", message: "must be a UUID" }],
};

export function problemsPage(spec: SpecFolder, operations: readonly Operation[]): string {
  const rows = Object.entries(catalogue).map(([code, { status, title }]) => {
    const named = operations.filter((operation) => names(spec, operation, code));
    return codeRow(code, [markup`<td>${status}</td>`, markup`<td>${title}</td>`, usersCell(named)]);
  });
  const head = ["code", "status", "title", "named by"].map((title) => markup`<th scope="col">${title}</th>`);
  const table = markup`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
  return shell(
    PROBLEMS,
    markup`<h1>Error codes</h1>
<p class="lead">Every code that an answer of the platform, of the sandbox or of a generated stub can carry.</p>
<p>${line(ABOUT)}</p>
${codeBlock(JSON.stringify(EXAMPLE, undefined, 2), "A problem document")}
<p>The last column links the operations whose descriptions name the code.</p>
${scrolling("Error codes", table)}`,
  );
}

function usersCell(operations: readonly Operation[]): Markup {
  const links = operations.map(({ href, operationId }) => markup`<a href="${href}">${operationId}</a> `);
  return markup`<td>${links}</td>`;
}

/** Whether a description of the operation, or of an answer that it shares with others, holds the code. */
function names(spec: SpecFolder, operation: Operation, code: string): boolean {
  const shared = [...operation.reaches].filter((place) => place.includes("#/components/responses/"));
  return [`${operation.file}#${operation.pointer}`, ...shared].some((place) =>
    descriptionsAt(spec, place).some((text) => text.includes(`\`${code}\``)),
  );
}

function descriptionsAt(spec: SpecFolder, place: string): string[] {
  const { value } = spec.follow(place, "");
  return [...nodesBelow(value)].flatMap(({ node }) =>
    typeof node.description === "string" ? [node.description] : [],
  );
}
