import type { CheckFinding, Issue, IssueCode } from "../../../generated/operations/types.ts";
import { bookingReasonText, changeReasonText, deliveryText } from "./outcome.ts";
import {
  after,
  agreeing,
  capitalised,
  counted,
  entryOf,
  inParentheses,
  namedThing,
  people,
} from "./phrases.ts";
import { overfilledText } from "./staffing.ts";
import {
  attemptsSuffix,
  failureSuffix,
  faultText,
  knownFailure,
  notificationText,
  routingAttemptsText,
} from "./status.ts";

type Described = Pick<Issue, "code" | "subject" | "params" | "waitingJobs">;
type Text = (issue: Described) => string;

export interface IssueText {
  /** A noun phrase. */
  title: string;
  /** One sentence; of a provider check, every finding. */
  detail: string;
  /** What to do; empty for an unknown code. */
  remedy: string;
}

const TITLES = {
  outlet_not_mapped: "Outlet not mapped",
  role_not_mapped: "Role not mapped",
  shift_unusable: "Shift unusable",
  delete_not_confirmed: "Deletion not confirmed",
  shift_overfilled: "Shift overfilled",
  provider_refused: "Call refused by the provider",
  provider_down: "Provider unreachable",
  provider_implausible: "Implausible provider responses",
  route_missing: "Missing route at the provider",
  provider_gave_no_answer: "No usable response from the provider",
  token_rejected: "Provider token rejected",
  mass_disappearance: "Mass disappearance of shifts or candidates",
  candidate_ambiguous: "Ambiguous candidate at the provider",
  candidate_id_shared: "Two candidates with one id at the provider",
  candidate_number_changed: "Changed personal number at the provider",
  assigned_as_another: "Candidate assigned as another person",
  booking_failed: "Booking failed",
  booking_overlaps: "Overlapping bookings",
  competence_missing: "Missing competence",
  unassign_failed: "Candidate still assigned at the provider",
  cancellation_refused: "Cancellation refused",
  change_refused: "Change refused",
  provider_check: "Contract violation at the provider",
  provider_check_failed: "Provider check failed",
  notification_failed: "Notification not delivered",
  restored: "Restored from a backup",
  provider_quiet: "No webhooks from the provider",
  address_shared: "E-mail address of many people",
} satisfies Record<IssueCode, string>;

/** How soon an operator should act, the most urgent first. */
export const URGENCIES = ["urgent", "normal", "low"] as const;
export type Urgency = (typeof URGENCIES)[number];

/** The index issues_urgency has the same rule: a change needs a migration that creates it again. */
export const URGENCY_OF = {
  token_rejected: "urgent",
  mass_disappearance: "urgent",
  provider_down: "urgent",
  provider_implausible: "urgent",
  route_missing: "urgent",
  provider_refused: "urgent",
  provider_gave_no_answer: "urgent",
  shift_overfilled: "urgent",
  booking_failed: "urgent",
  booking_overlaps: "urgent",
  competence_missing: "urgent",
  unassign_failed: "urgent",
  candidate_ambiguous: "urgent",
  candidate_id_shared: "urgent",
  candidate_number_changed: "urgent",
  assigned_as_another: "urgent",
  cancellation_refused: "urgent",
  outlet_not_mapped: "normal",
  role_not_mapped: "normal",
  shift_unusable: "normal",
  delete_not_confirmed: "normal",
  change_refused: "normal",
  notification_failed: "normal",
  restored: "normal",
  provider_quiet: "normal",
  address_shared: "normal",
  provider_check: "low",
  provider_check_failed: "low",
} satisfies Record<IssueCode, Urgency>;

/** The routes whose absence is noticed, by operationId (contract 4.2). */
const ROUTES: Readonly<Record<string, string>> = {
  assignCandidate: "`PUT /shifts/{id}/assign/{candidateId}`",
  unassignCandidate: "both forms of unassigning a candidate",
  createCandidate: "`POST /candidates`",
  cancelShift: "`DELETE /shifts/{id}`",
};

