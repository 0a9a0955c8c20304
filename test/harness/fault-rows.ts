import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { AnyCode } from "../../src/verify/codes/codes.ts";
import {
  EVERY,
  each,
  isOneOf,
  ON_SHIFT,
  READ_LISTS,
  REQUIRED,
  type Row,
  rows,
  UNASSIGN,
  WITH_BODY,
} from "./fault-row.ts";

/** Faults that any operation can have. */
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
    ["single-quotes", "body_not_json", WITH_BODY],
    ["byte-order-mark", "byte_order_mark", WITH_BODY],
    ["warning-before-json", "body_not_json", WITH_BODY],
    ["list-as-object", "field_wrong", ["listOutlets", "listRoles"]],
    ["no-content-with-length", "connection_broken", ["cancelShift"]],
    ["length-too-large", "connection_broken", ["getShift", ...READ_LISTS]],
    ["json-as-html", "content_type_wrong", WITH_BODY],
    ["json-as-text", "content_type_wrong", WITH_BODY],
    ["json-without-label", "content_type_missing", WITH_BODY],
    ["status-accepted", "status_wrong", EVERY],
    ["ids-missing", "field_missing", WITH_BODY],
    ["ids-as-numbers", "field_wrong", ["getShift", "createCandidate", ...READ_LISTS]],
    ["list-in-object", "field_wrong", READ_LISTS],
    ["single-in-list", "field_wrong", ["getShift", "createCandidate", "assignCandidate"]],
    [
      "wrapped-in-data",
      "field_missing",
      ["getShift", "createCandidate", "assignCandidate", "getCandidateRegistry"],
    ],
    ["wrapped-in-data", "field_wrong", ["findCandidates", "listOutlets", "listRoles"]],
    ["duplicate-ids", "duplicate_id", READ_LISTS],
    ["names-missing", "field_missing", ["listOutlets", "listRoles"]],
    ["names-as-objects", "field_wrong", ["findCandidates", "createCandidate", "listOutlets", "listRoles"]],
    [
      "details-missing",
      "field_recommended",
      ["getShift", "findCandidates", "createCandidate", "listOutlets"],
    ],
    [
      "short-personal-numbers",
      "personal_number_wrong",
      ["findCandidates", "createCandidate", "getCandidateRegistry"],
    ],
    ["snake-case", "field_missing", ["getShift", "getCandidateRegistry"]],
    ["snake-case", "field_recommended", ["createCandidate"]],
  ],
);

/** PHP with display_errors prints its warning before every response: the cause is named, and no web page. */
const everywhereAtOnce = rows(["answers"], [["warning-before-json", "body_not_json", "getShift"]]);

/** Refusals of valid requests. */
const refused = each(
  ["answers", "meaning", "registry", "cancellation"],
  [
    ["valid-refused", "request_refused", EVERY.filter((operation) => !isOneOf(operation, UNASSIGN))],
    ["operation-missing", "request_refused", REQUIRED.filter((each) => each !== "findCandidates")],
    ["operation-missing", "lookup_misses", ["findCandidates"]],
    ["gateway-not-found", "request_refused", REQUIRED.filter((each) => each !== "findCandidates")],
    ["token-rejected", "request_refused", REQUIRED],
    ["token-forbidden", "request_refused", REQUIRED],
    ["method-refused", "request_refused", REQUIRED],
  ],
);

