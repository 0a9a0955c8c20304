import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { Database } from "../../../src/platform/db/database.ts";
import type { Integration } from "../../../src/platform/db/schema.ts";
import { createProviderClients } from "../../../src/platform/integrations/clients.ts";
import { createVault } from "../../../src/platform/integrations/vault.ts";
import { silent } from "../../harness/engines.ts";
import { SECRET_KEY } from "../../harness/platform.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

/** A provider whose connections stay open, and which answers once `held` has resolved. */
async function startProvider(held: () => Promise<unknown>) {
  const server = createServer({ keepAliveTimeout: 600_000 }, async (_, response) => {
    await held();
    response.setHeader("Content-Type", "application/json");
    response.end("[]");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

/** Returns what gives the client of the provider. */
function clientOf(baseUrl: string, parts: Partial<Parameters<typeof createProviderClients>[0]>) {
  const vault = createVault(SECRET_KEY);
  const clients = createProviderClients({
    database: {} as Database,
    log: silent,
    now: () => new Date(),
    http: { allowInsecure: true, idleMs: 600_000 },
    limits: { perMinute: 0 },
    processes: { sharing: () => 1, since: () => Number.NEGATIVE_INFINITY },
    vault,
    onCall: () => undefined,
    onCircuit: async () => undefined,
    onSilence: async () => undefined,
    onBroken: async () => undefined,
    ...parts,
  });
  open.push(clients);
  const integration = {
    providerId: "0190c7a4-0000-7000-8000-000000000001",
    baseUrl,
    providerToken: vault.seal("token"),
    routing: "path",
    routingSource: "operator",
    timeZone: "Europe/Stockholm",
    updatedAt: new Date(),
    dialect: {},
    conditions: [],
  } as unknown as Integration;
  return () => clients.clientFor(integration);
}

it("closes the connections to a provider that is no longer called, as of a deleted organisation, and none with a call under way", async () => {
  let release: () => void = () => undefined;
  let held: () => Promise<unknown> = async () => undefined;
  const provider = await startProvider(() => held());
  const client = clientOf(provider.url, { keptMs: 40 });
  const call = () => client().listOutlets({ traceId: crypto.randomUUID() });
  held = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const first = call();
  await expect.poll(provider.connections).toBe(1);
  // Several times as long as an idle connection is kept.
  await new Promise((resolve) => setTimeout(resolve, 200));
  release();
  expect((await first).kind).toBe("list");
  await expect.poll(provider.connections).toBe(0);
  held = async () => undefined;
  expect((await call()).kind).toBe("list");
});

it("reports a provider of which four responses in a row break the contract, unless all are about one shift", async () => {
  const provider = await startProvider(async () => undefined);
  let reports = 0;
  const onBroken = async () => {
    reports += 1;
  };
  const client = clientOf(provider.url, { onBroken });
  const call = { traceId: crypto.randomUUID() };
  // The provider's empty list is no shift.
  const read = async (...shiftIds: string[]) => {
    for (const shiftId of shiftIds) await client().getShift(shiftId, call);
    return reports;
  };
  expect(await read("a", "a", "a", "a", "a")).toBe(0);
  await client().listOutlets(call);
  expect(await read("a", "b", "a")).toBe(0);
  expect(await read("b")).toBe(1);
});
