import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift } from "../../contract/shift.ts";
import { type Exchange, isPlain, isReply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { notFoundForm } from "../judge/dialect-consistency.ts";
import type { Facts } from "../run.ts";
import { momentOf, shiftBodyOf } from "../shift.ts";

export function unstable(exchange: Exchange, first: Facts, facts: Facts): Found {
  const isRefusal = "refused" in first !== "refused" in facts;
  const actual = isRefusal
    ? "served and refused alternately"
    : `${differing(first, facts).join(", ")} differs`;
  return found("answer_unstable", { exchange, expected: "the same result each time", actual });
}

export function differing(one: Facts, other: Facts): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => one[name] !== other[name]);
}

/** Returns undefined without a response, or for an invalid body, which the judge reports. */
export function factsOf(exchange: Exchange): Facts | undefined {
  const { operation } = exchange.probe;
  if (!isPlain(exchange)) return undefined;
  const { json, status } = exchange.answer;
  if (operation === "findCandidates" && notFoundForm(exchange)) return { candidates: "none" };
  if (status >= 400) return { refused: String(status) };
  if (operation === "getShift") return shiftFacts(shiftBodyOf(exchange));
  if (operation === "getCandidateRegistry")
    return idFacts((json as { candidates?: unknown } | undefined)?.candidates);
  // Only the first of several candidates with one number: another check reports duplicates.
  return operation === "findCandidates" && Array.isArray(json) ? idFacts(json.slice(0, 1)) : entryFacts(json);
}

/** Returns all facts except `updatedAt`, which any operation may change. */
function shiftFacts(body: ShiftBody | undefined): Facts | undefined {
  const shift = body && readShift(body, "UTC").shift;
  if (!body || !shift) return undefined;
  const { startTime, endTime, outletId, roleId, positions, variant, assigned } = shift;
  const { outletName, roleName, breakMinutes, status, description, createdAt } = body;
  const assignedCandidates = assigned.map(({ providerCandidateId }) => providerCandidateId).sort();
  const texts = { startTime, endTime, outletId, roleId, positions, variant, assignedCandidates };
  const made = createdAt && momentOf(createdAt);
  const others = { outletName, roleName, breakMinutes, status, description, createdAt: made };
  const entries = Object.entries({ ...texts, ...others });
  return Object.fromEntries(entries.map(([name, value]) => [name, JSON.stringify(value ?? null)]));
}

function entryFacts(json: unknown): Facts | undefined {
  const ids = idFacts(json);
  if (!ids || !Array.isArray(json)) return undefined;
  const entries = json.map((entry) => JSON.stringify([entry.id, entry.name, entry.address ?? null]));
  return { ...ids, entries: entries.sort().join() };
}

/** Returns the ids, sorted because the contract defines no order. The judge reports a missing id. */
function idFacts(json: unknown): Facts | undefined {
  if (!Array.isArray(json) || json.some((entry) => typeof entry?.id !== "string")) return undefined;
  const ids = json.map((entry) => entry.id).sort();
  return { ids: ids.join() };
}

/** Returns the entries of a list or of the registry, or the single object of a response. */
export function rowsOf(exchange: Exchange): Readonly<Record<string, unknown>>[] {
  if (!isReply(exchange) || exchange.answer.status >= 300) return [];
  const { json } = exchange.answer;
  const list = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.candidates)
      ? json.candidates
      : [json];
  return list.filter(isObject);
}
