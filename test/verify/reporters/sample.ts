import { operationsTable } from "../../../generated/provider/server.ts";
import { type CheckResult, openResults } from "../../../src/verify/check-results.ts";
import { entryOf } from "../../../src/verify/codes/codes.ts";
import type { Coverage, RunEvent, Verification } from "../../../src/verify/events.ts";
import type { Finding, Passed } from "../../../src/verify/finding.ts";
import type { Group } from "../../../src/verify/options.ts";
import { summaryOf } from "../../../src/verify/verdict.ts";

/** Text that a report must escape: markup, a terminal escape, a lone surrogate. */
export const HOSTILE = `<script>alert("x")</script> & 'y' ]]> \u001b[31mred\u001b[0m \u0000 \ud800`;

export function finding(code: Finding["code"], details: Partial<Finding> = {}): Finding {
  const { severity, section } = entryOf(code);
  const title = `The title of ${code}`;
  const fix =
    "Do this and that, in words that are long enough to be broken at the end of a line, here or there.";
  const place = { operation: "getShift", reproduce: "curl -i 'http://127.0.0.1/shifts/1'" } as const;
  const texts = { expected: "what is right", actual: "what is wrong" };
  const { operation, reproduce } = place;
  return { code, severity, operation, title, ...texts, section, reproduce, fix, count: 1, ...details };
}

/** Collects results like the recorder. */
function checksOf(findings: readonly Finding[]): CheckResult[] {
  const results = openResults();
  results.made("reachability", "listRoles", "organisation", passed("roles are listed"));
  for (const each of findings) {
    if (each.code === "skipped_by_choice") results.found("registry", each.title, each);
    else results.found("meaning", "assignments", each);
  }
  return results.close();
}

const passed = (title: string): Passed => ({ kind: "passed", operation: "listRoles", title });

const errors = [
  finding("server_error", { operation: "assignCandidate", count: 3, actual: "status 500" }),
  finding("time_without_offset", { expected: "a start with an offset" }),
  finding("field_missing"),
  finding("time_without_offset", { expected: "an end with an offset", count: 2 }),
  finding("auth_missing", { operation: "provider", reproduce: "" }),
];
const warnings = [finding("number_form_ignored", { operation: "findCandidates" })];
const skips = [
  finding("skipped_not_prepared", {
    title: "a cancellation",
    expected: "",
    actual: "no shift",
    reproduce: "",
  }),
  finding("skipped_not_prepared", { title: "an update", expected: "", actual: "no shift", reproduce: "" }),
];
const leftOut = finding("skipped_by_choice", {
  operation: "provider",
  title: "the group registry",
  reproduce: "",
  expected: "",
  actual: "--only or --skip",
});

function coverage(): Coverage {
  const none = operationsTable.map(({ operationId }) => [operationId, {}]);
  const some = { getShift: { "200": 12, "404": 2 }, listRoles: { "200": 1, hung: 1 } };
  return { ...Object.fromEntries(none), ...some };
}

/** Returns the events of one run. */
export function sampleRun(...more: Finding[]): RunEvent[] {
  const inMeaning = [...warnings, ...errors.slice(1), ...skips, ...more];
  const findings = [...errors.slice(0, 1), ...inMeaning, leftOut];
  const checks = checksOf(findings);
  const verification: Verification = {
    summary: summaryOf(checks, "error"),
    startedAt: "2026-11-23T09:00:00.000Z",
    version: "1.2.3",
    command: "shiftpact verify --token $PROVIDER_TOKEN",
    unseen: [],
    readOnly: false,
    candidates: 0,
    limited: { waits: 0, atOnce: 8 },
    findings,
    checks,
    passed: [{ ...passed("roles are listed"), group: "reachability" }],
    forms: { routing: "path", variant: "b", notFound: "404", unassign: "delete", acknowledgement: "none" },
    coverage: coverage(),
    requests: 16,
    duration: 1_234,
    seed: 7,
    baseUrl: "http://127.0.0.1:4010",
    providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  };
  const found = (group: Group, each: Finding): RunEvent[] => [{ type: "finding", group, finding: each }];
  const { baseUrl, providerId, seed } = verification;
  return [
    { type: "plan", changes: ["createCandidate", "updateShift"], baseUrl, providerId, seed },
    { type: "group", group: "reachability" },
    { type: "check", group: "reachability" },
    { type: "passed", group: "reachability", passed: passed("roles are listed") },
    { type: "group", group: "dialect" },
    { type: "check", group: "dialect" },
    ...errors.slice(0, 1).flatMap((each) => found("dialect", each)),
    { type: "group", group: "meaning" },
    { type: "check", group: "meaning" },
    ...inMeaning.flatMap((each) => found("meaning", each)),
    ...found("registry", leftOut),
    { type: "group", group: "cancellation" },
    { type: "restore" },
    { type: "end", verification },
  ];
}

/** Returns the output of a reporter for these events. */
export function written<Text extends string>(
  create: (write: (text: Text) => void) => (event: RunEvent) => void,
  events: readonly RunEvent[],
): Text[] {
  const lines: Text[] = [];
  const report = create((text) => lines.push(text));
  for (const event of events) report(event);
  return lines;
}
