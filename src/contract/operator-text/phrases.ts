import type { Subject } from "../../../generated/operations/types.ts";

/** The entry of a code; undefined for a code of a newer platform. */
export function entryOf<Entry>(entries: Readonly<Record<string, Entry>>, code: string): Entry | undefined {
  return Object.hasOwn(entries, code) ? entries[code] : undefined;
}

/** `1 booking`, `2 bookings`; `bookings` where the count is not given. */
export function counted(count: number | undefined, one: string, many = `${one}s`): string {
  return count === undefined ? many : `${count} ${count === 1 ? one : many}`;
}

/** The verb form that agrees with the count. */
export function agreeing(count: number | undefined, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** `1 person`, `2 people`. */
export function people(count: number | undefined): string {
  return counted(count, "person", "people");
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `: ` and the text; nothing without a text. */
export function after(separator: string, text: string | undefined): string {
  return text === undefined ? "" : `${separator}${text}`;
}

/** ` (text)`; nothing without a text. */
export function inParentheses(text: string | undefined): string {
  return text === undefined ? "" : ` (${text})`;
}

/** A planned wait: `500 ms`, `8 s`, `3 min`, `2 h`. */
export function waitText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

/** The name of an outlet or a role with its id; the id alone where it has no name. */
export function namedThing(kind: string, id: string | undefined, name: string | undefined): string {
  const label = name ?? id;
  if (label === undefined) return `the ${kind}`;
  return `${kind} ${label}${name === undefined ? "" : inParentheses(id)}`;
}

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