const access = [
  ...each(
    ["authentication"],
    [
      ["no-token-accepted", "auth_missing", EVERY],
      ["any-token-accepted", "auth_any_token", EVERY],
      ["longer-token-accepted", "auth_any_token", ["getShift", "listOutlets"]],
      ["any-scheme-accepted", "auth_wrong_scheme", EVERY],
      ["bare-token-accepted", "auth_wrong_scheme", ["getShift", "listOutlets"]],
      ["no-token-forbidden", "auth_status", EVERY],
      ["no-token-not-found", "auth_status", EVERY],
      ["no-token-500", "server_error", EVERY],
      [
        "lookup-before-token",
        "auth_after_lookup",
        ["getShift", "updateShift", "cancelShift", "assignCandidate"],
      ],
    ],
  ),
  ...rows(
    ["tenants"],
    [["tenant-conflict-accepted", "tenant_conflict", "listOutlets", { routing: "header" }]],
  ),
  ...each(
    ["tenants"],
    [
      ["tenant-ignored", "tenant_ignored", EVERY],
      ["tenant-optional", "tenant_ignored", EVERY, { routing: "header" }],
      ["unknown-tenant-invalid", "tenant_status", EVERY],
      ["unknown-tenant-500", "server_error", EVERY],
      ["token-for-every-tenant", "tenant_shared", ["getShift", ...READ_LISTS]],
      ["tenant-of-the-token", "tenant_shared", ["getShift", ...READ_LISTS]],
      [
        "rows-of-every-tenant",
        "tenant_shared",
        ["getShift", "findCandidates", "getCandidateRegistry", "listOutlets"],
      ],
      ["rows-name-another-tenant", "tenant_shared", READ_LISTS],
    ],
  ),
];

const input = [
  ...each(
    ["errors"],
    [
      ["unknown-id-accepted", "unknown_id_accepted", ON_SHIFT],
      ["unknown-id-accepted", "unknown_id_tolerated", UNASSIGN],
      ["unknown-id-invalid", "unknown_id_status", ["getShift", "updateShift", "cancelShift"]],
      ["unknown-id-500", "server_error", [...ON_SHIFT, ...UNASSIGN]],
      ["malformed-id-accepted", "malformed_accepted", ON_SHIFT],
      ["malformed-id-500", "server_error", [...ON_SHIFT, ...UNASSIGN]],
      ["malformed-json-accepted", "malformed_accepted", ["updateShift", "createCandidate"]],
      ["malformed-json-500", "server_error", ["updateShift", "createCandidate"]],
      ["invalid-body-500", "server_error", ["updateShift", "createCandidate"]],
    ],
  ),
  ...rows(
    ["errors"],
    [
      ["unknown-candidate-assigned", "unknown_id_accepted", "assignCandidate"],
      ["long-id-500", "server_error", "getShift"],
      ["quote-in-id-500", "server_error", "getShift"],
      ["long-name-500", "server_error", "findCandidates"],
      ["invalid-candidate-accepted", "invalid_accepted", "createCandidate"],
      ["nameless-candidate-accepted", "invalid_accepted", "createCandidate"],
      ["contactless-candidate-accepted", "invalid_tolerated", "createCandidate"],
      ["number-unchecked", "invalid_tolerated", "createCandidate"],
      ["hire-details-500", "server_error", "createCandidate"],
      ["invalid-update-accepted", "malformed_accepted", "updateShift"],
      ["invalid-update-accepted", "invalid_tolerated", "updateShift"],
      ["update-stores-numbers", "time_invalid", "getShift"],
      ["empty-update-accepted", "malformed_accepted", "updateShift"],
      ["errors-empty", "error_not_problem", "provider"],
      ["errors-as-text", "error_not_problem", "provider"],
      ["errors-as-html", "error_not_problem", "provider"],
      ["errors-as-json", "error_not_problem", "provider"],
      ["errors-truncated", "error_body_broken", "getShift"],
      ["errors-mislabelled", "error_body_broken", "getShift"],
      ["errors-with-another-status", "error_body_broken", "getShift"],
      ["errors-with-stack-trace", "error_leaks", "getShift"],
      ["errors-with-token", "token_leaked", "getShift"],
    ],
  ),
];

