import type { Language } from "../../../generated/operations/types.ts";
import { type NotificationValues, oneLine } from "./mail.ts";

/** Everything that an entry of a candidate's calendar says, beside names. */
const CALENDAR_TEXT: Record<Language, { shift: string }> = {
  en: { shift: "Shift" },
  sv: { shift: "Pass" },
};

type Named = Pick<NotificationValues, "language" | "content" | "roleName" | "outletName"> & {
  outletAddress: string | null;
  organisation: string;
};

/** What an assignment is called in a calendar. It contains no link: calendars are shared, and a link answers for the candidate. */
export function calendarText(values: Named): { summary: string; location: string; description: string } {
  const { language, content, organisation } = values;
  const role = oneLine(content.roleName ?? values.roleName);
  const place = oneLine(content.outletName ?? values.outletName);
  const address = oneLine(values.outletAddress);
  return {
    summary: listed([role || CALENDAR_TEXT[language].shift, place]),
    location: listed([place, address]),
    description: oneLine(organisation) ?? "",
  };
}

const listed = (names: readonly (string | undefined)[]) => names.filter(Boolean).join(", ");
