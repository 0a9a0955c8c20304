import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import type { Message } from "../../generated/events/types.ts";
import type { CandidateCreate, Job } from "../../generated/operations/types.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import type { Platform } from "../../src/platform/main.ts";
import type { NewShift } from "../../src/sandbox/provider-actions.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };
import { type Actions, actionsOf } from "./actions.ts";
import { type Operations, ok } from "./operations.ts";
import { type ProxyOptions, startProviderProxy } from "./provider-proxy.ts";

export interface Onboarding extends SandboxOptions, ProxyOptions {
  /** Whether webhooks use the path with the kind; true unless given. */
  ownPath?: boolean;
  /** False: changes at the provider send no webhooks, so the test decides what is sent. */
  connect?: boolean;
  /** False: the integration stays a draft, which keeps its events until `activate`. */
  activate?: boolean;
  timeZone?: string;
  /** Returns the URL under which the platform knows the provider at this one. */
  via?: (url: string) => Promise<string>;
}

/** A candidate of the platform. */
export interface Person {
  candidateId: string;
  personalNumber: string;
}

/** A call of the platform in the provider's log; the path without `/providers/{providerId}`. */
export interface ProviderCall {
  method: string;
  path: string;
  status: number;
  traceId: string;
}

/** An organisation on both sides: its provider is a sandbox, and the rest goes through the operations API. */
export interface Organisation extends Actions {
  operations: Operations;
  provider: Sandbox;
  providerId: string;
  params: { path: { providerId: string } };
  platformToken: string;
  /** The competence of every role of the provider; no candidate of another organisation has it. */
  competenceId: string;
  workplaceId: string;
  /** In the order of their ends. */
  calls: readonly ProviderCall[];
  /** Returns the number of calls of this method and path at the provider; the path without its prefix. */
  callCount(method: string, path: string): number;
  /** Resolves when every webhook is delivered and all resulting work is done. */
  idle(): Promise<void>;
  /** Creates a shift at the provider, and returns its job. */
  open(shift?: NewShift): Promise<Job>;
  /** Stores an event, and returns its traceId. */
  send(event: string, shiftId: string, traceId?: string): Promise<string>;
  /** Sends an event on the path that names no kind, and returns the response's status. */
  trySend(shiftId: string, token?: string, event?: string): Promise<number>;
  /** Resolves when no event of this organisation is queued. */
  processed(): Promise<void>;
  /** Stores an event and waits until its work is done. */
  process(event: string, shiftId: string, traceId?: string): Promise<void>;
  /** Adds a candidate with the competence, who is new to the provider unless `personalNumber` is one of its people's. */
  addPerson(candidate?: Partial<CandidateCreate>): Promise<Person>;
  /** Whom `addPerson` has added. */
  people: readonly Person[];
  /** Returns the person's id at the provider. */
  idOf(person: Person): string;
  close(): Promise<void>;
}

interface Place {
  platform: Pick<Platform, "url" | "idle">;
  operations: Operations;
}

const KIND = "sandbox";
const POLL_MS = 20;
/** How long each side waits for the other: a response that is late on a busy machine must not look like a failure. */
export const PATIENCE_MS = 60_000;

/** Starts a sandbox, registers it, maps its outlets and roles, connects its webhooks and activates it. */
export async function onboard(place: Place, onboarding: Onboarding = {}): Promise<Organisation> {
  const { operations, platform } = place;
  const { ownPath = true, connect = true, activate = true, timeZone, via, ...rest } = onboarding;
  const { rewrite, onTheWay, ...options } = rest;
  const calls: ProviderCall[] = [];
  const people: Person[] = [];
  const webhooks = { timeoutMs: PATIENCE_MS, ...options.webhooks };
  const provider = await startSandbox({ ...options, webhooks, log: callsInto(calls) });
  const { providerId } = provider;
  const isProxied = rewrite !== undefined || onTheWay !== undefined;
  const proxy = isProxied ? await startProviderProxy(provider.url, { rewrite, onTheWay }) : undefined;
  const platformToken = await register(operations, provider, {
    baseUrl: proxy?.url ?? (await via?.(provider.url)) ?? provider.url,
    ...(timeZone !== undefined && { timeZone }),
  });
  if (connect) {
    provider.connectPlatform({ url: platform.url, token: platformToken, ...(ownPath && { kind: KIND }) });
  }
  const mapped = await mapAll(operations, provider);
  const actions = actionsOf(operations, providerId);
  const parts = { operations, provider, providerId, platformToken, calls };
  if (activate) {
    await actions.activate();
    // The activation reads what waited: a test that counts attempts must not get one more.
    await platform.idle();
  }
  return {
    ...actions,
    ...parts,
    ...mapped,
    params: { path: { providerId } },
    ...events({ ...parts, platform, actions, connect }),
    callCount: (method, path) => calls.filter((call) => call.method === method && call.path === path).length,
    people,
    addPerson: async (candidate) => {
      const competenceIds = [mapped.competenceId];
      const person = await addPerson(operations, { competenceIds, ...candidate });
      people.push(person);
      return person;
    },
    idOf: ({ personalNumber }) => {
      const candidate = provider.candidates.find((each) => each.personalNumber === personalNumber);
      if (!candidate) throw new Error("the provider does not know the person");
      return candidate.id;
    },
    close: async () => {
      await proxy?.close();
      await provider.close();
    },
  };
}

