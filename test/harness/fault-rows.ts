import { type Dialect, dialectName } from "../../src/contract/dialect.ts";
import { type FaultName, faultNames } from "../../src/sandbox/faults/switchboard.ts";
import type { AnyCode } from "../../src/verify/codes/codes.ts";
import {
  coveringDialects,
  dialectsFor,
  EVERY,
  each,
  isOneOf,
  READ_LISTS,
  REQUIRED,
  type Row,
  rows,
  UNASSIGN,
  WITH_BODY,
} from "./fault-row.ts";

/** Faults of the sandbox that any operation can have. */
const everywhere = each(
  [],
  [
    ["unavailable", "server_error", EVERY],
    ["error-500", "server_error", EVERY],
    ["rate-limited", "skipped_rate_limited", EVERY],
    ["slow", "no_answer", EVERY],
    ["reset", "connection_broken", EVERY],
    ["answer-lost", "connection_broken", EVERY],
    ["oversized", "connection_broken", ["getShift"]],
    ["redirect", "redirected", EVERY],
    ["garbage", "body_not_json", WITH_BODY],
    ["empty-body", "body_missing", WITH_BODY],
    ["truncated", "body_not_json", WITH_BODY],
    ["json-as-html", "content_type_wrong", WITH_BODY],
    ["ids-as-numbers", "field_wrong", ["getShift", "createCandidate", ...READ_LISTS]],
    ["wrapped-in-data", "field_wrong", WITH_BODY],
  ],
);

/** Refusals of valid requests. */
const refused = each(
  ["answers", "meaning", "registry", "cancellation"],
  [
    ["valid-refused", "request_refused", EVERY.filter((operation) => !isOneOf(operation, UNASSIGN))],
    ["gateway-not-found", "request_refused", REQUIRED.filter((each) => each !== "findCandidates")],
    ["token-rejected", "request_refused", REQUIRED],
    ["token-forbidden", "request_refused", REQUIRED],
  ],
);

const access = each(["authentication"], [["no-token-accepted", "auth_missing", EVERY]]);

const errors = rows(["errors"], [["errors-as-html", "error_not_problem", "provider"]]);

const responses = [
  ...rows(
    [],
    [
      ["shift-lag", "request_refused", "getShift"],
      ["shift-of-another", "id_mismatch", "getShift"],
      ["time-without-offset", "time_without_offset", "getShift"],
      ["end-before-start", "end_not_after_start", "getShift"],
      ["assign-not-successful", "success_denied", "assignCandidate"],
      ["assign-of-another", "id_mismatch", "assignCandidate"],
      ["assign-for-another-shift", "id_mismatch", "assignCandidate"],
      ["unassign-not-successful", "success_denied", UNASSIGN],
      ["unassign-absent", "unassign_absent", UNASSIGN],
      ["assign-lost-answer", "server_error", "assignCandidate"],
      ["assign-late", "connection_broken", "assignCandidate"],
      ["create-late", "connection_broken", "createCandidate"],
    ],
  ),
  ...rows(
    ["answers", "meaning"],
    [
      ["error-now-and-then", "server_error", "listOutlets"],
      ["reset-now-and-then", "connection_broken", "listRoles"],
      ["invalid-now-and-then", "field_missing", "listOutlets"],
      ["stale-reads", "answer_unstable", "getShift"],
    ],
  ),
];

const meaning = [
  ...rows(
    ["meaning"],
    [
      ["assign-conflict", "request_refused", "assignCandidate"],
      ["candidate-race", "request_refused", "createCandidate"],
      ["update-refused", "update_refused", "updateShift"],
      ["update-not-stored", "update_without_effect", "updateShift"],
      ["assign-again-refused", "assign_not_idempotent", "assignCandidate"],
      ["two-candidates", "lookup_ambiguous", "findCandidates"],
      ["foreign-candidate", "lookup_ignores_query", "findCandidates"],
      ["created-another", "candidate_differs", "createCandidate"],
      ["hire-refused", "request_refused", "createCandidate"],
    ],
  ),
  ...rows(["cancellation"], [["cancel-refused", "request_refused", "cancelShift"]]),
];

export const faultRows: readonly Row[] = [
  ...everywhere,
  ...refused,
  ...access,
  ...errors,
  ...responses,
  ...meaning,
];

/** Allowed, or not observable in responses: the kit must report no error. */
export const notErrors: readonly FaultName[] = [
  "assign-no-content",
  "no-echo",
  "duplicate-webhooks",
  "webhook-of-another-shift",
];

