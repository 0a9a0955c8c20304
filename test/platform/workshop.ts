import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { createClient } from "../../generated/operations/client.ts";
import { createRouter, type Handlers } from "../../generated/operations/server.ts";
import type { CandidateCreate, Job } from "../../generated/operations/types.ts";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { bookingTasks } from "../../src/platform/bookings/tasks.ts";
import { openSignals } from "../../src/platform/db/signals.ts";
import type { Deps } from "../../src/platform/deps.ts";
import { candidateHandlers } from "../../src/platform/http/candidates.ts";
import { jobChangeHandlers } from "../../src/platform/http/job-changes.ts";
import { jobHandlers } from "../../src/platform/http/jobs.ts";
import { peopleHandlers } from "../../src/platform/http/people.ts";
import { seeingHandlers } from "../../src/platform/http/seeing.ts";
import { newId } from "../../src/platform/ids.ts";
import { createDispatcher } from "../../src/platform/inbox/dispatch.ts";
import { eventTasks } from "../../src/platform/inbox/process.ts";
import { createInbox } from "../../src/platform/inbox/receive.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { deliveryTasks } from "../../src/platform/notifications/deliver.ts";
import { createQueue } from "../../src/platform/queue/queue.ts";
import type { RetryPolicy } from "../../src/platform/queue/retry.ts";
import { shiftWriteTasks } from "../../src/platform/shift-writes/tasks.ts";
import type { NewShift } from "../../src/sandbox/desk.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { silent, type TestDatabase } from "../engines.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

export interface WorkshopOptions {
  channel?: Deps["channel"];
  now?: Deps["now"];
  timing?: Partial<Deps["timing"]>;
  retries?: Partial<RetryPolicy>;
  dialect?: SandboxOptions["dialect"];
}

