import { randomUUID } from "node:crypto";
import type { Target } from "./load.ts";
import type { Organisation } from "./organisations.ts";

export const WEBHOOK_PATH = "/webhooks/scheduling-provider";

/** Returns a webhook of the organisation about the shift, with a new traceId. */
export function webhooksOf({ providerId, platformToken }: Organisation): Target & { body: () => string } {
  return {
    path: WEBHOOK_PATH,
    method: "POST",
    headers: headersOf(platformToken),
    body: () => webhook(providerId, randomUUID()),
  };
}

export const headersOf = (token: string) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
});

export const webhook = (providerId: string, shiftId: string): string =>
  JSON.stringify({ event: "shift.create", providerId, content: { shiftId }, traceId: randomUUID() });
