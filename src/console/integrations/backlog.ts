import type { Backlog } from "../../../generated/operations/types.ts";
import { counted } from "../../contract/operator-text.ts";
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

/** `under a minute`, `12 min`, `2 h 5 min`, `3 days 4 h`. @param ms until then; a time that has passed counts as now. */
export function remainingText(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return "under a minute";
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  const days = Math.floor(hours / 24);
  if (days === 0) return joined(`${hours} h`, minutes % 60, "min");
  return joined(counted(days, "day"), hours % 24, "h");
}

const joined = (text: string, count: number, unit: string) =>
  count === 0 ? text : `${text} ${count} ${unit}`;
