import { MatchersV3, type PactV4 } from "@pact-foundation/pact";
import { describe, expect } from "vitest";
import type { Message } from "../../generated/events/types.ts";
import { createWebhookClient, type Delivery } from "../../src/clients/webhook-client.ts";
import { recordContract } from "../harness/pact/contract-file.ts";
import { aTraceparent, aUuid, EXAMPLES, stated } from "../harness/pact/matching.ts";

const { providerId, shiftId, traceId, kind, platformToken } = EXAMPLES;

interface Row {
  does: string;
  /** The owner of the token: the integration unless given. */
  token?: "unknown" | "of another";
  event?: Message["event"];
  shiftId?: string;
  /** The kind in the path, if it differs from the integration's. */
  kind?: string;
  status: number;
  delivery: Delivery;
}

const DELIVERED: Delivery = { delivered: true, tries: 1 };
const refused = (status: number) => ({
  status,
  delivery: { delivered: false, tries: 1, reason: `status ${status}` } as const,
});

const rows: readonly Row[] = [
  { does: "reports a new shift", status: 200, delivery: DELIVERED },
  { does: "reports a changed shift", event: "shift.update", status: 200, delivery: DELIVERED },
  { does: "reports a cancelled shift", event: "shift.delete", status: 200, delivery: DELIVERED },
  {
    does: "reports a shift whose id is no UUID",
    shiftId: "SH-2027/11 a",
    status: 200,
    delivery: DELIVERED,
  },
  { does: "reports a shift without an id", shiftId: "", ...refused(400) },
  { does: "sends an unknown token", token: "unknown", ...refused(401) },
  { does: "sends another organisation's token", token: "of another", ...refused(403) },
];

const otherKind: Row = {
  does: "names a kind that the integration is not of",
  kind: "no-such-kind",
  ...refused(404),
};

/** Names the path in each description: a broker keeps both paths in one contract, where a description occurs once. */
function at(path: string, ofPath: readonly Row[]): Row[] {
  return ofPath.map((row) => ({ ...row, does: `${row.does} [path=${path}]` }));
}

/** Returns the body, where every valid id is the provider's own. */
function bodyOf(row: Row) {
  return {
    event: row.event ?? "shift.create",
    providerId: stated("{providerId}"),
    content: { shiftId: row.shiftId ?? stated("{shiftId}") },
    traceId: stated("{traceId}"),
  };
}

/** Adds the interaction and sends the event with the real client. Returns the result. */
function exchange(pact: PactV4, row: Row, path: string, answer: object | undefined, own: { kind?: string }) {
  return pact
    .addInteraction()
    .given("an integration", { token: row.token ?? "its own" })
    .uponReceiving(row.does)
    .withRequest("POST", stated(path), (request) => {
      request.headers({
        Authorization: stated("Bearer {platformToken}"),
        "X-Trace-Id": aUuid(traceId),
        traceparent: aTraceparent(),
      });
      request.jsonBody(bodyOf(row));
    })
    .willRespondWith(row.status, (response) => {
      if (row.status === 200 && answer) response.jsonBody(answer);
    })
    .executeTest(({ url }) => {
      const client = createWebhookClient({ platformUrl: url, token: platformToken, ...own });
      const content = { shiftId: row.shiftId ?? shiftId };
      return client.send({ event: row.event ?? "shift.create", providerId, content, traceId });
    });
}

describe("a provider sends webhooks to its kind's path", () => {
  const contract = recordContract("integrationWebhook");
  const received = { received: MatchersV3.equal(true) };
  for (const row of at("integration-webhook", [...rows, otherKind])) {
    contract.it(row.does, async (pact) => {
      const path = `/api/v3/integrations/${row.kind ?? "{kind}"}/webhook`;
      const own = { kind: row.kind ?? kind };
      expect(await exchange(pact, row, path, received, own)).toEqual(row.delivery);
    });
  }
});

describe("a provider sends webhooks to the path of every provider", () => {
  const contract = recordContract("schedulingProviderWebhook");
  for (const row of at("scheduling-provider-webhook", rows)) {
    contract.it(row.does, async (pact) => {
      // Contract 4.3 gives this path "200 OK" without a body.
      const path = "/webhooks/scheduling-provider";
      expect(await exchange(pact, row, path, undefined, {})).toEqual(row.delivery);
    });
  }
});