const routeOf = ({ operation = "an operation" }: Described["subject"]) => ROUTES[operation] ?? operation;

/** A person at the provider, by the id there. */
const personOf = ({ providerCandidateId: id }: Described["params"]): string =>
  id === undefined ? "a person" : `the person with the id ${id}`;

/** Every code, in the order of the specification. */
export const issueCodes = Object.keys(TITLES) as IssueCode[];

/** What a kind of issue is called, for filters and headings. */
export function issueTitle(code: IssueCode): string {
  return entryOf(TITLES, code) ?? code;
}

const DETAILS = {
  outlet_not_mapped: ({ subject, params, waitingJobs }) =>
    waitingText("outlet", params.outletName || subject.outletId, "a workplace", waitingJobs),
  role_not_mapped: ({ subject, params, waitingJobs }) =>
    waitingText("role", params.roleName || subject.roleId, "a competence", waitingJobs),
  shift_unusable: ({ params }) => `The shift cannot become a job${after(": ", faultText(params))}.`,
  delete_not_confirmed: ({ params }) =>
    params.jobStatus === "cancelled"
      ? "The job was cancelled and the shift deleted, but the provider shows the shift again. Its people may still be assigned."
      : "The provider sent shift.delete, but it still shows the shift.",
  shift_overfilled: ({ params }) => `${capitalised(overfilledText(params))}.`,
  provider_refused: ({ params }) => `The provider refused a call${after(": ", knownFailure(params))}.`,
  provider_down: ({ params }) =>
    `The last calls to the provider had no usable response${failureSuffix(params)}, so its work is paused.`,
  provider_implausible: () =>
    "The provider responds to every call with 404, or breaks the contract with every response, so a shift that is not found is not treated as deleted.",
  route_missing: ({ subject, params }) =>
    `The provider answers ${routeOf(subject)} as if it had no route for it${after(", with ", params.status?.toString())}, so the bookings and cancellations that need it are pending.`,
  provider_gave_no_answer: ({ params }) =>
    `The provider gave no usable response${attemptsSuffix(params.attempts)}${after(": ", knownFailure(params))}.`,
  token_rejected: ({ params }) =>
    `The provider rejects the provider token with ${params.status ?? "401 or 403"}, so all calls are paused.`,
  mass_disappearance: ({ params: { count, booked } }) =>
    booked === undefined
      ? `${capitalised(counted(count, "future shift"))} of the provider disappeared within minutes, so deletions and removals are paused.`
      : `${capitalised(counted(count, "booked candidate"))} of ${booked} disappeared from the lists of the provider's future shifts within minutes, so deletions and removals are paused.`,
  candidate_ambiguous: ({ params }) =>
    `The provider has ${params.count === undefined ? "several people" : people(params.count)} with the personal number of the candidate.`,
  candidate_id_shared: () => "The provider gives the candidate the id of another candidate.",
  candidate_number_changed: ({ params }) =>
    `The provider lists ${personOf(params)}, by which it knew the candidate, with another personal number.`,
  assigned_as_another: ({ params }) =>
    `The provider has put ${personOf(params)} on the shift in place of the candidate, so the booking failed, and that person is still on the shift.`,
  booking_failed: ({ params: { reason, ...params } }) =>
    `The booking ended without confirmation by the provider${after(": ", reason ? bookingReasonText(reason, params) : knownFailure(params))}.`,
  booking_overlaps: () => "After a change of times, the candidate is booked on two overlapping shifts.",
  competence_missing: ({ params: { roleId, roleName } }) =>
    `The candidate lacks the competence for ${namedThing("role", roleId, roleName)}, which the changed shift requires.`,
  unassign_failed: ({ params }) =>
    `The provider did not confirm that the candidate is off the shift${after(": ", knownFailure(params))}.`,
  cancellation_refused: ({ params }) =>
    `The provider did not delete the shift${failureSuffix(params)}, so the job is not cancelled.`,
  change_refused: ({ params: { changeReason, ...params } }) =>
    `The shift was not changed${after(": ", changeReason ? changeReasonText(changeReason, params) : knownFailure(params))}.`,
  provider_check: ({ params: { findings = [] } }) =>
    findings.length === 0
      ? "A check of the provider found violations."
      : findings.map(findingText).join("\n\n"),
  provider_check_failed: ({ params }) =>
    params.routingAttempts
      ? `The routing of the provider is not detected; ${routingAttemptsText(params.routingAttempts)}.`
      : `The provider could not be checked${after(": ", knownFailure(params))}.`,
  notification_failed: ({ subject, params: { kind, delivery, ...params } }) =>
    subject.kind === "webhook"
      ? `${params.status === 410 ? "The service that gets notifications refuses any more of them" : "Notifications could not be handed to the company's service"}${after(": ", knownFailure(params))}.`
      : `A notification${inParentheses(kind && notificationText(kind))} was not delivered${after(": ", delivery && deliveryText(delivery, params))}.`,
  restored: ({ params }) => {
    const { since, shifts = 0, read = 0, changed = 0, cancelled = 0, held = 0 } = params;
    const known = `The platform was restored${since === undefined ? "" : ` to the state of ${since.slice(0, 16).replace("T", " ")} UTC`}. ${capitalised(`${read} of ${counted(shifts, "future shift")}`)} read again; ${counted(changed, "job")} changed, ${counted(cancelled, "job")} cancelled; ${counted(held, "notification")} held back.`;
    return [known, ...endedWithRestore(params)].join(" ");
  },
  provider_quiet: ({ params: { count } }) =>
    `The provider has sent no webhook for three days${count === undefined ? "" : `, and ${count} in the week before`}.`,
  address_shared: ({ params: { count = 0 } }) =>
    `The registry gives ${counted(count, "e-mail address", "e-mail addresses")} to more than three people each. All of them share the limits of one mailbox.`,
} satisfies Record<IssueCode, Text>;

