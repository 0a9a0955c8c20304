import { schemas } from "../../../generated/provider/validators.js";
import { parsePersonalNumber } from "../../contract/personal-number.ts";
import { VARIANT_FIELDS } from "../../contract/shift.ts";
import type { KnownForms } from "../contracts.ts";
import { type Exchange, isReply, type Probe, type Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";

/** Reports a response in another form than the provider used before. Unknown forms are not judged. */
export function judgeForms(exchange: Exchange, forms: KnownForms): Found[] {
  if (!isReply(exchange)) return [];
  const notFound = isLookup(exchange.probe) ? notFoundForm(exchange) : undefined;
  const isAssignment = exchange.probe.operation === "assignCandidate";
  return [
    ...judgeVariant(exchange, forms.variant),
    ...judgeForm(exchange, forms.notFound, notFound),
    ...judgeForm(exchange, forms.acknowledgement, isAssignment ? acknowledgementOf(exchange) : undefined),
  ];
}

/** Reports a shift with fields of the other variant only. A provider may send fields of both. */
function judgeVariant(exchange: Reply, variant: "a" | "b" | undefined): Found[] {
  const { status, json } = exchange.answer;
  const { operation } = exchange.probe;
  if (variant === undefined || status !== 200 || (operation !== "getShift" && operation !== "updateShift"))
    return [];
  if (!schemas.Shift(json)) return [];
  const has = (which: "a" | "b") => VARIANT_FIELDS[which].some((mark) => mark in json);
  const other = variant === "a" ? "b" : "a";
  if (has(variant) || !has(other)) return [];
  const [expected, actual] = [variant, other].map((each) => `a shift of variant ${each.toUpperCase()}`);
  return [found("dialect_mixed", { exchange, expected: `${expected}, as before`, actual: actual ?? "" })];
}

const NAMES = {
  empty: "an empty array",
  "404": "404",
  none: "204",
  minimal: "the minimal acknowledgement",
  full: "the full acknowledgement",
};

function judgeForm<Form extends keyof typeof NAMES>(exchange: Reply, known?: Form, form?: Form): Found[] {
  if (known === undefined || form === undefined || form === known) return [];
  return [found("form_mixed", { exchange, expected: `${NAMES[known]}, as before`, actual: NAMES[form] })];
}

/** Whether it is a regular lookup: for an invalid request a 404 may have other reasons. */
function isLookup({ operation, query, rawPath, authorization, providerId, routing }: Probe): boolean {
  if (operation !== "findCandidates" || query?.personalNumber === undefined) return false;
  if ([rawPath, authorization, providerId, routing].some((changed) => changed !== undefined)) return false;
  return parsePersonalNumber(query.personalNumber) !== undefined;
}

/** Returns how a lookup reports no match, or undefined if it found a candidate. */
export function notFoundForm(lookup: Exchange): "empty" | "404" | undefined {
  if (!isReply(lookup)) return undefined;
  const { status, json } = lookup.answer;
  if (status === 404) return "404";
  return status === 200 && Array.isArray(json) && json.length === 0 ? "empty" : undefined;
}

/** Returns the form of an acknowledgement (`none`: 204), or undefined. */
export function acknowledgementOf(exchange: Exchange): "minimal" | "full" | "none" | undefined {
  if (!isReply(exchange)) return undefined;
  const { status, json } = exchange.answer;
  if (status === 204) return "none";
  if (status !== 200) return undefined;
  if (schemas.CompleteDetailedAssignment(json)) return "full";
  return schemas.MinimalAssignment(json) ? "minimal" : undefined;
}
