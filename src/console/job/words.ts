import type { Booking, BookingStatus, Job, Notification } from "../../../generated/operations/types.ts";
import { fullName, type Names } from "../data/names.ts";
import type { Tone } from "../parts/badge.tsx";

/** What has to be done: the competence on the platform, or the role as the provider names it. */
export function workOf(job: Pick<Job, "competenceId" | "roleName" | "roleId">, names: Names): string {
  return names.competence(job.competenceId)?.name ?? job.roleName ?? `role ${shortened(job.roleId)}`;
}

/** Where: the workplace on the platform, or the outlet as the provider names it. */
export function placeOf(job: Pick<Job, "workplaceId" | "outletName" | "outletId">, names: Names): string {
  return names.workplace(job.workplaceId)?.name ?? job.outletName ?? `outlet ${shortened(job.outletId)}`;
}

export const holdsSeat = ({ status }: Pick<Booking, "status">): boolean =>
  status === "pending" || status === "confirmed";

export const isOver = ({ status }: Pick<Job, "status">): boolean =>
  status === "cancelled" || status === "expired";

/** `1 person`, `2 people`. */
export const people = (count: number): string => `${count} ${count === 1 ? "person" : "people"}`;

/** Who it is; a person who was erased has no name any more. */
export function nameOf(candidateId: string, { candidate }: Names): string {
  const known = candidate(candidateId);
  return known ? fullName(known) : `candidate ${shortened(candidateId)}`;
}

const shortened = (id: string): string => (id.length > 12 ? `${id.slice(0, 8)}…` : id);

export const BOOKING_WORDS: Record<BookingStatus, { words: string; tone: Tone }> = {
  pending: { words: "waits for the provider", tone: "busy" },
  confirmed: { words: "confirmed", tone: "good" },
  released: { words: "released", tone: "plain" },
  failed: { words: "failed", tone: "bad" },
};

export const TOLD_WORDS: Record<Notification["kind"], string> = {
  job_offered: "offered the job",
  shift_changed: "told of a change",
  shift_cancelled: "told of the cancellation",
  booking_confirmed: "told of the confirmation",
  booking_released: "told of the release",
};

/** Reasons are codes, or the provider's own words. */
export const inWords = (reason: string): string => reason.replaceAll("_", " ");
