import { ISSUES as catalogue } from "../../src/platform/issues/issues.ts";
import { markup } from "../../src/verify/reporters/markup.ts";
import { codeRow, line } from "./markdown.ts";
import { GUIDES, ISSUES, REFERENCES, scrolling, shell } from "./shell.ts";

/** Issues of the platform: what each code asks of a person. */
export function issuesPage(): string {
  const rows = Object.entries(catalogue).map(([code, remedy]) =>
    codeRow(code, [markup`<td>${line(remedy)}</td>`]),
  );
  const head = markup`<tr><th scope="col">code</th><th scope="col">what to do</th></tr>`;
  const operations = REFERENCES["operations.openapi.yaml"].file;
  return shell(
    ISSUES,
    markup`<h1>Issue codes</h1>
<p class="lead">An issue is raised where the platform cannot go on without a person. It names the subject, what happened, and what to do.</p>
<p>${line("`GET /operations/v1/issues` lists the open ones. There is one open issue for each organisation, code and subject; what happens again is counted.")}
An issue closes by itself once its cause is gone; a person closes it with <a href="${operations}#/seeing/resolveissue">resolveIssue</a>.
<a href="${GUIDES.operator.file}">The guide for operators</a> goes through it step by step.</p>
${scrolling("Issue codes", markup`<table><thead>${head}</thead><tbody>${rows}</tbody></table>`)}`,
  );
}
