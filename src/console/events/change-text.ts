import type { Change, JobStatus } from "../../../generated/operations/types.ts";
import { jobStatusText, warningText } from "../../contract/operator-text.ts";
import { formatTime } from "../components/times.ts";

const FIELDS: Readonly<Record<string, string>> = {
  status: "Status of the job",
  startTime: "Start",
  endTime: "End",
  positions: "Positions",
  overfilled: "Overfilled",
  outletId: "Outlet id",
  outletName: "Outlet",
  roleId: "Role id",
  roleName: "Role",
  workplaceId: "Workplace",
  competenceId: "Competence",
  warnings: "Warnings",
  bookings: "Bookings",
  ownPeopleCount: "Assigned by the provider",
  notifications: "Notifications",
};

export interface ChangeText {
  field: string;
  from: string;
  to: string;
}

interface Wording {
  /** IANA zone of the workplace. */
  zone?: string | undefined;
  /** The name behind an id; undefined for a value that is no id. */
  nameOf?(field: string, id: string): string | undefined;
}

/** The changes of a job as text, without those that read the same before and after. */
export function changeTexts(changes: readonly Change[], wording: Wording = {}): ChangeText[] {
  return changes
    .map(({ field, from, to }) => ({
      field: FIELDS[field] ?? field,
      from: valueText(field, from, wording),
      to: valueText(field, to, wording),
    }))
    .filter(({ from, to }) => from !== to);
}

function valueText(field: string, value: Change["from"], { zone, nameOf }: Wording): string {
  if (value === null || value === "") return "none";
  const text = String(value);
  switch (field) {
    case "startTime":
    case "endTime":
      return formatTime(text, { zone });
    case "overfilled":
      return value === "true" ? "yes" : "no";
    case "status":
      return jobStatusText(text as JobStatus);
    case "warnings":
      return text.split("; ").map(warningText).join("; ");
    default:
      return nameOf?.(field, text) ?? text;
  }
}