/** What waits for a mapping. A log, and a stream, do not count the jobs. */
function waitingText(
  kind: string,
  name: string | undefined,
  target: string,
  waiting: Issue["waitingJobs"],
): string {
  const thing = name === undefined ? kind : `${kind} ${name}`;
  if (waiting === undefined) return `The ${thing} is not mapped to ${target}, so its jobs are blocked.`;
  const shifts = `${counted(waiting.count, "shift")}${waiting.exact ? "" : " or more"}`;
  return `${shifts} ${agreeing(waiting.count, "waits", "wait")} for the ${thing}, which is not mapped to ${target}.`;
}

/** Only a restore of the whole database ends tokens. */
function endedWithRestore({ tokensEnded, erased, notErased = [] }: Issue["params"]): string[] {
  if (tokensEnded === undefined) return [];
  const known =
    erased === undefined
      ? "People who were erased after the backup are stored again."
      : `${people(erased)} erased again${notErased.length > 0 ? `; not yet, because of a booking (${notErased.join(", ")})` : ""}.`;
  return [`The tokens of ${counted(tokensEnded, "operator")} ended.`, known];
}

const REMEDIES = {
  outlet_not_mapped: () => "Map the outlet to a workplace. Blocked jobs continue automatically.",
  role_not_mapped: () => "Map the role to a competence. Blocked jobs continue automatically.",
  shift_unusable: () =>
    "Ask the provider to correct the shift. The next event of the shift is processed as usual.",
  delete_not_confirmed: () => "Ask the provider whether the shift is deleted.",
  shift_overfilled: () => "Decide who stays, and withdraw the others.",
  provider_refused: () => "Check the providerId, the base URL, and the data of the call with the provider.",
  provider_down: () => "Contact the provider. Work resumes automatically when the provider responds.",
  provider_implausible: () =>
    "Check the base URL and the providerId with the provider, and run the verification kit against it. The first good response resumes everything.",
  route_missing: () =>
    "Ask the provider to restore the route, which a gateway may lack. The call is repeated at least every two minutes.",
  provider_gave_no_answer: () =>
    "Ask the provider to fix the response. The shift is read at least once an hour; a replay reads it immediately.",
  token_rejected: () =>
    "Enter a valid provider token. Work resumes automatically with the first good response.",
  mass_disappearance: () =>
    "Ask the provider whether the shifts are deleted, or the candidates removed. Resolve this issue only if they are: their jobs are then cancelled, or the candidates released.",
  candidate_ambiguous: () => "Ask the provider to merge the people, then accept again.",
  candidate_id_shared: () => "Ask the provider to separate the two people, then accept again.",
  candidate_number_changed: () =>
    "Ask the provider who works on the shift. If it is another person, withdraw the candidate; otherwise correct the number where it is wrong.",
  assigned_as_another: () =>
    "Ask the provider who that is. If it is the candidate, the look-up by personal number must find that id and no other: then accept again. Otherwise, ask it to remove the person.",
  booking_failed: () => "Check the shift with the provider, then accept again.",
  booking_overlaps: () => "Withdraw the candidate from one of the two jobs.",
  competence_missing: () => "Withdraw the candidate, or add the competence to the candidate.",
  unassign_failed: () => "Ask the provider to remove the candidate from the shift.",
  cancellation_refused: () =>
    "Agree with the provider whether the shift takes place, then cancel again if it does not.",
  change_refused: () => "Agree on the change with the provider, then request it again.",
  provider_check: ({ params: { findings = [] } }) =>
    [...new Set(findings.map(({ fix }) => fix))].join("\n") || "Report the finding to the provider.",
  provider_check_failed: ({ params }) =>
    params.routingAttempts
      ? "Correct the base URL, the routing, or the provider token of the integration, or check the provider again when it responds."
      : "Fix the cause, then check the provider again.",
  notification_failed: ({ subject, params }) =>
    subject.kind === "webhook"
      ? params.status === 410
        ? "Correct the service or `NOTIFICATION_WEBHOOK_URL`, then resolve the issue: what still matters is sent within the hour."
        : "Check the service and `NOTIFICATION_WEBHOOK_URL`. What still matters is sent automatically once the service accepts it."
      : subject.kind === "notification"
        ? "Check the e-mail address with the candidate, correct it, then send the notification again."
        : "Check the mail server and its settings. Pending mail is sent automatically when the server has recovered.",
  restored: ({ params: { tokensEnded, erased, notErased = [] } }) =>
    [
      "Check the jobs, and resend the held notifications that did not arrive.",
      tokensEnded &&
        "Give a new token to each operator who may still enter: `shiftpact operators rotate NAME`, with OPERATIONS_TOKEN.",
      tokensEnded !== undefined &&
        erased === undefined &&
        "Erase the people again who were erased after the backup: the log and the exports of the audit log name them.",
      notErased.length > 0 && "Erase the listed people once their bookings have ended.",
      "Resolve this issue when all shifts are read.",
    ]
      .filter(Boolean)
      .join(" "),
  provider_quiet: () =>
    "Ask the provider whether it still sends webhooks, and to which address. This issue is resolved automatically when they arrive again.",
  address_shared: () =>
    "Ask the people for their own addresses, correct them on the page of each, and import the registry again.",
} satisfies Record<IssueCode, Text>;

/** An issue as an operator reads it. */
export function issueText(issue: Described): IssueText {
  const { code } = issue;
  return {
    title: issueTitle(code),
    detail: entryOf<Text>(DETAILS, code)?.(issue) ?? code,
    remedy: entryOf<Text>(REMEDIES, code)?.(issue) ?? "",
  };
}

const SEVERITIES = { error: "Error", warning: "Warning" } satisfies Record<CheckFinding["severity"], string>;

function findingText({ severity, title, section, expected, actual, reproduce }: CheckFinding): string {
  const lines = [
    `${entryOf(SEVERITIES, severity) ?? severity}: ${title} (contract section ${section}).`,
    `Expected: ${expected}`,
    `Actual: ${actual}`,
    ...(reproduce ? [`Reproduce: ${reproduce}`] : []),
  ];
  return lines.join("\n");
}
