import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { CandidateCreate, Integration } from "../../../generated/operations/types.ts";
import type { Config } from "../../platform/config.ts";
import { type DemoContext, expectOk, step } from "./step.ts";

/** The platform's side of the organisation once it is onboarded. */
export interface Onboarded {
  /** By role name. */
  competences: ReadonlyMap<string, string>;
  candidates: readonly Person[];
}

export interface Person {
  candidateId: string;
  name: string;
}

// Published test numbers of the Swedish Tax Agency (open data set b4de7df7-63c0-4e7e-bb59-1f156a591763), assigned to no person.
// The sandbox knows the first one already; the others are new to it.
const PEOPLE = [
  ["197209189294", "Astrid", "Lind"],
  ["197603212387", "Elin", "Strand"],
  ["197610222387", "Jonas", "Vik"],
] as const;

const KIND = "sandbox";

/** Creates an active integration: what an operator does once for each organisation (contract section 1). */
export async function onboard(demo: DemoContext): Promise<Onboarded> {
  const { operations, provider, printer } = demo;
  const path = { providerId: provider.providerId };
  printer.heading(undefined, "An organisation is onboarded");
  const { data: known } = await operations.getIntegration({ params: { path } });
  if (known) await step(demo, "the platform has it from an earlier start", () => reconnect(demo, known));
  else await step(demo, "the platform registers it as a draft", () => register(demo));
  const competences = await step(demo, "the platform has workplaces and competences", () => addPlaces(demo));
  await step(demo, "outlets and roles are read and mapped", async () => {
    const { outlets, roles } = expectOk(await operations.discoverIntegration({ params: { path } }));
    return [undefined, `${outlets.length} outlets, ${roles.length} roles, mapped by name`];
  });
  await step(demo, "the integration is activated", async () => {
    expectOk(await operations.activateIntegration({ params: { path } }));
    return [undefined, `webhooks go to /api/v3/integrations/${KIND}/webhook`];
  });
  const candidates = await step(demo, "candidates sign up on the platform", () =>
    addPeople(demo, competences),
  );
  return { competences, candidates };
}

async function register({ operations, provider, platformUrl }: DemoContext): Promise<[undefined, string]> {
  const { providerId, url, token } = provider;
  const body = { providerId, kind: KIND, name: "Restauranggruppen", baseUrl: url, providerToken: token };
  const { platformToken } = expectOk(await operations.createIntegration({ body }));
  provider.connectPlatform({ url: platformUrl, token: platformToken, kind: KIND });
  return [undefined, "the two tokens are exchanged"];
}

/** The platform shows its token once, so an earlier one is replaced. */
async function reconnect(
  { operations, provider, platformUrl }: DemoContext,
  { providerId, baseUrl, kind }: Integration,
): Promise<[undefined, string]> {
  const params = { path: { providerId } };
  if (baseUrl !== provider.url) {
    // Another port is another origin, which needs the token again.
    const body = { baseUrl: provider.url, providerToken: provider.token };
    expectOk(await operations.changeIntegration({ params, body }));
  }
  const body = { direction: "platform", overlapHours: 0 } as const;
  const rotated = await operations.rotateToken({ params, body });
  expectOk<unknown>(rotated);
  if (rotated.data && "platformToken" in rotated.data)
    provider.connectPlatform({ url: platformUrl, token: rotated.data.platformToken, kind });
  return [undefined, "with its shifts, and a new token for webhooks"];
}

async function addPlaces({
  operations,
  provider,
}: DemoContext): Promise<[ReadonlyMap<string, string>, string]> {
  const page = { params: { query: { limit: 200 } } };
  const places = expectOk(await operations.listWorkplaces(page)).items.map(({ name }) => name);
  for (const { name, address } of provider.outlets) {
    const body = { name, ...(address && { address }) };
    if (!places.includes(name)) expectOk(await operations.createWorkplace({ body }));
  }
  const known = expectOk(await operations.listCompetences(page)).items;
  const competences = new Map(known.map(({ name, competenceId }) => [name, competenceId]));
  for (const { name } of provider.roles) {
    if (competences.has(name)) continue;
    competences.set(name, expectOk(await operations.createCompetence({ body: { name } })).competenceId);
  }
  return [competences, `${provider.outlets.length} workplaces, ${provider.roles.length} competences`];
}

async function addPeople(
  demo: DemoContext,
  competences: ReadonlyMap<string, string>,
): Promise<[Person[], string]> {
  const competenceId = competences.get(demo.provider.roles[0]?.name ?? "");
  const competenceIds = competenceId === undefined ? [] : [competenceId];
  const people: Person[] = [];
  for (const [personalNumber, firstName, lastName] of PEOPLE) {
    const email = `${firstName}.${lastName}@example.com`.toLowerCase();
    const person = { personalNumber, firstName, lastName, email, phone: "+46701740605", competenceIds };
    people.push({ candidateId: await addPerson(demo, person), name: firstName });
  }
  return [people, people.map(({ name }) => name).join(", ")];
}

/** Returns the id of the candidate, which an earlier run on the same data folder may have created. */
async function addPerson({ operations }: DemoContext, body: CandidateCreate): Promise<string> {
  const answer = await operations.createCandidate({ body });
  if (answer.response.status !== 409) return expectOk(answer).candidateId;
  const { items } = expectOk(await operations.listCandidates({ params: { query: { limit: 200 } } }));
  const known = items.find(
    ({ firstName, lastName }) => firstName === body.firstName && lastName === body.lastName,
  );
  return known?.candidateId ?? expectOk(answer).candidateId;
}

/** What a company's service for SMS or chat would get by the webhook for notifications. */
export interface NotifiedService {
  webhook: NonNullable<Config["webhook"]>;
  /** The last ones, as they were sent. */
  messages: readonly string[];
  close(): Promise<void>;
}

const KEPT = 100;

/** A service that keeps the last messages, and sends nothing to anyone. */
export async function startNotifiedService(): Promise<NotifiedService> {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    const keep = (message: string) => {
      messages.push(message);
      if (messages.length > KEPT) messages.shift();
      response.writeHead(204).end();
    };
    text(request).then(keep, () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    messages,
    webhook: { url: `http://127.0.0.1:${port}/notifications`, secrets: [randomBytes(32)] },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
