import { randomUUID } from "node:crypto";
import { pino } from "pino";
import type { CandidateCreate } from "../../generated/operations/types.ts";
import type { Platform } from "../../src/platform/main.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };
import { type Doings, doingsOf } from "./doings.ts";
import { type Operations, ok, type Person, type ProviderCall } from "./operations.ts";
import { type OnTheWay, type Rewriting, startRewriter } from "./rewriter.ts";

/** What of an organisation is not as usual. */
export interface Onboarding extends SandboxOptions {
  /** Webhooks take the path with the kind unless false. */
  ownPath?: boolean;
  /** Not connected: its changes send no webhooks, so that a test sends what it wants. */
  connect?: boolean;
  /** A draft keeps its events until `activate`. */
  activate?: boolean;
  timeZone?: string;
  /** Makes of each JSON answer of the provider what the platform gets. */
  rewrite?: (body: unknown) => unknown;
  /** What happens while a call to the provider is under way. */
  onTheWay?: OnTheWay;
  /** Makes of each response of the provider what the platform gets. */
  respond?: Rewriting["respond"];
}

/** An organisation on both sides: the sandbox's desk is the person at the provider, the rest goes through the operations API. */
export interface Organisation extends Doings {
  provider: Sandbox;
  providerId: string;
  platformToken: string;
  /** What every role of the provider means on the platform; nobody of another organisation has it. */
  competenceId: string;
  workplaceId: string;
  /** In the order in which they ended. */
  calls: readonly ProviderCall[];
  activate(): Promise<void>;
  /** Somebody with the competence, new to the provider unless `personalNumber` says otherwise. */
  addPerson(rest?: Partial<CandidateCreate>): Promise<Person>;
  close(): Promise<void>;
}

const KIND = "sandbox";

interface Place {
  platform: Pick<Platform, "url" | "idle">;
  operations: Operations;
}

export async function onboard(place: Place, onboarding: Onboarding = {}): Promise<Organisation> {
  const { operations, platform } = place;
  const {
    ownPath = true,
    connect = true,
    activate = true,
    timeZone,
    rewrite,
    onTheWay,
    respond,
    ...options
  } = onboarding;
  const calls: ProviderCall[] = [];
  const provider = await startSandbox({ ...options, log: callsInto(calls) });
  const { providerId } = provider;
  const isRewritten = [rewrite, onTheWay, respond].some((each) => each !== undefined);
  const rewriting = { rewrite, onTheWay, respond };
  const stranger = isRewritten ? await startRewriter(provider.url, rewriting) : undefined;
  const baseUrl = stranger?.url ?? provider.url;
  const platformToken = await register(place, {
    provider,
    baseUrl,
    timeZone,
    routing: options.dialect?.routing,
  });
  const path = { providerId };
  if (connect) {
    provider.connectPlatform({ url: platform.url, token: platformToken, ...(ownPath && { kind: KIND }) });
  }
  const mapped = await map(operations, provider);
  const organisation: Organisation = {
    ...doingsOf({ ...place, provider, providerId, platformToken, calls }),
    ...{ provider, providerId, platformToken, calls, ...mapped },
    activate: async () => void ok(await operations.activateIntegration({ params: { path } })),
    addPerson: (rest) => addPerson(operations, mapped.competenceId, rest),
    close: async () => {
      await stranger?.close();
      await provider.close();
    },
  };
  if (activate) await organisation.activate();
  return organisation;
}

interface Registration {
  provider: Sandbox;
  baseUrl: string;
  timeZone: string | undefined;
  routing: "path" | "header" | undefined;
}

async function register({ operations }: Place, registration: Registration): Promise<string> {
  const { provider, baseUrl, timeZone, routing } = registration;
  const { providerId, token } = provider;
  const body = { providerId, kind: KIND, name: "Kvarteret", baseUrl, providerToken: token };
  const rest = { ...(routing && { routing }), ...(timeZone !== undefined && { timeZone }) };
  return ok(await operations.createIntegration({ body: { ...body, ...rest } })).platformToken;
}

/** Every outlet is one workplace and every role one competence, of this organisation's own. */
async function map(operations: Operations, { providerId, outlets, roles }: Sandbox) {
  const path = { providerId };
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: randomUUID() } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
  ok(await operations.discoverIntegration({ params: { path } }));
  const body = {
    outlets: outlets.map(({ id }) => ({ outletId: id, workplaceId })),
    roles: roles.map(({ id }) => ({ roleId: id, competenceId })),
  };
  ok(await operations.updateMappings({ params: { path }, body }));
  return { workplaceId, competenceId };
}

let given = 0;

/** Published test numbers in turn: no database of a test has as many people. The sandbox's own people are left out. */
function nextNumber(): string {
  const number = published.personnummer[given++ % published.personnummer.length] ?? "";
  return SEEDED.has(number) ? nextNumber() : number;
}

const SEEDED = new Set(["197209189294", "197210119280", "197310319293", "197601172393"]);

async function addPerson(
  operations: Operations,
  competenceId: string,
  rest: Partial<CandidateCreate> = {},
): Promise<Person> {
  const personalNumber = rest.personalNumber ?? nextNumber();
  const identity = {
    firstName: "Robin",
    lastName: "Ek",
    email: "robin.ek@example.com",
    phone: "+46701740605",
  };
  const body = { ...identity, competenceIds: [competenceId], ...rest, personalNumber };
  const { candidateId } = ok(await operations.createCandidate({ body }));
  return { candidateId, personalNumber };
}

/** The provider's log of calls, as a list. */
function callsInto(calls: ProviderCall[]) {
  const write = (line: string) => {
    const { msg, path, ...rest } = JSON.parse(line);
    if (msg === "call") calls.push({ ...rest, path: path.replace(/^\/providers\/[^/]+/, "") });
  };
  return pino({ level: "info" }, { write });
}
