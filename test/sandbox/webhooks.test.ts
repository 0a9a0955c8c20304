import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { schemas } from "../../generated/events/validators.js";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { RECEIPT, startPlatform } from "../harness/platform-stand-in.ts";
import { call, TRACE_ID } from "./calls.ts";

type Platform = Awaited<ReturnType<typeof startPlatform>>;

let sandbox: Sandbox;
let platform: Platform;
beforeEach(async () => {
  platform = await startPlatform();
});
afterEach(async () => {
  await sandbox.close();
  await platform.close();
});

async function start(options: SandboxOptions = {}, kind?: string): Promise<Sandbox> {
  const connection = { url: platform.url, token: "platform-token", ...(kind !== undefined && { kind }) };
  sandbox = await startSandbox({ platform: connection, ...options });
  return sandbox;
}

const bodies = () => platform.received.map(({ body }) => body as { event: string; traceId: string });
const events = () => bodies().map(({ event }) => event);

describe("a change at the provider", () => {
  it("sends one webhook", async () => {
    const { providerId, createShift, updateShift, deleteShift } = await start();
    const created = createShift();
    await sandbox.settled();
    const updated = updateShift(created.shiftId, { positions: 2 });
    await sandbox.settled();
    const deleted = deleteShift(created.shiftId);
    await sandbox.settled();
    const content = { shiftId: created.shiftId };
    expect(bodies()).toEqual([
      { event: "shift.create", providerId, content, traceId: created.traceId },
      { event: "shift.update", providerId, content, traceId: updated.traceId },
      { event: "shift.delete", providerId, content, traceId: deleted.traceId },
    ]);
    expect(schemas.ShiftCreateEvent.errorsOf(bodies()[0])).toEqual([]);
    expect(new Set(bodies().map(({ traceId }) => traceId)).size).toBe(3);
  });

  it("sends shift.update when it assigns or unassigns a candidate", async () => {
    const { assign, candidates, createShift, unassign } = await start();
    const { shiftId, shift } = createShift();
    const { id = "" } = candidates[0] ?? {};
    assign(shiftId, id);
    await sandbox.settled();
    expect([...shift.assigned.keys()]).toEqual([id]);
    unassign(shiftId, id);
    await sandbox.settled();
    expect([shift.assigned.size, events()]).toEqual([0, ["shift.create", "shift.update", "shift.update"]]);
  });

  it.each([
    [undefined, "/webhooks/scheduling-provider"],
    ["demo", "/api/v3/integrations/demo/webhook"],
  ])("of kind %s sends the webhook to %s with the platform's token", async (kind, path) => {
    const { traceId } = (await start({}, kind)).createShift();
    expect(await sandbox.delivered(traceId)).toEqual({ delivered: true, tries: 1 });
    expect(platform.received[0]).toMatchObject({
      path,
      headers: { authorization: "Bearer platform-token", "x-trace-id": traceId },
    });
  });

  it("retries its webhook with the same traceId", async () => {
    await platform.close();
    platform = await startPlatform((response) => response.writeHead(503).end(), RECEIPT);
    const { traceId } = (await start({ webhooks: { wait: async () => undefined } })).createShift();
    expect(await sandbox.delivered(traceId)).toEqual({ delivered: true, tries: 2 });
    expect(bodies().map((each) => each.traceId)).toEqual([traceId, traceId]);
  });

  it("sends no webhook while no platform is connected", async () => {
    sandbox = await startSandbox();
    const { traceId, shiftId } = sandbox.createShift();
    await expect(sandbox.delivered(traceId)).rejects.toThrow(traceId);
    sandbox.connectPlatform({ url: platform.url, token: "t" });
    sandbox.deleteShift(shiftId);
    await sandbox.settled();
    expect(events()).toEqual(["shift.delete"]);
  });

  it("of another organisation sends the webhook to that organisation's platform", async () => {
    await start();
    const other = sandbox.addOrganisation({ platform: { url: platform.url, token: "other" } });
    await sandbox.delivered(other.createShift().traceId);
    expect(platform.received).toMatchObject([
      { headers: { authorization: "Bearer other" }, body: { providerId: other.providerId } },
    ]);
  });

  it("sends no further webhook when the sandbox closes", async () => {
    await platform.close();
    platform = await startPlatform(() => undefined);
    const { traceId } = (await start()).createShift();
    await sandbox.close();
    expect(await sandbox.delivered(traceId)).toMatchObject({ delivered: false });
  });
});

describe("a change by a call of the platform", () => {
  it("sends a webhook after the response, with a new traceId", async () => {
    const { shiftId, shift } = (await start()).createShift();
    const change = { startTime: shift.startTime, endTime: shift.endTime, slots: 2 };
    await call(sandbox, "PUT", `/shifts/${shiftId}`, { body: change });
    await sandbox.settled();
    await call(sandbox, "DELETE", `/shifts/${shiftId}`);
    await sandbox.settled();
    expect(events()).toEqual(["shift.create", "shift.update", "shift.delete"]);
    expect(sandbox.deliveries.map(({ isEcho }) => isEcho)).toEqual([false, true, true]);
    expect(bodies().map(({ traceId }) => traceId)).not.toContain(TRACE_ID);
  });

  it("may send the webhook with the call's traceId", async () => {
    const { shiftId } = (await start({ dialect: { echoTraceId: "same" } })).createShift();
    await call(sandbox, "DELETE", `/shifts/${shiftId}`);
    expect(await sandbox.delivered(TRACE_ID)).toMatchObject({ delivered: true });
  });

  it.each([
    [false, ["shift.create"]],
    [true, ["shift.create", "shift.update"]],
  ])("sends a webhook for an assignment, if configured: %s", async (assignEchoes, expected) => {
    const { shiftId } = (await start({ dialect: { assignEchoes } })).createShift();
    const path = `/shifts/${shiftId}/assign/${sandbox.candidates[0]?.id}`;
    await call(sandbox, "PUT", path);
    await call(sandbox, "PUT", path);
    await sandbox.settled();
    expect(events()).toEqual(expected);
  });

  it("sends no webhook when the call is refused", async () => {
    await start();
    await call(sandbox, "DELETE", "/shifts/unknown");
    await sandbox.settled();
    expect(events()).toEqual([]);
  });
});

describe("the webhook fault", () => {
  it("no-echo omits the webhooks for the platform's own calls only", async () => {
    const { shiftId } = (await start({ faults: ["no-echo"] })).createShift();
    await call(sandbox, "DELETE", `/shifts/${shiftId}`);
    await sandbox.settled();
    expect(events()).toEqual(["shift.create"]);
  });

  it("duplicate-webhooks sends each webhook twice with one traceId", async () => {
    const { traceId } = (await start({ faults: ["duplicate-webhooks"] })).createShift();
    await sandbox.settled();
    expect(bodies().map((each) => each.traceId)).toEqual([traceId, traceId]);
  });

  it("webhook-of-another-shift sends the id of an unknown shift", async () => {
    const { traceId } = (await start({ faults: ["webhook-of-another-shift"] })).createShift();
    await sandbox.delivered(traceId);
    const [{ content }] = bodies() as unknown as [{ content: { shiftId: string } }];
    expect(sandbox.shift(content.shiftId)).toBeUndefined();
  });
});
