import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { createRouter } from "../../generated/platform/server.ts";
import { healthHandlers } from "../../src/platform/http/management.ts";
import { webhookHandlers } from "../../src/platform/http/webhook.ts";
import type { ReceivedEvent } from "../../src/platform/inbox/receive.ts";
import { silent } from "../harness/engines.ts";
import { recordContract } from "../harness/pact/contract-file.ts";
import { aUuid, EXAMPLES } from "../harness/pact/matching.ts";

const { providerId, shiftId, traceId } = EXAMPLES;

const contract = recordContract("events");
const received: ReceivedEvent[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer(createReader());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
beforeEach(() => {
  received.length = 0;
});
afterAll(() => server.close());

/** Reads a webhook as the platform does, from the bytes to the stored event. */
function createReader() {
  const inbox = {
    receive: async (event: ReceivedEvent) => {
      received.push(event);
      return "stored" as const;
    },
  };
  const handlers = {
    ...webhookHandlers({ log: silent }, inbox, { webhookStored: () => undefined }),
    ...healthHandlers({ fault: async () => undefined }, () => false),
  };
  const authenticate = () => ({ providerId, kind: EXAMPLES.kind });
  return express().use(createRouter({ handlers, authenticate }));
}

for (const event of ["shift.create", "shift.update", "shift.delete"]) {
  contract.it(`the platform reads ${event}`, async (pact) => {
    const content = {
      event,
      providerId: aUuid(providerId),
      content: { shiftId: aUuid(shiftId) },
      traceId: aUuid(traceId),
    };
    const message = pact
      .addAsynchronousInteraction()
      .expectsToReceive(event, (builder) =>
        builder.withMetadata({ contentType: "application/json" }).withJSONContent(content),
      );
    await message.executeTest(async ({ contents }) => {
      const { port } = server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}/webhooks/scheduling-provider`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(contents.content),
      });
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }]);
      expect(received).toEqual([{ event, providerId, shiftId, traceId, status: "queued" }]);
    });
  });
}
