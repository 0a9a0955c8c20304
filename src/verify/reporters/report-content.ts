import { operationsTable } from "../../../generated/provider/server.ts";
import type { KnownForms } from "../contracts.ts";
import type { Coverage, Verification } from "../events.ts";
import type { Finding, Place } from "../finding.ts";
import { webhookOperations } from "../listen/webhook-operations.ts";

export interface Section {
  place: Place;
  /** `GET /shifts/{shiftId}`; empty for the provider as a whole. */
  call: string;
  findings: readonly Finding[];
}

const OPERATIONS = [...operationsTable, ...webhookOperations];
const CALLS = new Map<Place, string>(
  OPERATIONS.map(({ operationId, method, path }) => [operationId, `${method} ${path}`]),
);
const PLACES: readonly Place[] = ["provider", ...CALLS.keys()];

/** Returns the findings of one severity by place, in the contract's order of operations, and by code within a place. */
export function sectionsOf(findings: readonly Finding[], severity: "error" | "warning"): readonly Section[] {
  const chosen = findings.filter((each) => each.severity === severity);
  return PLACES.map((place) => ({
    place,
    call: callOf(place),
    findings: byCode(chosen.filter(({ operation }) => operation === place)),
  })).filter((section) => section.findings.length > 0);
}

function byCode(findings: readonly Finding[]): readonly Finding[] {
  return [...Map.groupBy(findings, ({ code }) => code).values()].flat();
}

export function callOf(place: Place): string {
  return CALLS.get(place) ?? "";
}

/** Returns the labelled lines of a finding: every report shows these, in this order. */
export function rowsOf(finding: Finding): readonly (readonly [label: string, text: string])[] {
  const { expected, actual, section, code, fix, count, places } = finding;
  return [
    ...(places ? [["at", places.map(callOf).join(", ")] as const] : []),
    ["expected", expected],
    ["actual", count > 1 ? `${actual} (${count} times)` : actual],
    ["contract", `section ${section}, ${code}`],
    ["fix", fix],
  ];
}

/** One reason, and the checks that were skipped for it. */
export interface NotChecked {
  reason: string;
  /** Each title once, with its operations. */
  checks: readonly { title: string; places: readonly Place[] }[];
}

export function notChecked(findings: readonly Finding[]): readonly NotChecked[] {
  const skips = findings.filter(({ severity }) => severity === "skipped");
  const byReason = Map.groupBy(skips, ({ code, actual }) =>
    code === "skipped_by_choice" ? "excluded by --only or --skip" : actual,
  );
  return [...byReason].map(([reason, group]) => ({ reason, checks: byTitle(group) }));
}

function byTitle(skips: readonly Finding[]): NotChecked["checks"] {
  return [...Map.groupBy(skips, ({ title }) => title)].map(([title, group]) => ({
    title,
    places: group.map(({ operation }) => operation).filter((operation) => operation !== "provider"),
  }));
}

/** Returns the number of responses by status, with a row for each operation. */
export function coverageTable(coverage: Coverage) {
  const statuses = [...new Set(Object.values(coverage).flatMap((counts) => Object.keys(counts)))].sort();
  const rows = operationsTable.map(({ operationId }) => ({
    call: callOf(operationId),
    counts: statuses.map((status) => coverage[operationId][status] ?? 0),
  }));
  return { statuses, rows };
}

type Shown = Required<Omit<KnownForms, "numbers">>;

const FORM_LABELS: {
  readonly [Form in keyof Shown]: readonly [name: string, words: Record<Shown[Form], string>];
} = {
  routing: ["routing", { path: "path", header: "header" }],
  variant: ["shift variant", { a: "A", b: "B" }],
  notFound: ["no match", { empty: "200 []", "404": "404" }],
  unassign: ["unassign", { put: "PUT", delete: "DELETE" }],
  acknowledgement: ["acknowledgement", { minimal: "minimal", full: "full", none: "204" }],
  updated: ["update returns", { shift: "the shift", none: "no shift" }],
  deleted: ["cancelled shift", { "404": "404", "410": "410", cancelled: "status cancelled" }],
  returned: ["personal numbers", { digits: "YYYYMMDDXXXX", hyphenated: "YYYYMMDD-XXXX" }],
  hyphen: ["hyphenated numbers", { read: "read", refused: "refused" }],
  full: ["full shift", { refused: "refuses another candidate", accepted: "accepts another candidate" }],
  registry: ["registry", { offered: "offered", absent: "not offered" }],
};

export function formLabels(forms: KnownForms): readonly (readonly [name: string, value: string])[] {
  return Object.entries(FORM_LABELS).flatMap(([form, [name, words]]) => {
    const value = forms[form as keyof KnownForms];
    if (value === undefined) return [];
    return [[name, (words as Record<string, string>)[value] ?? value] as const];
  });
}

/** `1 error`, `2 errors`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** Returns what a reader must know beside the counts. */
export function notesOf(verification: Verification): string[] {
  const { limited, summary, candidates, runsLeft = FEW_RUNS } = verification;
  return [
    ...(limited.waits > 0 ? [rateLimitText(limited)] : []),
    ...(summary.verdict === "incomplete" ? [incompleteText(verification)] : []),
    ...(candidates > 0 ? [leftText(candidates)] : []),
    ...(runsLeft < FEW_RUNS ? [runsLeftText(runsLeft)] : []),
  ];
}

function incompleteText({ unseen, readOnly }: Verification): string {
  const why = readOnly
    ? "--read-only makes no call that changes data"
    : 'see "Not checked" for what is missing';
  return `Never succeeded: ${unseen.join(", ")} (${why}).`;
}

function rateLimitText({ waits, atOnce }: Verification["limited"]): string {
  return `The provider limits its rate (429): the run waited ${waits === 1 ? "once" : `${waits} times`}, and then sent at most ${atOnce} concurrent requests.`;
}

/** A month of nights. */
const FEW_RUNS = 30;

function runsLeftText(runs: number): string {
  const left =
    runs === 0 ? "no test number is left" : `test numbers are left for ${counted(runs, "more run")}`;
  return `Warning: ${left}. Without one, a run creates a candidate of an earlier run again, and does not see whether a new one works: remove the earlier ones, or use --states-url or --numbers.`;
}

function leftText(candidates: number): string {
  return `${counted(candidates, "new test candidate")} with the last name Provning ${candidates === 1 ? "stays" : "stay"} at the provider: --states-url can remove them.`;
}
