import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Engine } from "../../../src/platform/db/database.ts";
import { type Operations, ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { type Actions, actionsOf } from "./actions.ts";
import { type Pace, paced } from "./pace.ts";
import { type Provider, type ProviderOptions, startProvider } from "./provider.ts";

/** An organisation on both sides: the independent provider, and the platform's operations API. */
export interface Organisation extends Actions {
  harness: Pick<Harness, "platform" | "operations">;
  operations: Operations;
  provider: Provider;
  providerId: string;
  /** Candidates with the competence that every role of the provider is mapped to. */
  people: readonly Person[];
  addPerson(): Promise<Person>;
}

export type Onboard = (options?: ProviderOptions) => Promise<Organisation>;

const KIND = "independent";

/** A running platform, and what was onboarded on it. */
export interface Platform {
  harness: Harness;
  onboard: Onboard;
  clearFaults(): void;
  close(): Promise<void>;
}

export async function startPlatform(engine: Engine, pace?: Pace): Promise<Platform> {
  const harness = await startHarness(engine, paced(pace));
  const providers: Provider[] = [];
  const numbers = published.personnummer.values();
  return {
    harness,
    onboard: async (options) => {
      const provider = await startProvider(options);
      providers.push(provider);
      return onboard(harness, provider, { numbers, ...options });
    },
    clearFaults: () => {
      for (const { clearFaults } of providers) clearFaults();
    },
    close: async () => {
      // First, so that the platform waits for no response.
      await Promise.all(providers.map((provider) => provider.close()));
      await harness.close();
    },
  };
}

/** One platform for the `describe` around the call. Each test onboards an organisation of its own. */
export function usePlatform(engine: Engine, pace?: Pace): Onboard {
  let platform: Platform | undefined;
  beforeAll(async () => {
    platform = await startPlatform(engine, pace);
  });
  afterEach(() => platform?.clearFaults());
  afterAll(() => platform?.close());
  return (options) => {
    if (!platform) throw new Error("the platform starts in beforeAll");
    return platform.onboard(options);
  };
}

interface Onboarding extends ProviderOptions {
  /** Personal numbers that no candidate of the platform has yet. */
  numbers: Iterator<string>;
}

/** Registers, discovers, maps every outlet and role, connects the webhooks, and activates. */
export async function onboard(
  harness: Pick<Harness, "platform" | "operations">,
  provider: Provider,
  onboarding: Onboarding,
): Promise<Organisation> {
  const { operations, platform } = harness;
  const { providerId, url: baseUrl } = provider;
  const path = { providerId };
  const { routing = "path", numbers } = onboarding;
  const names = { kind: KIND, name: "Oberoende", routing };
  const body = { ...path, ...names, baseUrl, providerToken: provider.token() };
  const { platformToken: token } = ok(await operations.createIntegration({ body }));
  const competenceId = await map(operations, provider);
  provider.connect({ url: platform.url, token, ...(routing === "path" && { kind: KIND }) });
  ok(await operations.activateIntegration({ params: { path } }));
  const people: Person[] = [];
  return {
    ...actionsOf({ operations, provider }),
    ...{ harness, operations, provider, providerId, people },
    addPerson: async () => {
      const person = await addPerson(operations, competenceId, numbers);
      people.push(person);
      return person;
    },
  };
}

/** One workplace and one competence, which no other organisation uses. */
async function map(operations: Operations, { providerId, outlets, roles }: Provider): Promise<string> {
  const path = { providerId };
  const { workplaceId } = ok(await operations.createWorkplace({ body: { name: randomUUID() } }));
  const { competenceId } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
  ok(await operations.discoverIntegration({ params: { path } }));
  const body = {
    outlets: outlets.map(({ id }) => ({ outletId: id, workplaceId })),
    roles: roles.map(({ id }) => ({ roleId: id, competenceId })),
  };
  ok(await operations.updateMappings({ params: { path }, body }));
  return competenceId;
}

async function addPerson(
  operations: Operations,
  competenceId: string,
  numbers: Iterator<string>,
): Promise<Person> {
  const personalNumber: string | undefined = numbers.next().value;
  if (personalNumber === undefined) throw new Error("every published personal number is in use");
  const contact = { email: "robin.ek@example.com", phone: "+46701740605" };
  const body = {
    firstName: "Robin",
    lastName: "Ek",
    ...contact,
    personalNumber,
    competenceIds: [competenceId],
  };
  const { candidateId } = ok(await operations.createCandidate({ body }));
  return { candidateId, personalNumber };
}
