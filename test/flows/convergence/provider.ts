import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listening } from "../../harness/listening.ts";
import { createDesk, type Desk } from "./provider-desk.ts";
import { createFaults, type Faults } from "./provider-faults.ts";
import {
  carryOut,
  type Effect,
  type Forms,
  type Parts,
  type Reply,
  refusal,
  refusalOf,
} from "./provider-operations.ts";
import { createRecords } from "./provider-records.ts";
import { cutOff, send, sendGatewayPage } from "./provider-responses.ts";
import { type Call, readCall, readTenant } from "./provider-routes.ts";
import { createWebhooks, type Webhooks } from "./provider-webhooks.ts";

export interface ProviderOptions extends Partial<Forms> {
  /** Webhooks follow the effects of the platform's calls. */
  echo?: boolean;
}

/** A call in the provider's log. `status` is 0 while it is under way and after the connection was cut. */
export interface LoggedCall extends Call {
  at: number;
  status: number;
}

export interface Provider extends Desk, Pick<Webhooks, "connect" | "announce" | "deliveries"> {
  url: string;
  providerId: string;
  /** The current PROVIDER_TOKEN. */
  token(): string;
  /** Every call with the previous token gets 401. */
  rotateToken(): string;
  /** May be changed at run time. */
  forms: Forms;
  outlets: Parts["outlets"];
  roles: Parts["roles"];
  fault: Faults["add"];
  clearFaults(): void;
  calls: readonly LoggedCall[];
  effects: readonly Effect[];
  /** Resolves when no late effect and no webhook is pending. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** One organisation's scheduling system, written from the contract alone. */
export async function startProvider(options: ProviderOptions = {}): Promise<Provider> {
  const system = createSystem(options);
  const { providerId, parts, faults, webhooks, calls, effects, late, closing } = system;
  const server = await listening(
    createServer((request, response) => {
      // The platform may end the connection within a request.
      serve(system, request, response).catch(() => response.destroy());
    }),
  );
  return {
    ...createDesk(parts),
    url: server.url,
    providerId,
    calls,
    effects,
    forms: parts.forms,
    outlets: parts.outlets,
    roles: parts.roles,
    deliveries: webhooks.deliveries,
    connect: webhooks.connect,
    announce: webhooks.announce,
    settled: async () => {
      await Promise.all(late);
      await webhooks.settled();
    },
    fault: faults.add,
    clearFaults: faults.clear,
    token: () => system.token,
    rotateToken: () => {
      system.token = newToken();
      return system.token;
    },
    close: async () => {
      closing.abort();
      await server.close();
    },
  };
}

interface System {
  options: ProviderOptions;
  providerId: string;
  token: string;
  parts: Parts;
  faults: Faults;
  webhooks: Webhooks;
  calls: LoggedCall[];
  effects: Effect[];
  /** The pending late effects. */
  late: Set<Promise<unknown>>;
  closing: AbortController;
}

const newToken = () => `token-${randomUUID()}`;

function createSystem(options: ProviderOptions): System {
  const providerId = randomUUID();
  const faults = createFaults();
  const { variant = "a", acknowledgement = "minimal" } = options;
  const { codes = true, deletedShows = "absent", roundsToMs = 1 } = options;
  const parts: Parts = {
    faults,
    records: createRecords(),
    forms: { variant, acknowledgement, codes, deletedShows, roundsToMs },
    outlets: ["Norrtull", "Slussen"].map((name) => ({ id: randomUUID(), name })),
    roles: ["Servering", "Disk"].map((name) => ({ id: randomUUID(), name })),
  };
  const webhooks = createWebhooks(providerId);
  return {
    options,
    providerId,
    parts,
    faults,
    webhooks,
    token: newToken(),
    calls: [],
    effects: [],
    late: new Set<Promise<unknown>>(),
    closing: new AbortController(),
  };
}

async function serve(system: System, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { parts, faults, calls } = system;
  const { providerId, url } = readTenant(request);
  const call = await readCall(request, url);
  const logged = call && { ...call, at: performance.now(), status: 0 };
  if (logged) calls.push(logged);
  const log = (status: number) => {
    if (logged) logged.status = status;
  };
  const answer = (reply: Reply, retryAfter?: string) => send(response, reply, retryAfter).then(log);
  if (call && faults.take("gateway-404", call)) return sendGatewayPage(response).then(log);
  if (request.headers.authorization !== `Bearer ${system.token}`)
    return answer(refusal(parts.forms, 401, "unauthorized"));
  if (providerId?.toLowerCase() !== system.providerId)
    return answer(refusal(parts.forms, 404, "provider_not_found"));
  if (!call) return answer(refusal({ codes: false }, 404));
  const refused = refusalOf(parts.forms, faults, call);
  if (refused) return answer(refused.reply, refused.retryAfter);
  await respond(system, call, response).then(log);
}

/** Performs the call, and responds unless a fault prevents that. Resolves with the sent status. */
async function respond(system: System, call: Call, response: ServerResponse): Promise<number> {
  const { faults } = system;
  const lateness = faults.take("late", call);
  if (lateness) {
    commitLater(system, call, lateness.afterMs);
    return cutOff(response);
  }
  const reply = commit(system, call);
  return send(response, reply, undefined, faults.take("slow", call)?.ms);
}

function commitLater(system: System, call: Call, afterMs: number): void {
  const { late, closing } = system;
  const committed = sleep(afterMs, undefined, { signal: closing.signal })
    .then(
      () => void commit(system, call),
      () => undefined,
    )
    .finally(() => late.delete(committed));
  late.add(committed);
}

function commit(system: System, call: Call): Reply {
  const { parts, effects, options } = system;
  const reply = carryOut(parts, call);
  if (!reply.effect) return reply;
  effects.push(reply.effect);
  if (options.echo) echo(system, reply.effect);
  return reply;
}

function echo({ webhooks }: System, { kind, shiftId }: Effect): void {
  if (shiftId === undefined) return;
  const event = kind === "delete" ? "shift.delete" : "shift.update";
  // An unacknowledged webhook is among the deliveries.
  webhooks.announce(event, shiftId).catch(() => undefined);
}
