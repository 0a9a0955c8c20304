import { join } from "node:path";
import { SpecFault } from "../emit/fault.ts";
import { recordOf, type Schema } from "../emit/schema.ts";
import { asyncapiChanges } from "./asyncapi-changes.ts";
import { type Change, type ComparedDocument, type Parties, partiesOf } from "./change.ts";
import { CannotCompare, documentsIn, isSame, Side } from "./documents.ts";
import { openapiChanges } from "./openapi-changes.ts";
import { Findings } from "./report.ts";
import { SchemaChanges } from "./schema-changes.ts";
import { Prover } from "./subset.ts";
import { Walk } from "./walk.ts";

/**
 * Compares every document that differs between `base/` and `revision/`, two folders in one place.
 * @throws CannotCompare
 */
export function compare(folder: string): ComparedDocument[] {
  const [base, revision] = [join(folder, "base"), join(folder, "revision")];
  const before = documentsIn(base);
  const now = documentsIn(revision);
  const changed = [...new Set([...before, ...now])].sort().filter((name) => !isSame(name, base, revision));
  return changed.map((document) => {
    const parties = partiesOf(document);
    if (!now.includes(document)) return removed(document, parties);
    if (!before.includes(document)) return added(document);
    try {
      return compareDocument(document, parties, base, revision);
    } catch (error) {
      if (!(error instanceof SpecFault)) throw error;
      throw new CannotCompare(
        `${document} cannot be compared: run npm run lint for the reason\n${error.message}`,
      );
    }
  });
}

function compareDocument(
  document: string,
  parties: Parties,
  base: string,
  revision: string,
): ComparedDocument {
  const named: Record<string, Schema> = {};
  const [old, now] = [new Side(base, document, named), new Side(revision, document, named)];
  const findings = new Findings(old, now);
  const schemas = new SchemaChanges(new Prover(named), old, now, findings);
  const walk = new Walk(old, now, findings, schemas);
  if (document.includes(".asyncapi.")) asyncapiChanges(walk);
  else openapiChanges(walk);
  refuseForeign(document, old, now);
  const version = { base: versionOf(old), revision: versionOf(now) };
  return { document, version, changes: findings.changes(parties) };
}

/** @throws CannotCompare for a keyword that only one of the documents has at a place, and whose meaning is unknown */
function refuseForeign(document: string, old: Side, now: Side): void {
  const [word] = [...old.foreign]
    .filter((each) => !now.foreign.has(each))
    .concat([...now.foreign].filter((each) => !old.foreign.has(each)));
  if (word === undefined) return;
  throw new CannotCompare(
    `${document} cannot be compared: the keyword ${word} is not supported\nRemove it, or leave it unchanged`,
  );
}

const versionOf = ({ root }: Side): string => String(recordOf(recordOf(root.value).info).version);

function removed(document: string, { client, server }: Parties): ComparedDocument {
  return whole(document, {
    kind: "breaking",
    breaks: [client, server],
    message: "The document was removed.",
    advice: "Keep it, marked deprecated.",
  });
}

function added(document: string): ComparedDocument {
  return whole(document, { kind: "addition", breaks: [], message: "The document is new." });
}

function whole(
  document: string,
  change: Pick<Change, "kind" | "breaks" | "message" | "advice">,
): ComparedDocument {
  const place = { place: "the document", file: document, line: 1, pointer: "#" };
  return { document, version: {}, changes: [{ ...change, ...place }] };
}