const responses = [
  ...rows(
    [],
    [
      ["shift-lag", "request_refused", "getShift"],
      ["shift-of-another", "id_mismatch", "getShift"],
      ["time-without-offset", "time_without_offset", "getShift"],
      ["time-not-iso", "time_invalid", "getShift"],
      ["time-with-space", "time_invalid", "getShift"],
      ["time-with-named-zone", "time_invalid", "getShift"],
      ["time-with-short-offset", "time_form_unusual", "getShift"],
      ["time-without-seconds", "time_form_unusual", "getShift"],
      ["time-impossible", "time_invalid", "getShift"],
      ["time-as-number", "time_invalid", "getShift"],
      ["end-before-start", "end_not_after_start", "getShift"],
      ["end-on-the-first-day", "end_not_after_start", "getShift"],
      ["numbers-as-text", "field_wrong", "getShift"],
      ["positions-missing", "positions_missing", "getShift"],
      ["positions-differ", "positions_differ", "getShift"],
      ["assigned-missing", "field_missing", "getShift"],
      ["assigned-as-text", "field_wrong", "getShift"],
      ["assigned-without-id", "field_wrong", "getShift"],
      ["assigned-listed-twice", "duplicate_id", "getShift"],
      ["variants-mixed", "dialect_mixed", "updateShift"],
      ["assign-not-successful", "success_denied", "assignCandidate"],
      ["assign-of-another", "id_mismatch", "assignCandidate"],
      ["assign-for-another-shift", "id_mismatch", "assignCandidate"],
      ["acknowledgement-as-text", "body_not_json", "assignCandidate"],
      ["unassign-not-successful", "success_denied", UNASSIGN],
      ["unassign-absent", "unassign_absent", UNASSIGN],
      ["unassign-body-odd", "field_missing", "deleteAssignment", { unassign: "delete" }],
      ["break-of-days", "break_too_long", "getShift", { variant: "b" }],
      ["updated-in-year-one", "time_not_set", "getShift", { variant: "b" }],
      ["assign-lost-answer", "server_error", "assignCandidate"],
      ["assign-late", "connection_broken", "assignCandidate"],
      ["create-late", "connection_broken", "createCandidate"],
      ["lookup-invalid", "request_refused", "findCandidates"],
      ["lookup-null", "field_wrong", "findCandidates"],
      ["registry-dates-by-day", "time_invalid", "getCandidateRegistry"],
      ["impossible-personal-numbers", "personal_number_invalid", "getCandidateRegistry"],
    ],
  ),
  ...rows(
    ["answers", "meaning"],
    [
      ["variant-now-and-then", "dialect_mixed", ["getShift", "updateShift"]],
      ["error-now-and-then", "server_error", "listOutlets"],
      ["reset-now-and-then", "connection_broken", "listRoles"],
      ["truncated-now-and-then", "body_not_json", "listRoles"],
      ["invalid-now-and-then", "field_missing", "listOutlets"],
      ["refused-now-and-then", "answer_unstable", "listRoles"],
      ["shift-now-and-then-later", "answer_unstable", "getShift"],
      ["stale-reads", "answer_unstable", "getShift"],
      ["lists-now-and-then-shorter", "answer_unstable", "listOutlets"],
      ["acknowledgement-mixed", "form_mixed", "assignCandidate"],
      ["not-found-mixed", "form_mixed", "findCandidates"],
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
      ["update-without-times", "update_without_effect", "updateShift"],
      ["update-without-positions", "update_without_effect", "updateShift"],
      ["update-without-end", "update_without_effect", "updateShift"],
      ["update-loses-zone", "update_without_effect", "updateShift"],
      ["update-keeps-duration", "update_without_effect", "updateShift"],
      ["update-drops-offset", "update_without_effect", "updateShift"],
      ["update-zero-is-one", "update_without_effect", "updateShift"],
      ["update-resets-omitted", "shift_changed_unasked", "updateShift", { variant: "b" }],
      ["update-resets-omitted", "not_restored", "updateShift", { variant: "b" }],
      ["update-rewrites-created", "shift_changed_unasked", "updateShift", { variant: "b" }],
      ["update-unassigns", "shift_changed_unasked", "updateShift"],
      ["assign-not-stored", "assign_without_effect", "assignCandidate"],
      ["assign-stores-another", "assign_without_effect", "assignCandidate"],
      ["assign-replaces", "shift_changed_unasked", "assignCandidate"],
      ["assign-at-once-overwrites", "assign_without_effect", "assignCandidate"],
      ["assign-again-refused", "assign_not_idempotent", "assignCandidate"],
      ["assign-again-listed-twice", "assign_not_idempotent", "assignCandidate"],
      ["assign-takes-position", "shift_changed_unasked", "assignCandidate"],
      ["assign-moves-times", "shift_changed_unasked", "assignCandidate"],
      ["unassign-not-stored", "unassign_without_effect", UNASSIGN],
      ["unassign-clears", "shift_changed_unasked", UNASSIGN],
      ["unassign-removes-another", "shift_changed_unasked", UNASSIGN],
      ["overbooks-by-one", "overbooked", "assignCandidate"],
      ["unassign-moves-times", "shift_changed_unasked", UNASSIGN],
      ["two-candidates", "lookup_ambiguous", "findCandidates"],
      ["foreign-candidate", "lookup_ignores_query", "findCandidates"],
      ["lookup-by-century", "lookup_ignores_query", "findCandidates"],
      ["lookup-finds-nobody", "create_without_effect", "findCandidates"],
      ["lookup-refuses-hyphen", "number_form_ignored", "findCandidates"],
      ["lookup-misses-hyphen", "number_form_ignored", "findCandidates"],
      ["candidate-id-changes", "candidate_unstable", "findCandidates"],
      ["created-under-another-id", "candidate_unstable", "findCandidates"],
      ["created-another", "candidate_differs", "createCandidate"],
      ["create-not-stored", "create_without_effect", "findCandidates"],
      ["create-swaps-names", "candidate_differs", "findCandidates"],
      ["create-encodes-twice", "candidate_differs", ["createCandidate", "findCandidates"]],
      ["create-escapes-html", "candidate_differs", ["createCandidate", "findCandidates"]],
      ["create-loses-letters", "candidate_differs", ["createCandidate", "findCandidates"]],
      ["create-ends-at-emoji", "candidate_differs", ["createCandidate", "findCandidates"]],
      ["create-cuts-phone", "candidate_differs", ["createCandidate", "findCandidates"]],
      ["create-loses-contact", "candidate_differs", "findCandidates"],
      ["created-without-contact", "candidate_differs", "createCandidate"],
      ["create-again-accepted", "candidate_twice", "createCandidate"],
      ["hire-refused", "request_refused", "createCandidate"],
    ],
  ),
  ...rows(
    ["answers"],
    [
      ["lookup-finds-nobody", "lookup_misses", "findCandidates"],
      ["outlet-not-listed", "outlet_unknown", "listOutlets"],
      ["role-not-listed", "role_unknown", "listRoles"],
      ["outlet-under-another-id", "outlet_unknown", "listOutlets"],
      ["outlet-under-another-id", "role_unknown", "listRoles"],
    ],
  ),
  ...rows(
    ["registry"],
    [
      ["registry-too-long", "registry_too_long", "getCandidateRegistry"],
      ["registry-loops", "registry_loops", "getCandidateRegistry"],
      ["registry-skips-people", "registry_incomplete", "getCandidateRegistry"],
      ["registry-of-others", "registry_unmatched", "getCandidateRegistry"],
      ["registry-under-other-ids", "registry_unmatched", "getCandidateRegistry"],
    ],
  ),
  ...rows(
    ["cancellation"],
    [
      ["cancel-refused", "request_refused", "cancelShift"],
      ["cancel-with-body", "status_wrong", "cancelShift"],
      ["cancel-not-stored", "cancel_without_effect", "cancelShift"],
      ["cancelled-assigned", "cancelled_assigned", "assignCandidate"],
    ],
  ),
];

