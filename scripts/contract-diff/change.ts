import { pointerSteps } from "../emit/fault.ts";
import { CannotCompare } from "./documents.ts";

/** One difference between two revisions of a document, and the parties that it breaks. */
export interface Change {
  /** `advice`: what a provider should send without being refused. `notice`: breaks no party, but concerns all. */
  kind: "breaking" | "addition" | "advice" | "notice" | "wording";
  /** The parties on the old document that fail with a partner on the new one. */
  breaks: readonly Party[];
  /** The first operation, channel or other part with the change. */
  place: string;
  message: string;
  /** The alternative to a breaking change. */
  advice?: string;
  /** Relative to the spec folder; in the old document if the part was removed. */
  file: string;
  line: number;
  pointer: string;
}

export interface ComparedDocument {
  document: string;
  version: { base?: string; revision?: string };
  changes: readonly Change[];
}

export type Party = "providers" | "platform" | "operators" | "candidates";

export interface Parties {
  /** The caller of the API; for events, their reader. */
  client: Party;
  /** The server of the API; for events, their sender. */
  server: Party;
  /** The only server is released with the document, so changes never break it. */
  isReleasedWithDocument?: true;
}

const PARTIES: Readonly<Record<string, Parties>> = {
  "provider.openapi.yaml": { client: "platform", server: "providers" },
  "platform.openapi.yaml": { client: "providers", server: "platform" },
  "events.asyncapi.yaml": { client: "platform", server: "providers" },
  "operations.openapi.yaml": { client: "operators", server: "platform", isReleasedWithDocument: true },
  "notifications.asyncapi.yaml": { client: "operators", server: "platform", isReleasedWithDocument: true },
  "candidate.openapi.yaml": { client: "candidates", server: "platform", isReleasedWithDocument: true },
};

/** @throws CannotCompare for a document without an entry in PARTIES */
export function partiesOf(document: string): Parties {
  const parties = PARTIES[document];
  if (parties) return parties;
  throw new CannotCompare(
    `The parties of ${document} are unknown: add it to PARTIES in scripts/contract-diff/parties.ts`,
  );
}

/** Returns a compatible alternative. */
export function adviceOn(change: "added" | "removed" | "modified", message: string): string {
  if (change === "removed") return "Keep it, marked deprecated, and add the new form beside it.";
  if (message.startsWith("`required`"))
    return "Leave `required` unchanged: new members stay optional, and required ones stay required.";
  if (message.startsWith("`enum`")) return "Keep the values, and add a separate field for the new ones.";
  if (message.startsWith("Branch")) return "Add the new form as a separate field or operation.";
  if (change === "added") return "Make it optional.";
  return "Keep the old form, and add the new one beside it.";
}

const KEYWORD =
  /^(allOf|anyOf|components|content|headers|items|messages|oneOf|payload|properties|schema|schemas|security|securitySchemes)$/;

/** Returns " of " and the property, schema or message that holds the target of a pointer. */
export function ownerOf(pointer: string): string {
  const rest = pointerSteps(pointer).slice(0, -1);
  while (rest.length > 0 && KEYWORD.test(rest.at(-1) ?? "")) rest.pop();
  const last = rest.at(-1);
  if (last === undefined) return "";
  if (!/^\d+$/.test(last)) return ` of \`${last}\``;
  return rest.at(-2) === "parameters" ? ` of parameter ${Number(last) + 1}` : "";
}

/** Returns one sentence about a value, from old to new. */
export function changed(name: string, pointer: string, before: unknown, after: unknown): string {
  const subject = `\`${name}\`${ownerOf(pointer)}`;
  if (name === "deprecated") return `It is ${after === true ? "" : "no longer "}deprecated.`;
  if (before === undefined) return `${subject} was ${isNested(after) ? "added" : `set to ${show(after)}`}.`;
  if (after === undefined)
    return `${subject} was removed${isNested(before) ? "" : `; it was ${show(before)}`}.`;
  if (isNested(before) || isNested(after)) return `${subject} changed.`;
  if (Array.isArray(before) || Array.isArray(after)) return `${subject} ${listChange(before, after)}.`;
  return `${subject} changed from ${show(before)} to ${show(after)}.`;
}

/** Whether it is not for one line: an object, or a list of objects. */
const isNested = (value: unknown): boolean =>
  [value].flat().some((each) => typeof each === "object" && each !== null);

function listChange(before: unknown, after: unknown): string {
  const [old, now] = [[before].flat(), [after].flat()];
  const gained = now.filter((value) => !old.includes(value));
  const lost = old.filter((value) => !now.includes(value));
  const parts = [
    ...(gained.length > 0 ? [`gained ${gained.map(show).join(", ")}`] : []),
    ...(lost.length > 0 ? [`lost ${lost.map(show).join(", ")}`] : []),
  ];
  return parts.join(" and ") || "has another order";
}

function show(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