/** The features that concern people and jobs on a database, a provider beside them, and the operations API of both. */
export interface Workshop {
  deps: Deps;
  provider: Sandbox;
  operations: ReturnType<typeof createClient>;
  competenceId: string;
  /** The nth published number; names and address are the person's own. */
  addPerson(nth: number, rest?: Partial<CandidateCreate>): Promise<string>;
  /** A shift at the provider, and the job that came of it. */
  open(shift?: NewShift): Promise<Job>;
  job(jobId: string): Promise<Job>;
  /** An event of the provider, stored and processed; its webhook would have brought it. */
  send(event: string, shiftId: string, traceId?: string): Promise<void>;
  /** A text of every row of every table, the queue's too. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

export async function openWorkshop(database: TestDatabase, options: WorkshopOptions = {}): Promise<Workshop> {
  const provider = await startSandbox({ dialect: options.dialect ?? {} });
  const http = createProviderHttp({ allowInsecure: true, timeoutMs: 5_000 });
  const deps = await depsOf(database, options, (integration) =>
    createProviderClient({
      baseUrl: provider.url,
      providerId: integration.provider_id,
      token: provider.token,
      fetch: http.fetch,
    }),
  );
  const api = await serve(deps);
  const competenceId = await seed(deps, provider);
  return {
    deps,
    provider,
    operations: api.operations,
    competenceId,
    ...doings(deps, provider, api.operations, competenceId),
    close: async () => {
      await api.close();
      await deps.queue.stop({ graceMs: 2_000 });
      deps.channel?.close();
      await deps.signals.close();
      await provider.close();
      await http.close();
    },
  };
}

async function depsOf(
  database: TestDatabase,
  options: WorkshopOptions,
  clientFor: Deps["clientFor"],
): Promise<Deps> {
  const retries = { baseMs: 1, capMs: 2, ...options.retries };
  const deps: Deps = {
    database,
    queue: createQueue({ database, log: silent, retries }),
    signals: await openSignals(database),
    log: silent,
    vault: createVault(randomBytes(32)),
    timing: {
      absenceRetriesMs: [1, 1, 1],
      onboardingRetriesMs: [1, 1, 1],
      answerWithinMs: 20_000,
      ...options.timing,
    },
    now: options.now ?? (() => new Date()),
    newId,
    newTraceId: randomUUID,
    clientFor,
    ...(options.channel && { channel: options.channel }),
  };
  for (const tasks of [eventTasks, bookingTasks, shiftWriteTasks]) {
    deps.queue.define(tasks(deps) as ReturnType<typeof eventTasks>);
  }
  if (deps.channel) deps.queue.define(deliveryTasks(deps, deps.channel));
  await deps.queue.start();
  return deps;
}

async function serve(deps: Deps) {
  const own: Partial<Handlers<undefined>> = {
    ...peopleHandlers(deps),
    ...candidateHandlers(deps),
    ...jobHandlers(deps),
    ...jobChangeHandlers(deps),
    ...seeingHandlers(deps),
  };
  // The other operations are not what is tried here; the router wants a handler of each.
  const handlers = new Proxy(own, { get: (_, name) => Reflect.get(own, name) ?? (() => ({ status: 500 })) });
  const app = express();
  app.use(createRouter({ handlers: handlers as Handlers<undefined>, authenticate: () => undefined }));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const operations = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  return {
    operations,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The organisation is active, and all its outlets and roles are one workplace and one competence. */
async function seed({ database: { kysely } }: Deps, provider: Sandbox): Promise<string> {
  const { providerId: provider_id } = provider;
  const [workplace_id, competence_id] = [newId(), newId()];
  const row = {
    kind: "probe",
    name: "n",
    base_url: provider.url,
    provider_token: "t",
    state: "active",
  } as const;
  await kysely
    .insertInto("integrations")
    .values({ provider_id, ...row })
    .execute();
  await kysely.insertInto("workplaces").values({ workplace_id, name: "Stureplan" }).execute();
  await kysely.insertInto("competences").values({ competence_id, name: "Waiter" }).execute();
  const outlets = provider.outlets.map(({ id, name }) => ({
    provider_id,
    outlet_id: id,
    name,
    workplace_id,
  }));
  await kysely.insertInto("outlets").values(outlets).execute();
  const roles = provider.roles.map(({ id, name }) => ({ provider_id, role_id: id, name, competence_id }));
  await kysely.insertInto("roles").values(roles).execute();
  return competence_id;
}

type Doings = Pick<Workshop, "addPerson" | "open" | "job" | "send" | "dump">;

function doings(
  deps: Deps,
  provider: Sandbox,
  operations: Workshop["operations"],
  competenceId: string,
): Doings {
  const send: Doings["send"] = async (event, shiftId, traceId = randomUUID()) => {
    const { database: db, queue, log } = deps;
    const { providerId } = provider;
    const inbox = createInbox({ db, onStored: () => undefined });
    await inbox.receive({ providerId, event, shiftId, traceId });
    await createDispatcher({ db, queue, log }).run();
    await queue.idle();
  };
  return {
    send,
    open: async (shift) => {
      const { shiftId } = provider.createShift(shift);
      await send("shift.create", shiftId);
      const query = { shiftId };
      return some((await operations.listJobs({ params: { query } })).data?.items[0]);
    },
    job: async (jobId) => some((await operations.getJob({ params: { path: { jobId } } })).data),
    addPerson: async (nth, rest) => {
      const personalNumber = some(published.personnummer[nth]);
      const identity = {
        firstName: "Robin",
        lastName: "Ek",
        email: "robin@example.com",
        phone: "+46701740605",
      };
      const body = { personalNumber, ...identity, competenceIds: [competenceId], ...rest };
      return some((await operations.createCandidate({ body })).data).candidateId;
    },
    dump: () => dump(deps),
  };
}

async function dump({ database: { raw } }: Deps): Promise<string> {
  const { rows: tables } = await raw.executeSql(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('shiftpact', 'pgboss')`,
  );
  const texts = [];
  for (const { name } of tables) {
    const { rows } = await raw.executeSql(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return texts.join("\n");
}

function some<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error("there is no such thing");
  return thing;
}
