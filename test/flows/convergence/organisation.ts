import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import type { Engine } from "../../../src/platform/db/database.ts";
import { type Actions, actionsOf } from "../../harness/actions.ts";
import { type Operations, ok } from "../../harness/operations.ts";
import { addPerson, mapAll, type Person } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";
import { type Pace, paced } from "./pace.ts";
import { type Provider, type ProviderOptions, startProvider } from "./provider.ts";
import type { ShiftValues } from "./provider-desk.ts";

/** An organisation on both sides: the independent provider, and the platform's operations API. */
export interface Organisation extends Actions {
  platform: Harness["platform"];
  operations: Operations;
  provider: Provider;
  providerId: string;
  /** The competence that every role of the provider is mapped to. */
  competenceId: string;
  /** Candidates with the competence that every role of the provider is mapped to. */
  people: readonly Person[];
  /** Adds a candidate with the competence; with `like`, gives the competence to a candidate of another organisation. */
  addPerson(like?: Person): Promise<Person>;
  /** Creates and announces a shift at the provider, and returns its job. */
  open(values?: ShiftValues): Promise<Job>;
  /** Creates several at the same time. */
  openAll(count: number, values?: ShiftValues): Promise<Job[]>;
  /** Accepts, and waits until the booking is confirmed. */
  book(job: Job, person: Person): Promise<void>;
}

export type Onboard = (options?: ProviderOptions) => Promise<Organisation>;

const KIND = "independent";

/** A running platform, and independent providers that are onboarded on it. */
export interface IndependentHarness {
  onboard: Onboard;
  clearFaults(): void;
  close(): Promise<void>;
}

export async function startIndependent(engine: Engine, pace?: Pace): Promise<IndependentHarness> {
  const harness = await startHarness(engine, paced(pace));
  const providers: Provider[] = [];
  return {
    onboard: async (options) => {
      const provider = await startProvider(options);
      providers.push(provider);
      return onboard(harness, provider);
    },
    clearFaults: () => {
      for (const { clearFaults } of providers) clearFaults();
    },
    close: async () => {
      // First, because the platform then waits for no response.
      await Promise.all(providers.map((provider) => provider.close()));
      await harness.close();
    },
  };
}

/** Starts one platform for the `describe` around the call. Each test onboards a new organisation. */
export function useIndependent(engine: Engine, pace?: Pace): Onboard {
  let harness: IndependentHarness | undefined;
  beforeAll(async () => {
    harness = await startIndependent(engine, pace);
  });
  afterEach(() => harness?.clearFaults());
  afterAll(() => harness?.close());
  return (options) => {
    if (!harness) throw new Error("the platform starts in beforeAll");
    return harness.onboard(options);
  };
}

/** Registers, discovers, maps every outlet and role, connects the webhooks, and activates. */
export async function onboard(
  { platform, operations }: Pick<Harness, "platform" | "operations">,
  provider: Provider,
): Promise<Organisation> {
  const { providerId, url: baseUrl } = provider;
  const registration = { kind: KIND, name: "Oberoende", routing: "path", baseUrl } as const;
  const body = { providerId, ...registration, providerToken: provider.token() };
  const { platformToken: token } = ok(await operations.createIntegration({ body }));
  const { competenceId } = await mapAll(operations, provider);
  provider.connect({ url: platform.url, token, kind: KIND });
  const actions = actionsOf(operations, providerId);
  await actions.activate();
  const people: Person[] = [];
  return {
    ...actions,
    platform,
    operations,
    provider,
    providerId,
    competenceId,
    people,
    ...opening(actions, provider),
    addPerson: async (like) => {
      const person = like ?? (await addPerson(operations, { competenceIds: [competenceId] }));
      if (like) await addCompetence(operations, like, competenceId);
      people.push(person);
      return person;
    },
    book: async (job, person) => {
      await actions.accept(job, person);
      await expect.poll(async () => (await actions.booking(job, person))?.status).toBe("confirmed");
    },
  };
}

/** Returns the person's id at the provider. */
export function idOf({ provider }: Pick<Organisation, "provider">, { personalNumber }: Person): string {
  const candidate = provider.candidates.find((each) => each.personalNumber === personalNumber);
  if (!candidate) throw new Error("the provider does not know the person");
  return candidate.id;
}

async function addCompetence(operations: Operations, { candidateId }: Person, competenceId: string) {
  const params = { path: { candidateId } };
  const { competenceIds } = ok(await operations.getCandidate({ params }));
  const body = { competenceIds: [...competenceIds, competenceId] };
  ok(await operations.changeCandidate({ params, body }));
}

function opening(actions: Actions, provider: Provider): Pick<Organisation, "open" | "openAll"> {
  return {
    open: async (values) => {
      const { id } = provider.createShift(values);
      await provider.announce("shift.create", id);
      await expect.poll(() => actions.findJob(id)).toBeDefined();
      return actions.job(id);
    },
    openAll: async (count, values) => {
      const shiftIds = Array.from({ length: count }, () => provider.createShift(values).id);
      await Promise.all(shiftIds.map((id) => provider.announce("shift.create", id)));
      const opened = async () => (await actions.jobs()).filter(({ shiftId }) => shiftIds.includes(shiftId));
      await expect.poll(async () => (await opened()).length).toBe(count);
      return opened();
    },
  };
}