interface Sender {
  platform: Place["platform"];
  provider: Sandbox;
  platformToken: string;
  actions: Actions;
  connect: boolean;
}

function events(
  sender: Sender,
): Pick<Organisation, "idle" | "open" | "send" | "trySend" | "process" | "processed"> {
  const { platform, provider, actions, connect } = sender;
  const idle = async () => {
    let before: number;
    do {
      before = provider.deliveries.length;
      await provider.settled();
      await platform.idle();
      // The platform's calls may have caused webhooks with pending work.
    } while (provider.deliveries.length > before);
  };
  const send: Organisation["send"] = (event, shiftId, traceId = randomUUID()) =>
    sendEvent(sender, { event, shiftId, traceId });
  const process: Organisation["process"] = async (...event) => {
    await send(...event);
    await idle();
  };
  return {
    idle,
    send,
    process,
    trySend: (shiftId, token, event) => postEvent(sender, { shiftId, token, event }),
    processed: async () => {
      while ((await actions.events({ status: "queued" })).length > 0) await wait(POLL_MS);
    },
    open: async (shift) => {
      const { shiftId } = provider.createShift(shift);
      if (connect) await idle();
      else await process("shift.create", shiftId);
      return actions.job(shiftId);
    },
  };
}

async function sendEvent(
  { platform, provider: { providerId }, platformToken: token }: Sender,
  { event, shiftId, traceId }: { event: string; shiftId: string; traceId: string },
): Promise<string> {
  const client = createWebhookClient({
    platformUrl: platform.url,
    token,
    schedule: [0],
    timeoutMs: PATIENCE_MS,
  });
  const sent = await client.send({ event, providerId, content: { shiftId }, traceId } as Message);
  if (!sent.delivered) throw new Error(`the webhook was not accepted: ${sent.reason}`);
  return traceId;
}

async function postEvent(
  { platform, provider: { providerId }, platformToken }: Sender,
  sent: { shiftId: string; token: string | undefined; event: string | undefined },
): Promise<number> {
  const { shiftId, token = platformToken, event = "shift.create" } = sent;
  const response = await fetch(`${platform.url}/webhooks/scheduling-provider`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ event, providerId, content: { shiftId }, traceId: randomUUID() }),
  });
  await response.text();
  return response.status;
}

interface Registration {
  baseUrl: string;
  timeZone?: string;
  /** Returns the URL under which the platform knows the provider at this one. */
  via?: (url: string) => Promise<string>;
}

async function register(
  operations: Operations,
  { providerId, token: providerToken }: Sandbox,
  registration: Registration,
): Promise<string> {
  const body = { providerId, kind: KIND, name: "Kvarteret", providerToken, ...registration };
  return ok(await operations.createIntegration({ body })).platformToken;
}

/** Maps every outlet to one workplace and every role to one competence, which no other organisation uses. */
async function mapAll(operations: Operations, { providerId, outlets, roles }: Sandbox) {
  const params = { path: { providerId } };
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: randomUUID() } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
  ok(await operations.discoverIntegration({ params }));
  const body = {
    outlets: outlets.map(({ id }) => ({ outletId: id, workplaceId })),
    roles: roles.map(({ id }) => ({ roleId: id, competenceId })),
  };
  ok(await operations.updateMappings({ params, body }));
  return { workplaceId, competenceId };
}

let numbersUsed = 0;

/** Returns published test numbers in turn, without those of the sandbox's own people. No test needs all of them in one database. */
function nextNumber(): string {
  const number = published.personnummer[numbersUsed++ % published.personnummer.length] ?? "";
  return SEEDED.has(number) ? nextNumber() : number;
}

const SEEDED = new Set(["197209189294", "197210119280", "197310319293", "197601172393"]);

/** Adds a candidate with an unused personal number, unless one is given. */
async function addPerson(
  operations: Operations,
  candidate: Partial<CandidateCreate> & Pick<CandidateCreate, "competenceIds">,
): Promise<Person> {
  const identity = {
    firstName: "Robin",
    lastName: "Ek",
    email: "robin@example.com",
    phone: "+46701740605",
  };
  const body = { ...identity, personalNumber: nextNumber(), ...candidate };
  const { candidateId } = ok(await operations.createCandidate({ body }));
  return { candidateId, personalNumber: body.personalNumber };
}

/** Returns the provider's log of calls as a list. */
function callsInto(calls: ProviderCall[]) {
  const write = (line: string) => {
    const { msg, path, ...rest } = JSON.parse(line);
    if (msg === "call") calls.push({ ...rest, path: path.replace(/^\/providers\/[^/]+/, "") });
  };
  return pino({ level: "info" }, { write });
}
