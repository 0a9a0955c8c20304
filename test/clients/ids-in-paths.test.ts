import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createRouter,
  type Handlers,
  operationsTable,
  ProblemError,
} from "../../generated/provider/server.ts";
import { schemas } from "../../generated/provider/validators.js";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import { ParameterError } from "../../src/runtime/path.ts";
import { isNoSegment, pathTexts } from "../harness/path-texts.ts";
import { CALL } from "../harness/provider-sandbox.ts";

const PROVIDER_ID = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";

/** What the handlers of the provider's stub got, and how many requests arrived. */
const handled: object[] = [];
let requests = 0;
const app = express();
const server = createServer((request, response) => {
  requests += 1;
  app(request, response);
});
const http = createProviderHttp({ allowInsecure: true });
let baseUrl = "";

beforeAll(async () => {
  const handlers = Object.fromEntries(
    operationsTable.map(({ operationId }) => [
      operationId,
      ({ path, raw }: { path: object; raw: express.Request }) => {
        const providerId = raw.params.providerId ?? raw.get("x-provider-id");
        handled.push({ operationId, providerId, path: { ...path } });
        throw new ProblemError(404, "shift_not_found");
      },
    ]),
  ) as unknown as Handlers<unknown>;
  const router = createRouter({ handlers, authenticate: () => undefined });
  app.use("/api/path/providers/:providerId", router);
  app.use("/api/header", router);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
});

const clientOf = (routing: "path" | "header", providerId = PROVIDER_ID) =>
  createProviderClient({
    baseUrl: `${baseUrl}/${routing}`,
    providerId,
    token: "t",
    routing,
    fetch: http.fetch,
  });

type Calls = ReturnType<typeof clientOf>;
const TIMES = { startTime: "2027-03-27T22:00:00Z", endTime: "2027-03-28T06:00:00Z", positions: 1 };

/** Each call with an id in its path, and the operations that it may send. */
const CALLS: Record<
  string,
  { call: (client: Calls, shiftId: string, id: string) => Promise<unknown>; sends: string[] }
> = {
  getShift: { call: (client, shiftId) => client.getShift(shiftId, CALL), sends: ["getShift"] },
  updateShift: {
    call: (client, shiftId) => client.updateShift(shiftId, TIMES, CALL),
    sends: ["updateShift"],
  },
  cancelShift: { call: (client, shiftId) => client.cancelShift(shiftId, CALL), sends: ["cancelShift"] },
  assign: {
    call: (client, shiftId, candidateId) => client.assign({ shiftId, candidateId }, CALL),
    sends: ["assignCandidate"],
  },
  unassign: {
    call: (client, shiftId, candidateId) => client.unassign({ shiftId, candidateId }, CALL),
    sends: ["unassignCandidate", "deleteAssignment"],
  },
};

describe.each(["path", "header"] as const)("an id in a path, with the organisation in the %s", (routing) => {
  it("reaches the provider's operation as it is, or nothing is sent", async () => {
    const client = clientOf(routing);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(CALLS)),
        pathTexts,
        pathTexts,
        async (name, shiftId, id) => {
          handled.length = requests = 0;
          const { call, sends } = CALLS[name] as (typeof CALLS)[string];
          const isSeat = name.endsWith("assign");
          const error = await call(client, shiftId, id).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          if (isNoSegment(shiftId) || (isSeat && isNoSegment(id))) {
            expect(error).toBeInstanceOf(ParameterError);
            expect(error).toMatchObject({
              in: "path",
              parameter: isNoSegment(shiftId) ? "shiftId" : "candidateId",
            });
            expect(requests).toBe(0);
            return;
          }
          expect(error).toBeUndefined();
          const path = { shiftId, ...(isSeat && { candidateId: id }) };
          const isValid = schemas.ShiftId(shiftId) && (!isSeat || schemas.ProviderCandidateId(id));
          const expected = sends.map((operationId) => ({ operationId, providerId: PROVIDER_ID, path }));
          expect(handled).toEqual(isValid ? expected : []);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("a providerId", () => {
  it.each(["..", ".", "", "\ud800"])(
    "that no path can carry is refused before the client exists: %j",
    (id) => {
      expect(() => clientOf("path", id)).toThrow("the path parameter providerId");
    },
  );

  it("is encoded in a path", async () => {
    const providerId = "a/../b?#%2e";
    handled.length = 0;
    await clientOf("path", providerId).getShift("1", CALL);
    expect(handled).toEqual([{ operationId: "getShift", providerId, path: { shiftId: "1" } }]);
  });

  it("that no header can carry is refused by the header's name", () => {
    expect(() => clientOf("header", "a\nb")).toThrow("the header parameter X-Provider-Id must hold only");
  });
});

it("an idempotency key that no header can carry is refused by its name", async () => {
  requests = 0;
  const call = clientOf("path").getShift("1", { ...CALL, idempotencyKey: "a\nb" });
  await expect(call).rejects.toThrow("the header parameter Idempotency-Key must hold only");
  expect(requests).toBe(0);
});

it("a webhook for a kind of dots is not tried for days: it is refused at once", async () => {
  requests = 0;
  const client = createWebhookClient({
    platformUrl: baseUrl,
    token: "t",
    kind: "..",
    wait: async () => undefined,
  });
  const event = {
    event: "shift.create",
    providerId: PROVIDER_ID,
    content: { shiftId: "1" },
    ...CALL,
  } as const;
  await expect(client.send(event)).rejects.toThrow("the path parameter provider is a dot segment");
  expect(requests).toBe(0);
});

describe("the validators of both sides", () => {
  it.each(["ShiftId", "ProviderCandidateId"] as const)("refuse as %s what a path would lose", (name) => {
    for (const id of ["", ".", "..", "a\0b"]) expect(schemas[name](id)).toBe(false);
    for (const id of ["...", "..a", ".a", "a.", "%2e", "/", "..\\", "\t", "\n", ";?#", "a".repeat(200)])
      expect(schemas[name](id)).toBe(true);
  });
});
