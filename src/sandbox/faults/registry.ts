import { accessFaults, answerFaults, webhookFaults } from "./answers.ts";
import { assignmentFaults } from "./assignments.ts";
import { candidateFaults } from "./candidates.ts";
import type { Faults } from "./fault.ts";
import { networkFaults } from "./network.ts";
import { shiftFaults } from "./shifts.ts";

/** Every fault by name. A new entry in a topic's file is included in the command line and the tests. */
export const faults = {
  ...networkFaults,
  ...accessFaults,
  ...answerFaults,
  ...shiftFaults,
  ...assignmentFaults,
  ...candidateFaults,
  ...webhookFaults,
} as const satisfies Faults;

/** Faults by topic, for printed lists. */
export const faultTopics: Readonly<Record<string, Faults>> = {
  "server and network": networkFaults,
  tokens: accessFaults,
  "status, Content-Type and form of responses": answerFaults,
  shifts: shiftFaults,
  assignments: assignmentFaults,
  candidates: candidateFaults,
  webhooks: webhookFaults,
};

/** Names that the sandbox had, by the nearest fault that it has. */
const BY_NEAREST: Readonly<Partial<Record<keyof typeof faults, string>>> = {
  "no-token-accepted": "any-token-accepted longer-token-accepted any-scheme-accepted bare-token-accepted",
  "error-500": `no-token-500 unknown-tenant-500 unknown-id-500 malformed-id-500 long-id-500 quote-in-id-500 long-name-500
    malformed-json-500 invalid-body-500 hire-details-500`,
  "gateway-not-found": "operation-missing method-refused refused-now-and-then",
  reset: "no-content-with-length length-too-large",
  garbage: "acknowledgement-as-text",
  truncated: "truncated-now-and-then single-quotes warning-before-json",
  "json-as-html": "json-as-text json-without-label",
  "valid-refused": "lookup-invalid",
  "invalid-now-and-then":
    "ids-missing names-missing positions-missing assigned-missing assigned-without-id snake-case",
  "ids-as-numbers": "numbers-as-text names-as-objects assigned-as-text",
  "wrapped-in-data": "list-in-object single-in-list list-as-object lookup-null",
  "errors-as-html": "errors-empty errors-as-text errors-as-json",
  "time-without-offset": `time-not-iso time-with-space time-with-named-zone time-with-short-offset time-without-seconds
    time-impossible time-as-number registry-dates-by-day`,
  "end-before-start": "end-on-the-first-day",
  "stale-reads": "shift-now-and-then-later lists-now-and-then-shorter",
  "update-not-stored": `update-without-times update-without-positions update-without-end update-loses-zone
    update-keeps-duration update-drops-offset update-zero-is-one`,
  "assign-again-refused": "assign-again-listed-twice",
  "foreign-candidate": "lookup-by-century",
  "created-another": `create-swaps-names create-encodes-twice create-escapes-html create-loses-letters create-ends-at-emoji
    create-cuts-phone create-loses-contact created-without-contact`,
};

/** Names without a near fault: only the tests of the verification kit plant their causes (test/verify/independent). */
const IN_THE_KIT = `
  no-token-forbidden no-token-not-found lookup-before-token tenant-conflict-accepted tenant-ignored tenant-optional
  unknown-tenant-invalid token-for-every-tenant tenant-of-the-token rows-of-every-tenant rows-name-another-tenant
  unknown-id-accepted unknown-candidate-assigned unknown-id-invalid malformed-id-accepted malformed-json-accepted
  invalid-candidate-accepted nameless-candidate-accepted contactless-candidate-accepted number-unchecked
  invalid-update-accepted empty-update-accepted byte-order-mark status-accepted cancel-with-body details-missing
  duplicate-ids short-personal-numbers impossible-personal-numbers errors-truncated errors-mislabelled
  errors-with-another-status errors-with-token errors-with-stack-trace break-of-days updated-in-year-one
  positions-differ assigned-listed-twice variants-mixed variant-now-and-then acknowledgement-mixed
  update-resets-omitted update-rewrites-created update-stores-numbers update-unassigns cancel-not-stored
  outlet-not-listed role-not-listed outlet-under-another-id cancelled-assigned assign-not-stored
  assign-stores-another assign-replaces assign-takes-position assign-moves-times unassign-not-stored
  unassign-removes-another unassign-body-odd overbooks-by-one assign-at-once-overwrites unassign-clears
  unassign-moves-times lookup-finds-nobody lookup-refuses-hyphen lookup-misses-hyphen not-found-mixed
  candidate-id-changes created-under-another-id create-not-stored create-again-accepted registry-too-long
  registry-loops registry-skips-people registry-under-other-ids registry-of-others`;

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

/** Returns what replaces a fault that the sandbox had; undefined for any other name. */
export function successorOf(name: string): string | undefined {
  const [nearest] = Object.entries(BY_NEAREST).find(([, names]) => wordsOf(names).includes(name)) ?? [];
  if (nearest !== undefined) return `the nearest is ${nearest}`;
  return wordsOf(IN_THE_KIT).includes(name) ? "only the verification kit's own tests plant it" : undefined;
}
