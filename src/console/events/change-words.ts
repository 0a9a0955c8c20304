import type { Change } from "../../../generated/operations/types.ts";
import { formatTime } from "../parts/times.ts";

const FIELDS: Readonly<Record<string, string>> = {
  status: "Status of the job",
  startTime: "Starts",
  endTime: "Ends",
  positions: "Positions",
  overfilled: "More people than positions",
  outletId: "Outlet id",
  outletName: "Outlet",
  roleId: "Role id",
  roleName: "Role",
  workplaceId: "Workplace",
  competenceId: "Competence",
  warnings: "Warnings",
  bookings: "Seats taken",
  notifications: "Notifications sent",
};

const TIMES = new Set(["startTime", "endTime"]);

export interface ChangeInWords {
  field: string;
  from: string;
  to: string;
}

interface Wording {
  /** Of the workplace. */
  zone?: string | undefined;
  /** What an id is called; undefined for what is none. */
  nameOf?(field: string, id: string): string | undefined;
}

/** The changes of a job as a person says them; what is the same in words is left out. */
export function changesInWords(changes: readonly Change[], wording: Wording = {}): ChangeInWords[] {
  return changes
    .map(({ field, from, to }) => ({
      field: FIELDS[field] ?? field,
      from: valueInWords(field, from, wording),
      to: valueInWords(field, to, wording),
    }))
    .filter(({ from, to }) => from !== to);
}

function valueInWords(field: string, value: Change["from"], { zone, nameOf }: Wording): string {
  if (value === null || value === "") return "nothing";
  if (TIMES.has(field)) return formatTime(String(value), zone === undefined ? {} : { zone });
  if (field === "overfilled") return value === "true" ? "yes" : "no";
  if (field === "status") return String(value).replaceAll("_", " ");
  return nameOf?.(field, String(value)) ?? String(value);
}
