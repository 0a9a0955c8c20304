import { issueCodes, issueText } from "../../src/contract/operator-text.ts";
import { catalogue } from "../../src/contract/problem.ts";
import type { Operation } from "./redoc.ts";
import { CHAPTERS, GUIDES, MESSAGES, type Page, REFERENCES } from "./shell.ts";

// Pages that are composed from code, as Markdown. Their links name pages of the site.

const rowOf = (cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;

function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => "---"), ...rows].map(rowOf).join("\n");
}

const linkTo = ({ file, title }: Page): string => `[${title}](${file})`;

export function homeText(): string {
  const lookups = CHAPTERS.slice(1).map(({ title, pages }) => {
    const entries = pages.map((page) => `- ${linkTo(page)}: ${page.about}`);
    return `## ${title}\n\n${entries.join("\n")}`;
  });
  return `# shiftpact

Connects shift-scheduling systems to a staffing platform, and proves that both sides follow the same contract.

A provider notifies the platform that a shift was created, changed or deleted. The platform reads the shift, finds a candidate, and assigns
the candidate at the provider. One contract defines how: it is written by hand, and everything else is generated from it or tested against it.

## You have a scheduling system

In any language. Read what to expose and what to send, read a provider that works, and have yours verified: every fault comes with its fix.
${linkTo(GUIDES.provider)}

## You call providers, or change the contract

Edit the documents, generate types, clients, stubs and validators, see what breaks for which party, and call a provider of any dialect.
${linkTo(GUIDES.platform)}

## You run the platform

Start it, onboard an organisation, find out in one view why a shift is not staffed, and know what to do when something needs attention.
${linkTo(GUIDES.operator)}

${lookups.join("\n\n")}
`;
}

/** What each kind of file is, by the end of its name. */
const KINDS = [
  [".openapi-3.1.yaml", "OpenAPI 3.1"],
  [".openapi-3.0.yaml", "OpenAPI 3.0"],
  [".asyncapi-3.0.yaml", "AsyncAPI 3.0"],
] as const;

/** @param names the generated documents, which are in the same folder */
export function downloadsText(names: readonly string[]): string {
  const links = (document: string): string =>
    KINDS.filter(([end]) => names.includes(document + end))
      .map(([end, title]) => `[${title}](${document}${end})`)
      .join(", ");
  const rows = [...Object.values(REFERENCES), ...Object.values(MESSAGES)].map((page) => {
    const document = page.file.replace(".html", "");
    return [linkTo(page), links(document), links(`${document}-tolerant`)];
  });
  return `# Downloads

Each document in one file, for generators of clients, servers and models in any language.

${tableOf(["document", "files", "tolerant"], rows)}

[Use your tools](${GUIDES.tools.file}) explains which one to take, and how to print them on the command line.
`;
}

export function problemsText(operations: readonly Operation[]): string {
  const rows = Object.entries(catalogue).map(([code, { status, title }]) => {
    const naming = operations.filter(({ text }) => text.includes(`\`${code}\``));
    return [
      `\`${code}\``,
      status,
      title,
      naming.map(({ operationId, href }) => `[${operationId}](${href})`).join(" "),
    ];
  });
  const { title, status } = catalogue.validation_failed;
  const example = {
    type: "https://shiftpact.example/problems/validation_failed",
    title,
    status,
    code: "validation_failed",
    errors: [{ pointer: "#/body/content/shiftId", message: "must be a UUID" }],
  };
  return `# Error codes

An error response of the platform, of the sandbox or of a generated stub is an RFC 9457 problem document: \`type\`, \`title\`, \`status\` and \`detail\`,
together with \`code\`, \`traceId\` and \`errors\`, which names each fault by its JSON pointer. Programs decide by \`code\`; it is never renamed. From
a provider, any error body is accepted.

\`\`\`json
${JSON.stringify(example, undefined, 2)}
\`\`\`

## Codes

The last column links the operations whose descriptions name the code.

${tableOf(["code", "status", "title", "named by"], rows)}
`;
}

export function issuesText(operations: readonly Operation[]): string {
  const rows = issueCodes.map((code) => {
    const { title, remedy } = issueText({ code, subject: { kind: "integration" }, params: {} });
    return [`\`${code}\``, title, remedy];
  });
  const resolve = operations.find(({ operationId }) => operationId === "resolveIssue");
  return `# Issue codes

The platform raises an issue when it cannot continue without an operator. An issue names its subject, says what happened, and what to do.

\`GET /operations/v1/issues\` lists the open issues. One issue is open for each organisation, code and subject; repetitions are counted. An issue
closes automatically once its cause is gone; an operator closes it with [resolveIssue](${resolve?.href}). The
[guide for operators](${GUIDES.operator.file}) goes through it step by step.

## Codes

${tableOf(["code", "title", "what to do"], rows)}
`;
}
