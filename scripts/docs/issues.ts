import type { IssueCode } from "../../generated/operations/types.ts";
import { issueCodes, issueText } from "../../src/contract/operator-text.ts";
import { markup } from "../../src/verify/reporters/markup.ts";
import { codeRow, line } from "./markdown.ts";
import { GUIDES, ISSUES, REFERENCES, scrolling, shell } from "./shell.ts";

/** The issues of the platform: what each code means, and what an operator does. */
export function issuesPage(): string {
  const head = markup`<tr><th scope="col">code</th><th scope="col">title</th><th scope="col">what to do</th></tr>`;
  const operations = REFERENCES["operations.openapi.yaml"].file;
  return shell(
    ISSUES,
    markup`<h1>Issue codes</h1>
<p class="lead">The platform raises an issue when it cannot continue without an operator. An issue names its subject, says what happened, and what to do.</p>
<p>${line("`GET /operations/v1/issues` lists the open issues. One issue is open for each organisation, code and subject; repetitions are counted.")}
An issue closes automatically once its cause is gone; an operator closes it with <a href="${operations}#/issues/resolveissue">resolveIssue</a>.
<a href="${GUIDES.operator.file}">The guide for operators</a> goes through it step by step.</p>
${scrolling("Issue codes", markup`<table><thead>${head}</thead><tbody>${issueCodes.map(rowOf)}</tbody></table>`)}`,
  );
}

function rowOf(code: IssueCode) {
  const { title, remedy } = issueText({ code, subject: { kind: "integration" }, params: {} });
  return codeRow(code, [markup`<td>${title}</td>`, markup`<td>${line(remedy)}</td>`]);
}
