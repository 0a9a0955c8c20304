import { randomUUID } from "node:crypto";
import type { Message } from "../../../generated/events/types.ts";
import type { Faults } from "./fault.ts";

/** Webhooks are missing, doubled or about something else. */
export const webhookFaults = {
  "no-echo": {
    summary: "no webhook for what the platform's own calls change",
    webhooks: (event, isEcho) => (isEcho ? [] : [event]),
  },
  "duplicate-webhooks": { summary: "each webhook twice, same traceId", webhooks: (event) => [event, event] },
  "webhook-of-another-shift": {
    summary: "webhooks name a shift that does not exist",
    webhooks: (event) => [{ ...event, content: { shiftId: randomUUID() } } as Message],
  },
} as const satisfies Faults;
