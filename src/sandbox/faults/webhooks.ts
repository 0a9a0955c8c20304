import { randomUUID } from "node:crypto";
import type { Message } from "../../../generated/events/types.ts";
import type { Faults } from "./fault.ts";

/** Faults in webhooks: missing, duplicated or about another shift. */
export const webhookFaults = {
  "no-echo": {
    summary: "no webhook for changes by the platform's own calls",
    webhooks: (event, isEcho) => (isEcho ? [] : [event]),
  },
  "duplicate-webhooks": { summary: "every webhook twice, same traceId", webhooks: (event) => [event, event] },
  "webhook-of-another-shift": {
    summary: "webhooks contain the id of an unknown shift",
    webhooks: (event) => [{ ...event, content: { shiftId: randomUUID() } } as Message],
  },
} as const satisfies Faults;
