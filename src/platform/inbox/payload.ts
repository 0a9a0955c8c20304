import { withoutPersonalNumbers } from "../../contract/personal-data.ts";
import type { StoredEvent } from "../db/schema.ts";

type Stored = Pick<StoredEvent, "event" | "provider_id" | "shift_id" | "trace_id">;

/**
 * The webhook's body as far as it was stored (contract 6), which is what the contract names. What an event of an unknown name has as its
 * name and its shift may be anything: a personal number is masked.
 */
export function payloadOf({ event, provider_id, shift_id, trace_id }: Stored) {
  return {
    event: withoutPersonalNumbers(event),
    providerId: provider_id,
    content: { shiftId: withoutPersonalNumbers(shift_id) },
    traceId: trace_id,
  };
}
