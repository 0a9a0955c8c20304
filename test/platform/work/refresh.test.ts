import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createThrottle } from "../../../src/platform/db/in-batches.ts";
import { newId } from "../../../src/platform/ids.ts";
import { transact } from "../../../src/platform/transaction.ts";
import { markRefreshDue, type Refresh, refresh } from "../../../src/platform/work/refresh.ts";
import { endClaim } from "../../../src/platform/work/rows.ts";
import { useClock } from "../../harness/clock.ts";
import { depsFor } from "../../harness/deps.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { addIntegration, claim, mark, rowsOf, shift } from "../../harness/work-rows.ts";

const MANY = 1_200;
const NEVER = new AbortController().signal;

describe.each(featureEngines)("a refresh of thousands of shifts on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);
  const deps = () => depsFor(database());
  const spare = () => undefined;

  /** Claims and runs it. */
  async function run(providerId: string, key: Refresh["key"]): Promise<void> {
    await transact(deps(), (trx) => markRefreshDue(trx, deps(), [{ providerId, key }]));
    const [held] = await claim(database(), { kinds: ["refresh"] });
    if (!held) throw new Error("nothing was claimed");
    await refresh(deps())(held, NEVER, spare);
  }

  /** Jobs `j0000`.. whose outlet and role mean another workplace and competence, or none. */
  async function addJobs(providerId: string, { competenceId }: { competenceId?: string | undefined } = {}) {
    await sql`
      insert into jobs (provider_id, job_id, shift_id, status, variant, start_time, end_time, positions, outlet_id, role_id, trace_id,
        competence_id)
      select ${providerId}::uuid, gen_random_uuid(), 'j' || lpad(n::text, 4, '0'), 'open', 'a', now() + interval '1 day',
        now() + interval '2 days', 1, 'outlet', 'role', gen_random_uuid(), ${competenceId ?? null}::uuid
      from generate_series(0, ${MANY - 1}::int) as n`.execute(database().kysely);
  }

  const keysOf = async () => (await rowsOf(database())).map(({ key }) => key);

  it("makes each shift with events or jobs due once, in batches, when an integration is activated", async () => {
    const providerId = await addIntegration(database());
    await addJobs(providerId);
    await sql`
      insert into events (event_id, provider_id, event, shift_id, trace_id, status, received_at)
      select gen_random_uuid(), ${providerId}::uuid, 'shift.update', 'j' || lpad(n::text, 4, '0'), gen_random_uuid(), 'queued', now()
      from generate_series(${MANY / 2}::int, ${MANY + 9}::int) as n`.execute(database().kysely);
    await run(providerId, "activated");
    const keys = await keysOf();
    expect(keys).toHaveLength(MANY + 10);
    expect(keys).toEqual(Array.from({ length: MANY + 10 }, (_, n) => `j${String(n).padStart(4, "0")}`));
  });

  it("includes only jobs that need the competence of a new candidate", async () => {
    const [providerId, other] = [await addIntegration(database()), await addIntegration(database())];
    const competenceId = newId();
    await sql`insert into competences (competence_id, name) values (${competenceId}, 'Waiter')`.execute(
      database().kysely,
    );
    await addJobs(providerId, { competenceId });
    await addJobs(other);
    await run(providerId, { competenceId });
    await run(other, { competenceId });
    expect(await keysOf()).toHaveLength(MANY);
  });

  it("includes the open jobs of every organisation at a time that has become free", async () => {
    const [providerId, other] = [await addIntegration(database()), await addIntegration(database())];
    const { kysely } = database();
    const [competenceId, candidateId, jobId] = [newId(), newId(), newId()];
    await sql`insert into competences (competence_id, name) values (${competenceId}, 'Cook')`.execute(kysely);
    await sql`insert into candidates (candidate_id, first_name, last_name, email, phone)
      values (${candidateId}, 'Ada', 'Ek', 'a@example.com', '1')`.execute(kysely);
    await sql`insert into candidate_competences (candidate_id, competence_id) values (${candidateId}, ${competenceId})`.execute(
      kysely,
    );
    for (const each of [providerId, other]) await addJobs(each, { competenceId });
    await addJobs(await addIntegration(database()), { competenceId: undefined });
    await sql`
      insert into jobs (provider_id, job_id, shift_id, status, variant, start_time, end_time, positions, outlet_id, role_id, trace_id, competence_id)
      select provider_id, ${jobId}, 'freed', 'filled', 'a', start_time, end_time, 1, 'outlet', 'role', trace_id, competence_id
      from jobs where provider_id = ${providerId} and shift_id = 'j0000'`.execute(kysely);
    await sql`insert into bookings (provider_id, booking_id, job_id, candidate_id, status, trace_id)
      values (${providerId}, ${newId()}, ${jobId}, ${candidateId}, 'released', 'trace')`.execute(kysely);
    const at = (days: number) => Date.now() + days * DAY_MS;
    await run(providerId, { jobId, from: at(0), to: at(0.9) });
    await run(providerId, { jobId, from: at(2.1), to: at(3) });
    expect(await keysOf()).toEqual([]);
    await run(providerId, { jobId, from: at(1.1), to: at(1.2) });
    const rows = await rowsOf(database());
    expect(rows).toHaveLength(2 * MANY);
    expect(new Set(rows.map(({ priority }) => priority))).toEqual(new Set([2]));
  });

  it("includes all failed work when the provider responds again", async () => {
    const providerId = await addIntegration(database());
    const numbers = Array.from({ length: MANY }, (_, n) => n);
    await mark(database(), ...numbers.map((n) => shift(providerId, `s${n}`)));
    await mark(database(), { ...shift(providerId, "person"), kind: "person" });
    await sql`
      update work set due_at = now() + interval '1 hour', not_before = now() + interval '1 hour',
        attempts = case when key in ('s7', 's70') then 0 else 3 end`.execute(database().kysely);
    await run(providerId, "responds");
    const later = (await rowsOf(database())).filter(({ dueIn }) => dueIn > 0);
    expect(later.map(({ key }) => key)).toEqual(["s7", "s70"]);
  });

  it("includes what is being tried when the provider responds again, and fails", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "tried"));
    const [tried] = await claim(database());
    if (!tried) throw new Error("nothing was claimed");
    await run(providerId, "responds");
    expect(await claim(database())).toEqual([]);
    await transact(deps(), async (trx) =>
      endClaim(trx, tried, { priority: 1, attempts: 20, afterMs: HOUR_MS }),
    );
    await clock.forward(1_000);
    expect(await claim(database())).toMatchObject([{ key: "tried" }]);
  });

  it("runs one batch at a time across all providers, with pauses for webhooks", async () => {
    const providers = [await addIntegration(database()), await addIntegration(database())];
    for (const providerId of providers) await addJobs(providerId);
    const refreshes = providers.map((providerId) => ({ providerId, key: "activated" as const }));
    await transact(deps(), (trx) => markRefreshDue(trx, deps(), refreshes));
    const ends: number[] = [];
    const pauseMs = () => {
      ends.push(performance.now());
      return 50;
    };
    const run = refresh({ ...deps(), throttle: { ...createThrottle(), pauseMs } });
    const claims = await claim(database(), { kinds: ["refresh"] });
    await Promise.all(claims.map((each) => run(each, NEVER, spare)));
    expect(await keysOf()).toHaveLength(2 * MANY);
    const apart = ends.slice(1).map((at, nth) => at - (ends[nth] ?? 0));
    // A timer may be a millisecond early.
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(49);
  });

  it("starts again after an interruption", async () => {
    const providerId = await addIntegration(database());
    await addJobs(providerId);
    await transact(deps(), (trx) => markRefreshDue(trx, deps(), [{ providerId, key: "activated" }]));
    const [held] = await claim(database(), { kinds: ["refresh"] });
    if (!held) throw new Error("nothing was claimed");
    const stopping = new AbortController();
    const wakeWorker = () => stopping.abort();
    await expect(refresh({ ...deps(), wakeWorker })(held, stopping.signal, spare)).rejects.toThrow();
    const cut = await keysOf();
    expect(cut.length).toBeGreaterThan(1);
    expect(cut.length).toBeLessThan(MANY);
    await refresh(deps())(held, NEVER, spare);
    expect(await keysOf()).toHaveLength(MANY);
  });
});
