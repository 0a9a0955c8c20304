import { type Markup, markup } from "../../src/verify/reporters/markup.ts";
import { siteLink } from "./guides.ts";
import { paragraphs, written } from "./markdown.ts";
import { type Operation, pageOfDocument } from "./operations.ts";
import { DECISIONS, EVENTS, REFERENCES, shell } from "./shell.ts";
import { keysOf, nodesBelow, type Place, pointerOf, type SpecFolder } from "./spec-folder.ts";

/** A paragraph of a description that settles what the contract leaves open. */
export interface Decision extends Place {
  text: string;
}

/** How the documents say it: "Decision", "(contract 7 leaves ... open)", "**Routing** (contract 4.1)". */
const SETTLES = /\bdecision\b|\bdecided\b|leaves .{1,40} open\b|^\*\*[^*]+\*\* \(contract/i;

/** The site has no source files: the path alone is shown. */
const LINK_TO_TEST = /\[(`[^`]+`)\]\(\.\.\/test\/[^)]+\)/g;

function decisionsOf(spec: SpecFolder): Decision[] {
  return [...spec.files].flatMap(([file, document]) =>
    [...nodesBelow(document)].flatMap(({ keys, node }) => {
      if (typeof node.description !== "string") return [];
      const settling = node.description.split(/\n{2,}/).filter((paragraph) => SETTLES.test(paragraph));
      return settling.map((text) => ({ file, pointer: pointerOf(keys), text }));
    }),
  );
}

/** @param decided spec/decisions.md */
export function decisionsPage(spec: SpecFolder, operations: readonly Operation[], decided: string): string {
  const decisions = uniqueIn(decisionsOf(spec));
  const files = [...spec.files.keys()].filter((file) => decisions.some((each) => each.file === file));
  const chapters = files.map((file) => {
    const own = decisions.filter((each) => each.file === file);
    return markup`<h2 id="${idOf(file)}">${titleOf(file)}</h2>${own.map((each) => decisionPart(each, operations))}`;
  });
  const contents = files.map((file) => markup`<li><a href="#${idOf(file)}">${titleOf(file)}</a></li>`);
  return shell(
    DECISIONS,
    markup`${written(decided.replaceAll(LINK_TO_TEST, "$1"), siteLink).html}
<h2 id="descriptions">In the descriptions</h2>
<p>The same, where it matters: in the descriptions of the documents.</p>
<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${contents}</ul></nav>
${chapters}`,
  );
}

/** YAML anchors repeat a description under several keys. */
function uniqueIn(decisions: readonly Decision[]): Decision[] {
  const first = new Map(decisions.toReversed().map((each) => [each.file + each.text, each]));
  return [...first.values()].reverse();
}

const idOf = (file: string): string => file.replaceAll(/[^a-z]+/g, "-");

function titleOf(file: string): string {
  if (file in REFERENCES) return REFERENCES[file as keyof typeof REFERENCES].title;
  return file === "events.asyncapi.yaml" ? EVENTS.title : `Shared: ${file}`;
}

function decisionPart(decision: Decision, operations: readonly Operation[]): Markup {
  return markup`<section class="decision"><h3>${placeOf(decision, operations)}</h3>
${paragraphs(decision.text)}${usersOf(decision, operations)}</section>`;
}

/** An operation or a part of one; a schema and its field; or the document as a whole. */
function placeOf({ file, pointer }: Decision, operations: readonly Operation[]): Markup {
  const operation = operations.find((each) => each.file === file && pointer.startsWith(each.pointer));
  if (operation !== undefined) {
    const { href, method, path, operationId } = operation;
    return markup`<a href="${href}"><code>${method} ${path}</code></a> ${operationId}`;
  }
  const named = keysOf(pointer).filter(
    (key) => !/^(components|schemas|parameters|securitySchemes|properties|allOf|oneOf|\d+)$/.test(key),
  );
  if (named.length > 0 && named[0] !== "info") return markup`<code>${named.join(".")}</code>`;
  return markup`<a href="${pageOfDocument(file)}">The document as a whole</a>`;
}

const FEW = 4;

/** The operations that a shared part concerns. */
function usersOf({ file, pointer }: Decision, operations: readonly Operation[]): Markup {
  const keys = keysOf(pointer);
  const owner = `${file}#${pointerOf(keys.slice(0, keys[0] === "components" ? 3 : 1))}`;
  const users = operations.filter(({ reaches }) => reaches.has(owner));
  if (users.length === 0) return markup``;
  const few = users
    .slice(0, FEW)
    .map(({ href, operationId }) => markup` <a href="${href}">${operationId}</a>`);
  const more = users.length > FEW ? ` and ${users.length - FEW} more` : "";
  return markup`<p class="soft">Concerns${few}${more}.</p>`;
}