const contracts = rows(
  ["contracts"],
  [["create-not-stored", "contract_broken", ["findCandidates", "assignCandidate"]]],
);

export const faultRows: readonly Row[] = [
  ...everywhere,
  ...refused,
  ...access,
  ...input,
  ...responses,
  ...meaning,
  ...contracts,
  ...everywhereAtOnce,
];

/** Tested on every operation: in many providers each operation checks access and ids separately. */
export const alwaysOnEach: readonly FaultName[] = [
  "no-token-accepted",
  "any-token-accepted",
  "any-scheme-accepted",
  "tenant-ignored",
  "token-for-every-tenant",
  "unknown-id-accepted",
  "malformed-id-accepted",
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
  assign_not_idempotent: "assign-duplicates-entry assign-repeat-409",
  assign_without_effect: "assign-without-effect assign-at-once-overwrites",
  auth_any_token: "token-prefix-accepted token-suffix-ignored token-case-ignored any-token-accepted",
  auth_missing: `
    no-auth-get-shift no-auth-delete-shift no-auth-update-shift no-auth-assign no-auth-unassign-put
    no-auth-lookup no-auth-create no-auth-outlets no-auth-roles no-auth-registry no-auth-unassign-delete
    no-token-200-login-page no-token-200-error-body`,
  auth_wrong_scheme: "wrong-scheme-accepted bare-token-accepted",
  body_missing:
    "empty-body-get-shift empty-body-lookup empty-body-outlets empty-body-assign empty-body-create",
  body_not_json: `
    truncated-get-shift truncated-lookup truncated-outlets html-page-200 latin1-body warning-before-json
    warning-everywhere`,
  byte_order_mark: "byte-order-mark",
  cancel_without_effect: "delete-without-effect",
  cancelled_assigned: "cancelled-shift-assignable",
  candidate_differs: `
    candidate-email-null candidate-first-name-null candidate-phone-null candidate-without-personal-number
    candidate-without-first-name candidate-without-last-name candidate-without-email candidate-without-phone
    create-stores-other-name create-drops-phone create-encodes-twice create-escapes-html
    create-loses-letters create-cuts-phone create-ends-at-emoji`,
  candidate_twice: "create-twice-two-people",
  candidate_unstable: "candidate-id-changes candidate-id-other-than-created",
  connection_broken: `
    length-too-large no-content-with-length oversized reset-get-shift reset-create reset-roles reset-assign`,
  content_type_missing: "no-content-type",
  content_type_wrong: "html-label-get-shift html-label-lookup",
  create_without_effect: "create-not-stored create-drops-last-digit",
  dialect_mixed: "mixed-shapes",
  duplicate_id: "registry-page-repeats duplicate-outlet-ids duplicate-role-ids",
  end_not_after_start: "update-crosses-fields end-before-start end-equals-start",
  error_body_broken: "error-label-lies problem-wrong-status problem-status-string",
  error_leaks: "stack-trace-in-error sql-in-error",
  field_missing: `
    unknown-shift-200-error success-missing shift-without-id shift-without-start-time shift-without-end-time
    shift-without-outlet-id shift-without-role-id shift-without-assigned-candidates candidate-without-id
    outlet-without-id role-without-id outlet-without-name role-without-name created-without-id
    assigned-entry-without-number registry-without-id registry-without-personal-number
    registry-without-work-history registry-without-employee-number wrapped-shift wrapped-created
    snake-case-fields`,
  field_wrong: `
    unknown-shift-200-null shift-id-number outlet-id-number-in-shift role-id-number-in-shift slots-string
    slots-fraction slots-negative outlet-name-null-in-shift positions-string break-minutes-string
    break-as-duration description-number status-upper-case status-unknown-value status-number
    assigned-object assigned-null-when-empty assigned-ids-only assigned-count assigned-number-as-number
    assigned-id-number candidate-id-number candidate-personal-number-number candidate-phone-number
    outlet-address-object outlet-id-number outlet-name-null role-id-number role-name-null success-string
    success-number assigned-entry-without-id registry-employee-number-number registry-bank-details-string
    create-details-stored registry-bare-list wrapped-outlets wrapped-lookup wrapped-roles created-as-list lookup-single-object
    json-in-a-string list-as-object-outlets list-as-object-roles lookup-no-match-null every-fifth-invalid`,
  form_mixed: "mixed-not-found",
  id_mismatch:
    "update-changes-id shift-with-another-id shift-id-not-uuid ack-other-candidate ack-other-shift",
  invalid_accepted: `
    invalid-create-200-error create-accepts-anything create-without-number create-number-as-number
    create-without-names`,
  invalid_tolerated: `
    create-number-unchecked update-rolls-dates-over update-accepts-end-before-start
    update-unreadable-time-accepted`,
  lookup_ignores_query: "lookup-ignores-query lookup-by-prefix lookup-by-date lookup-finds-first",
  no_answer: "hang-get-shift hang-lookup hang-delete-shift hang-assign",
  number_form_ignored: "hyphen-lookup-misses",
  outlet_unknown: "outlet-not-listed outlets-empty",
  personal_number_wrong: "numbers-in-ten-digits numbers-masked",
  positions_missing: "slots-null positions-null",
  redirected: "no-token-redirect redirect-get-shift redirect-outlets redirect-create",
  registry_loops: "registry-loops",
  registry_too_long: "registry-too-long",
  registry_unmatched: "registry-other-ids",
  request_refused: "route-missing-roles create-replaces-person",
  role_unknown: "role-not-listed",
  server_error: `
    no-token-500 unavailable-outlets not-implemented-roles malformed-id-500-get-shift
    unknown-id-500-get-shift malformed-id-500-update-shift unknown-id-500-update-shift
    malformed-id-500-delete-shift unknown-id-500-delete-shift malformed-id-500-assign unknown-id-500-assign
    malformed-id-500-unassign-put unknown-id-500-unassign-put malformed-id-500-unassign-delete
    unknown-id-500-unassign-delete malformed-candidate-500-assign unknown-candidate-500-assign
    malformed-json-500-update empty-body-500-update array-body-500-update malformed-json-500-create
    empty-body-500-create array-body-500-create null-field-500-create create-details-500 long-query-500
    unicode-query-500
    hyphen-lookup-500 no-query-500 not-found-500-lookup repeat-delete-500 duplicate-create-500
    unassign-absent-500`,
  shift_changed_unasked: `
    assign-changes-times assign-on-every-shift assign-changes-positions assign-replaces unassign-removes-all unassign-removes-last
    delete-removes-another update-drops-assigned`,
  status_wrong: `
    status-get-shift-201 status-assign-201 status-assign-202 status-create-202 status-lookup-201
    status-lookup-206 status-outlets-203 status-roles-202 status-registry-206 status-delete-shift-200
    status-delete-shift-202 status-outlets-204 status-roles-204 status-create-204 lookup-no-match-204`,
  success_denied: "success-false",
  tenant_conflict: "tenant-conflict-accepted",
  tenant_ignored: `
    no-tenant-check-get-shift no-tenant-check-update-shift no-tenant-check-delete-shift
    no-tenant-check-assign no-tenant-check-unassign-put no-tenant-check-unassign-delete
    no-tenant-check-lookup no-tenant-check-create no-tenant-check-outlets no-tenant-check-roles
    no-tenant-check-registry unknown-provider-accepted`,
  tenant_shared: `
    other-tenants-token-accepted outlets-of-another-tenant candidates-of-another-tenant
    shift-of-another-tenant assign-on-another-tenant registry-of-another-tenant`,
  time_form_unusual: "time-short-offset time-without-seconds",
  time_invalid: `
    created-at-epoch assigned-at-local assigned-at-epoch update-stores-numbers time-epoch time-epoch-string
    time-local-format time-with-space time-rfc2822 time-date-only time-named-zone time-impossible time-empty
    time-null`,
  time_without_offset: "assigned-at-without-zone time-without-zone",
  token_leaked: "token-in-error",
  unassign_without_effect: "unassign-without-effect",
  unknown_id_accepted: "assign-unknown-candidate assign-unknown-shift unknown-shift-deleted-204",
  update_without_effect: `
    update-not-stored update-times-not-stored update-slots-not-stored update-start-only update-drops-offset
    update-zero-is-one update-stores-other-name`,
};

/** A fault of the independent provider; without a code nothing must be reported. */
export interface IndependentRow {
  fault: string;
  code?: AnyCode;
}

export const independentRows: readonly IndependentRow[] = [
  ...Object.entries(byCode).flatMap(([code, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((fault) => ({ fault, code: code as AnyCode })),
  ),
  // A request that meets the end of an idle connection is sent again.
  { fault: "idle-closed" },
  // 200 and 204 are both accepted from both forms of unassignment.
  { fault: "status-unassign-delete-200" },
  // The platform never uses such a method.
  { fault: "wrong-method-500" },
  // Organisations may share a list of roles.
  { fault: "roles-of-another-tenant" },
  // The contract defines no status transitions (3): the platform counts.
  { fault: "status-stays-open" },
  // The registry is for onboarding, before any candidate is created.
  { fault: "registry-misses-created" },
];