/** Allowed if the other form of unassignment is offered. */
export const rightWithBothForms: readonly FaultName[] = ["unassign-unknown-path"];

/** Faults of the provider in `test/verify/independent`, by the code that the kit must report. */
const byCode: Readonly<Partial<Record<AnyCode, string>>> = {
  answer_unstable: "refused-now-and-then shorter-now-and-then later-now-and-then",
  assign_not_idempotent: "assign-duplicates-entry assign-repeat-409",
  assign_without_effect: "assign-without-effect assign-at-once-overwrites assign-stores-another",
  auth_after_lookup: "lookup-before-token",
  auth_any_token: "token-prefix-accepted token-suffix-ignored token-case-ignored any-token-accepted",
  auth_missing: `
    no-auth-get-shift no-auth-delete-shift no-auth-update-shift no-auth-assign no-auth-unassign-put
    no-auth-lookup no-auth-create no-auth-outlets no-auth-roles no-auth-registry no-auth-unassign-delete
    no-token-200-login-page no-token-200-error-body`,
  auth_status: "no-token-403 no-token-404 no-token-redirect",
  auth_wrong_scheme: "wrong-scheme-accepted bare-token-accepted",
  body_missing: `
    empty-body-get-shift empty-body-lookup empty-body-outlets empty-body-assign empty-body-create`,
  body_not_json: `
    truncated-get-shift truncated-lookup truncated-outlets html-page-200 latin1-body latin1-everywhere warning-before-json
    warning-everywhere single-quotes ack-as-text truncated-now-and-then`,
  break_too_long: "break-in-seconds",
  byte_order_mark: "byte-order-mark",
  cancel_without_effect: "delete-without-effect",
  cancelled_assigned: "cancelled-shift-assignable",
  candidate_differs: `
    candidate-email-null candidate-first-name-null candidate-phone-null candidate-without-personal-number
    candidate-without-first-name candidate-without-last-name candidate-without-email
    candidate-without-phone create-stores-other-name create-drops-phone create-encodes-twice
    create-escapes-html create-loses-letters create-cuts-phone create-ends-at-emoji`,
  candidate_twice: "create-twice-two-people",
  candidate_unstable: "candidate-id-changes candidate-id-other-than-created",
  connection_broken: `
    length-too-large no-content-with-length oversized reset-get-shift reset-create reset-roles reset-assign`,
  content_type_missing: "no-content-type",
  content_type_wrong: "html-label-get-shift html-label-lookup text-label-outlets text-label-everywhere",
  contract_broken: "create-not-stored",
  create_without_effect: "create-not-stored create-drops-last-digit",
  dialect_mixed: "mixed-shapes other-variant-now-and-then",
  duplicate_id: `
    registry-page-repeats duplicate-outlet-ids duplicate-role-ids assigned-twice lookup-lists-twice`,
  end_not_after_start: "update-crosses-fields end-before-start end-equals-start end-on-the-first-day",
  error_body_broken: "error-label-lies problem-wrong-status problem-status-string problem-truncated",
  error_leaks: "stack-trace-in-error sql-in-error trace-in-error",
  error_not_problem: "errors-as-text errors-empty errors-as-html errors-as-json",
  field_missing: `
    unknown-shift-200-error success-missing shift-without-id shift-without-start-time
    shift-without-end-time shift-without-outlet-id shift-without-role-id shift-without-assigned-candidates
    candidate-without-id outlet-without-id role-without-id outlet-without-name role-without-name
    created-without-id assigned-entry-without-number registry-without-id registry-without-personal-number
    registry-without-work-history registry-without-employee-number
    snake-case-fields unassign-delete-odd-body registry-snake-case`,
  field_recommended: "shift-without-outlet-name outlet-without-address",
  field_wrong: `
    unknown-shift-200-null shift-id-number outlet-id-number-in-shift role-id-number-in-shift slots-string
    slots-fraction slots-negative outlet-name-null-in-shift positions-string break-minutes-string
    break-as-duration description-number status-upper-case status-unknown-value status-number
    assigned-object assigned-null-when-empty assigned-ids-only assigned-count assigned-number-as-number
    assigned-id-number candidate-id-number candidate-personal-number-number candidate-phone-number
    outlet-address-object outlet-id-number outlet-name-null role-id-number role-name-null success-string
    success-number assigned-entry-without-id registry-employee-number-number registry-bank-details-string
    create-details-stored registry-bare-list wrapped-outlets wrapped-lookup wrapped-roles created-as-list
    lookup-single-object json-in-a-string list-as-object-outlets list-as-object-roles lookup-no-match-null
    every-fifth-invalid names-by-language shift-as-list ack-as-list page-around-lists wrapped-everywhere
    wrapped-shift wrapped-created
    status-one-l`,
  form_mixed: "mixed-not-found mixed-ack",
  id_mismatch: `
    update-changes-id shift-with-another-id shift-id-not-uuid ack-other-candidate ack-other-shift`,
  invalid_accepted: `
    invalid-create-200-error create-accepts-anything create-without-number create-without-names`,
  invalid_tolerated: `
    create-number-unchecked update-rolls-dates-over update-accepts-end-before-start
    update-unreadable-time-accepted update-accepts-anything create-without-contact create-number-as-number`,
  lookup_ambiguous: "lookup-finds-two",
  lookup_ignores_query: `
    lookup-ignores-query lookup-by-prefix lookup-by-date lookup-finds-first lookup-by-century`,
  lookup_misses: "route-missing-lookup lookup-finds-nobody",
  malformed_accepted: `
    malformed-id-accepted-get-shift malformed-id-accepted-update-shift malformed-id-accepted-delete-shift
    malformed-id-accepted-assign malformed-json-accepted-update malformed-json-accepted-create
    empty-body-accepted-update update-accepts-anything`,
  no_answer: "hang-get-shift hang-lookup hang-delete-shift hang-assign",
  not_restored: "update-resets-omitted",
  number_form_ignored: "hyphen-lookup-misses hyphen-lookup-400",
  offset_ignored: "update-drops-offset update-an-hour-later",
  outlet_unknown: "outlet-not-listed outlets-empty",
  overbooked: "overbooks-by-one",
  personal_number_invalid: "registry-wrong-check-digit",
  personal_number_wrong: "numbers-in-ten-digits numbers-masked registry-ten-digits",
  positions_differ: "positions-differ",
  positions_missing: "slots-null positions-null shift-without-positions",
  redirected: "redirect-get-shift redirect-outlets redirect-create",
  registry_incomplete: "registry-skips-people",
  registry_loops: "registry-loops",
  registry_too_long: "registry-too-long",
  registry_unmatched: "registry-other-ids registry-swaps-numbers",
  request_refused: `
    route-missing-roles create-replaces-person route-missing-get-shift route-missing-update-shift
    route-missing-delete-shift route-missing-assign route-missing-create route-missing-outlets
    method-refused-update lookup-no-match-400 assign-needs-content-type
    hire-unknown-fields-400 update-one-name`,
  role_unknown: "role-not-listed",
  server_error: `
    no-token-500 unavailable-outlets not-implemented-roles malformed-id-500-get-shift
    unknown-id-500-get-shift malformed-id-500-update-shift unknown-id-500-update-shift
    malformed-id-500-delete-shift unknown-id-500-delete-shift malformed-id-500-assign unknown-id-500-assign
    malformed-id-500-unassign-put unknown-id-500-unassign-put malformed-id-500-unassign-delete
    unknown-id-500-unassign-delete malformed-candidate-500-assign unknown-candidate-500-assign
    malformed-json-500-update empty-body-500-update array-body-500-update malformed-json-500-create
    empty-body-500-create array-body-500-create null-field-500-create create-details-500 long-query-500
    unicode-query-500 hyphen-lookup-500 no-query-500 not-found-500-lookup repeat-delete-500
    duplicate-create-500 unassign-absent-500 unknown-provider-500 long-id-500 quote-in-id-500 long-name-500
    invalid-field-500-update unknown-id-500`,
  shift_changed_unasked: `
    assign-changes-times assign-on-every-shift assign-changes-positions assign-replaces
    unassign-removes-all unassign-removes-last unassign-removes-first unassign-removes-oldest-person delete-removes-another update-drops-assigned
    unassign-changes-times update-resets-omitted update-sets-created`,
  status_wrong: `
    status-get-shift-201 status-assign-201 status-assign-202 status-create-202 status-lookup-201
    status-lookup-206 status-outlets-203 status-roles-202 status-registry-206 status-delete-shift-200
    status-delete-shift-202 status-outlets-204 status-roles-204 status-create-204 lookup-no-match-204
    status-update-shift-202 status-unassign-put-202 status-unassign-delete-202`,
  shift_id_not_uuid: "short-ids",
  success_denied: "success-false",
  tenant_conflict: "tenant-conflict-accepted tenant-conflict-first-wins",
  tenant_ignored: `
    no-tenant-check-get-shift no-tenant-check-update-shift no-tenant-check-delete-shift
    no-tenant-check-assign no-tenant-check-unassign-put no-tenant-check-unassign-delete
    no-tenant-check-lookup no-tenant-check-create no-tenant-check-outlets no-tenant-check-roles
    no-tenant-check-registry unknown-provider-accepted missing-provider-accepted tenant-kept`,
  tenant_shared: `
    other-tenants-token-accepted outlets-of-another-tenant candidates-of-another-tenant
    shift-of-another-tenant assign-on-another-tenant registry-of-another-tenant other-provider-served
    rows-name-another-tenant`,
  tenant_status: "unknown-provider-400",
  time_form_unusual: "time-short-offset time-without-seconds",
  time_invalid: `
    created-at-epoch assigned-at-local assigned-at-epoch update-stores-numbers time-epoch time-epoch-string
    time-local-format time-with-space time-rfc2822 time-date-only time-named-zone time-impossible
    time-empty time-null registry-dates-by-day`,
  time_not_set: "updated-in-year-one",
  time_without_offset: "assigned-at-without-zone time-without-zone",
  token_leaked: "token-in-error",
  unassign_absent: "unassign-refused",
  unassign_without_effect: "unassign-without-effect",
  unknown_id_accepted: `
    assign-unknown-candidate assign-unknown-shift unknown-shift-deleted-204 unknown-id-accepted-get-shift
    unknown-id-accepted-update-shift`,
  unknown_id_status: "unknown-id-400-get-shift unknown-id-400-update-shift unknown-id-400-delete-shift",
  unknown_id_tolerated: "unknown-id-accepted-unassign-put unknown-id-accepted-unassign-delete",
  update_refused: "update-refused",
  update_without_effect: `
    update-not-stored update-times-not-stored update-slots-not-stored update-start-only
    update-zero-is-one update-stores-other-name update-keeps-duration`,
};

