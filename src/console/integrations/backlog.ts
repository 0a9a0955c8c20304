import type { Backlog } from "../../../generated/operations/types.ts";
import { formatCount } from "../components/times.ts";

const URGENCIES = [
  ["interactive", "interactive"],
  ["events", "from events"],
  ["background", "in the background"],
] as const;

export const totalOf = ({ interactive, events, background }: Backlog["waiting"]): number =>
  interactive + events + background;

/** `2 interactive, 1,204 from events`: the most urgent first. */
export function waitingText(waiting: Backlog["waiting"]): string {
  return URGENCIES.filter(([urgency]) => waiting[urgency] > 0)
    .map(([urgency, text]) => `${formatCount(waiting[urgency])} ${text}`)
    .join(", ");
}

/** What is under way although nothing waits; empty when nothing is. */
export function restText({ inProgress, mail }: Pick<Backlog, "inProgress" | "mail">): string {
  const parts = [
    ...(inProgress > 0 ? [`${formatCount(inProgress)} in progress`] : []),
    ...(mail > 0 ? [`${formatCount(mail)} ${mail === 1 ? "mail" : "mails"} to send`] : []),
  ];
  return parts.join(", ");
}
