import { withoutPersonalNumbers } from "../../contract/personal-data.ts";
import type { StoredEvent } from "../db/schema.ts";

type Stored = Pick<StoredEvent, "event" | "providerId" | "shiftId" | "traceId">;

/**
 * Returns the fields of the webhook's body that the contract names (contract 6). The name and the shift of an unknown event may be any text, so
 * personal numbers in them are masked.
 */
export function payloadOf({ event, providerId, shiftId, traceId }: Stored) {
  return {
    event: withoutPersonalNumbers(event),
    providerId,
    content: { shiftId: withoutPersonalNumbers(shiftId) },
    traceId,
  };
}