/** A fault of the independent provider, and the findings that the kit must report. */
export interface IndependentRow {
  fault: string;
  codes: readonly AnyCode[];
}

const codesByFault = Map.groupBy(
  Object.entries(byCode).flatMap(([code, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((fault) => ({ fault, code: code as AnyCode })),
  ),
  ({ fault }) => fault,
);

/** Faults that the kit must not report. */
const tolerated = [
  // A request that meets the end of an idle connection is sent again.
  "idle-closed",
  // 200 and 204 are both accepted from both forms of unassignment.
  "status-unassign-delete-200",
  // The platform never uses such a method.
  "wrong-method-500",
  // Organisations may share a list of roles.
  "roles-of-another-tenant",
  // The contract defines no status transitions (3): the platform counts.
  "status-stays-open",
  // The registry is for onboarding, before any candidate is created.
  "registry-misses-created",
];

export const independentRows: readonly IndependentRow[] = [
  ...[...codesByFault].map(([fault, found]) => ({ fault, codes: found.map(({ code }) => code) })),
  ...tolerated.map((fault) => ({ fault, codes: [] })),
];

/** Faults of the independent provider that must be reported at each operation: a provider may check each one separately. */
export const onEveryOperation: readonly string[] = [
  "any-token-accepted",
  "wrong-scheme-accepted",
  "no-token-403",
  "no-token-404",
  "unknown-provider-accepted",
  "unknown-provider-400",
  "missing-provider-accepted",
];

/** Faults of the independent provider whose findings come from another group of checks than their codes suggest. */
export const elsewhere: readonly string[] = [
  "assign-on-every-shift",
  "create-details-stored",
  "update-stores-numbers",
];

/** A provider with one fault, on every operation that supports it. */
export interface Planted {
  fault: FaultName;
  dialect: Dialect;
}

/** Returns each fault of the sandbox that makes a provider incorrect, in a dialect that shows it; the dialects take turns. */
export function plantedFaults(): Planted[] {
  return faultNames.flatMap((fault, turn) => {
    const row = faultRows.find((each) => each.fault === fault);
    if (!row) return [];
    const [fitting, covering] = [dialectsFor(row.each?.[0]), new Set(coveringDialects.map(dialectName))];
    const taking = fitting.filter((dialect) => covering.has(dialectName(dialect)));
    const dialect = taking[turn % taking.length] ?? fitting[0];
    return dialect ? [{ fault, dialect }] : [];
  });
}
