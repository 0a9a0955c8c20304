import { sql } from "kysely";
import type { CandidateCreate, Job } from "../../generated/operations/types.ts";
import type { NewShift } from "../../src/sandbox/desk.ts";
import type { Sandbox, SandboxOptions } from "../../src/sandbox/sandbox.ts";
import type { TestDatabase } from "../engines.ts";
import type { Actions, Reply } from "../harness/actions.ts";
import { type Operations, ok } from "../harness/operations.ts";
import { type HarnessOptions, startHarness } from "../harness/platform.ts";
import type { OnTheWay } from "../harness/provider-proxy.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

export interface WorkshopOptions extends HarnessOptions {
  dialect?: SandboxOptions["dialect"];
}

type Seat = Pick<Job, "jobId"> & { candidateId: string };

/** A platform on the test's own database, so that the test can read its rows, and one organisation, which sends no webhooks itself. */
export interface Workshop
  extends Pick<Actions, "steps" | "verdicts" | "notifications" | "issues" | "issueCodes"> {
  operations: Operations;
  /** Of the platform. */
  url: string;
  provider: Sandbox;
  providerId: string;
  competenceId: string;
  /** What happens while a call to the provider is under way; set by the test. */
  onTheWay: OnTheWay | undefined;
  /** The nth published number; names and address are the person's own. */
  addPerson(nth: number, rest?: Partial<CandidateCreate>): Promise<string>;
  /** A shift at the provider, and the job that came of it. */
  open(shift?: NewShift): Promise<Job>;
  job(jobId: string): Promise<Job>;
  accept(seat: Seat): Promise<Reply>;
  withdraw(seat: Seat): Promise<Reply>;
  /** An event of the provider: stored, and everything that came of it is done. */
  send(event: string, shiftId: string, traceId?: string): Promise<void>;
  /** The same, without waiting for what comes of it. */
  store(event: string, shiftId: string, traceId?: string): Promise<string>;
  idle(): Promise<void>;
  /** What `GET /metrics` returns. */
  metrics(): Promise<string>;
  /** A text of every row of every table. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

export async function openWorkshop(database: TestDatabase, options: WorkshopOptions = {}): Promise<Workshop> {
  const { dialect = {}, ...platformOptions } = options;
  const harness = await startHarness(database, platformOptions);
  const { platform, operations } = harness;
  const way: { onTheWay: OnTheWay | undefined } = { onTheWay: undefined };
  const organisation = await harness.onboard({
    ...{ dialect, connect: false },
    onTheWay: (call, pass) => (way.onTheWay ? way.onTheWay(call, pass) : pass()),
  });
  const { provider, providerId, competenceId } = organisation;
  const { steps, verdicts, notifications, issues, issueCodes } = organisation;
  const send: Workshop["send"] = async (event, shiftId, traceId) => {
    await organisation.send(event, shiftId, traceId);
    await platform.idle();
  };
  return Object.assign(way, {
    ...{ operations, url: platform.url, provider, providerId, competenceId },
    ...{ steps, verdicts, notifications, issues, issueCodes, send, store: organisation.send },
    idle: platform.idle,
    open: async (shift?: NewShift) => {
      const { shiftId } = provider.createShift(shift);
      await send("shift.create", shiftId);
      return organisation.job(shiftId);
    },
    job: async (jobId: string) => ok(await operations.getJob({ params: { path: { jobId } } })),
    accept: ({ jobId, candidateId }: Seat) => organisation.accept({ jobId }, { candidateId }),
    withdraw: ({ jobId, candidateId }: Seat) => organisation.withdraw({ jobId }, { candidateId }),
    addPerson: async (nth: number, rest?: Partial<CandidateCreate>) => {
      const [personalNumber = "", email] = [published.personnummer[nth], "robin@example.com"];
      return (await organisation.addPerson({ email, ...rest, personalNumber })).candidateId;
    },
    metrics: async () => (await fetch(`${platform.url}/metrics`)).text(),
    dump: () => dump(database),
    close: async () => {
      await harness.close();
      await organisation.close();
    },
  });
}

async function dump({ kysely }: TestDatabase): Promise<string> {
  const tables = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'shiftpact'`.execute(
    kysely,
  );
  const texts = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(
      kysely,
    );
    texts.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return texts.join("\n");
}
