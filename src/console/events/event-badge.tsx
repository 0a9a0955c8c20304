import type { Event } from "../../../generated/operations/types.ts";
import { eventStatusText } from "../../contract/operator-text.ts";
import { Badge } from "../components/badge.tsx";
import { toneOf } from "./event.ts";

export function EventBadge(event: Pick<Event, "status" | "attempts">) {
  return <Badge tone={toneOf(event)}>{eventStatusText(event).name}</Badge>;
}
