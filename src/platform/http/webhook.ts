import type { Handlers } from "../../../generated/platform/server.ts";
import type { WebhookEvent } from "../../../generated/platform/types.ts";
import { schemas } from "../../../generated/platform/validators.js";
import { problem } from "../../contract/problem.ts";
import { isShiftEvent } from "../../contract/shift.ts";
import type { Deps } from "../deps.ts";
import { lowerUuid } from "../ids.ts";
import type { Inbox, ReceivedEvent } from "../inbox/receive.ts";
import type { TokenOwner } from "../integrations/tokens.ts";
import type { Observer } from "../metrics/observer.ts";
import { callerOf, inSpan, traceparentOfSpan } from "../tracing.ts";
import { arrivalOf, storeUnavailable } from "./authenticate.ts";

/** Both webhook paths (contract 4.3). The log of requests finds the traceId of a refused one in `raw.body`. */
export function webhookHandlers(
  { log }: Pick<Deps, "log">,
  inbox: Inbox,
  { webhookStored }: Pick<Observer, "webhookStored">,
) {
  const store = async (body: WebhookEvent, owner: TokenOwner, arrivedAt: number | undefined) => {
    const traceparent = traceparentOfSpan();
    const event = { ...toReceive(body, owner), ...(traceparent !== undefined && { traceparent }) };
    await inbox.receive(event, arrivedAt);
    webhookStored({ kind: owner.kind, providerId: owner.providerId });
  };
  const receive = async (raw: object, event: WebhookEvent, owner: TokenOwner, parent: string | undefined) => {
    if (event.providerId.toLowerCase() !== owner.providerId) {
      throw problem("forbidden", {
        detail: "The token belongs to another providerId than the payload's.",
      });
    }
    try {
      const { event: name, traceId } = event;
      const about = {
        "shiftpact.event": isShiftEvent(name) ? name : "unknown",
        "shiftpact.provider_id": owner.providerId,
      };
      await inSpan(
        { name: "webhook", kind: "server", traceId, attributes: about },
        () => store(event, owner, arrivalOf(raw)),
        callerOf(parent),
      );
    } catch (error) {
      log.error({ err: error, traceId: event.traceId }, "could not store an event");
      throw storeUnavailable();
    }
    return { status: 200, body: { received: true } } as const;
  };
  return {
    receiveIntegrationWebhook: ({ path, body, headers, raw }, owner) => {
      raw.body = body;
      if (path.provider === owner.kind || path.provider === owner.formerKind)
        return receive(raw, body, owner, headers.traceparent);
      throw problem("provider_kind_unknown", {
        detail: "The token belongs to an integration of another kind than the path names.",
      });
    },
    receiveSchedulingProviderWebhook: ({ body, headers, raw }, owner) => {
      raw.body = body;
      return receive(raw, body, owner, headers.traceparent);
    },
  } satisfies Partial<Handlers<TokenOwner>>;
}

/** Only what the contract names is stored: an unknown field may hold anything, personal data too. */
function toReceive(body: WebhookEvent, { providerId }: TokenOwner): ReceivedEvent {
  // Ids are compared as text: to find a repeated event, and the shift of an event.
  const traceId = body.traceId.toLowerCase();
  const spelling = shiftIdOf(body);
  const shiftId = lowerUuid(spelling);
  return {
    providerId,
    event: body.event.toWellFormed(),
    shiftId,
    ...(spelling !== shiftId && { spelling }),
    traceId,
    status: isShiftEvent(body.event) ? "queued" : "ignored",
  };
}

/** The content of an unknown event is unknown too: its shiftId is kept if it can be one, and is otherwise empty. */
function shiftIdOf({ content }: WebhookEvent): string {
  const shiftId: unknown = (content as { shiftId?: unknown } | undefined)?.shiftId;
  return schemas.ShiftId(shiftId) ? shiftId.toWellFormed() : "";
}
