import type { Subject } from "../../../generated/operations/types.ts";
import { entryOf } from "./phrases.ts";

type SubjectText = (subject: Subject) => string;

const SUBJECTS = {
  integration: () => "the integration",
  shift: ({ shiftId }) => `shift${numbered(shiftId)}`,
  booking: ({ shiftId, candidateId }) => `candidate${numbered(candidateId)} on shift${numbered(shiftId)}`,
  outlet: ({ outletId }) => `outlet${numbered(outletId)}`,
  role: ({ roleId }) => `role${numbered(roleId)}`,
  operation: ({ operation = "operation", finding }) =>
    `${operation}${finding === undefined ? "" : `: ${finding}`}`,
  mail_server: () => "the mail server",
  webhook: () => "the webhook of notifications",
  notification: ({ notificationId, candidateId }) =>
    `notification${numbered(notificationId)} to candidate${numbered(candidateId)}`,
} satisfies Record<Subject["kind"], SubjectText>;

/** What an issue is about, by ids. */
export function subjectText(subject: Subject): string {
  return entryOf<SubjectText>(SUBJECTS, subject.kind)?.(subject) ?? subject.kind;
}

function numbered(id: string | undefined): string {
  return id === undefined ? "" : ` ${id}`;
}
