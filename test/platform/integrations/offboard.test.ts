import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/platform/db/database.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";

describe.each(featureEngines)("an organisation leaves, on %s", (engine) => {
  const database = useEngine(engine);
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness(database(), { upkeep: { everyMs: 100 } });
  });
  afterEach(() => harness.close());

  const paramsOf = ({ providerId }: Pick<Organisation, "providerId">) => ({
    params: { path: { providerId } },
  });
  const offboard = (of: Organisation, bookings: "unassign" | "keep") =>
    harness.operations.offboardIntegration({ ...paramsOf(of), body: { bookings } });
  const remove = (of: Organisation) => harness.operations.deleteIntegration(paramsOf(of));
  const read = (of: Organisation) => harness.operations.getIntegration(paramsOf(of));
  const isGone = async (of: Organisation) => (await read(of)).response.status === 404;
  /** A shift with a booking. */
  const booked = async (of: Organisation) => {
    const { shiftId } = of.provider.createShift();
    await of.send("shift.create", shiftId);
    await harness.platform.idle();
    const job = await of.job(shiftId);
    const person = await of.addPerson();
    await of.accept(job, person);
    await harness.platform.idle();
    return { shiftId, job, person };
  };
  const assigned = (of: Organisation, shiftId: string) => of.provider.shift(shiftId)?.assigned.size ?? 0;

  it("with unassign: everyone is unassigned at the provider, and the organisation is deleted once that is confirmed", async () => {
    const of = await harness.onboard();
    const { shiftId } = await booked(of);
    expect(assigned(of, shiftId)).toBe(1);
    expect((await remove(of)).error).toMatchObject({ code: "integration_not_draft" });

    of.provider.setFault("unavailable");
    const { state, offboarding } = ok(await offboard(of, "unassign"));
    expect({ state, offboarding }).toMatchObject({
      state: "suspended",
      offboarding: { bookings: "unassign" },
    });
    expect(ok(await read(of)).offboarding).toMatchObject({ remaining: 1 });
    expect((await remove(of)).error).toMatchObject({
      code: "integration_in_use",
      detail: expect.stringContaining("1 booked"),
    });
    of.provider.clearFaults();
    await expect.poll(async () => ok(await read(of)).offboarding?.remaining).toBe(0);
    expect(assigned(of, shiftId)).toBe(0);
    expect((await remove(of)).response.status).toBe(202);
    await expect.poll(() => isGone(of)).toBe(true);
  });

  it("with keep: the provider is not called, and only the audit log and the candidates are left", async () => {
    const [of, other] = [await harness.onboard(), await harness.onboard()];
    const [{ shiftId, person }, others] = [await booked(of), await booked(other)];
    ok(await offboard(of, "keep"));
    const calls = of.callCount("PUT", "/shifts/") + of.callCount("DELETE", "/shifts/");
    expect((await remove(of)).response.status).toBe(202);
    await expect(of.send("shift.update", shiftId)).rejects.toThrow("status 401");
    await expect.poll(() => isGone(of)).toBe(true);
    expect(of.callCount("PUT", "/shifts/") + of.callCount("DELETE", "/shifts/")).toBe(calls);
    expect(assigned(of, shiftId)).toBe(1);

    expect(await rowsOf(database(), of.providerId)).toEqual({});
    expect(await rowsOf(database(), other.providerId)).toMatchObject({ jobs: 1, bookings: 1 });
    expect(await other.job(others.shiftId)).toBeDefined();
    const path = { candidateId: person.candidateId };
    expect((await harness.operations.getCandidate({ params: { path } })).response.status).toBe(200);
    const query = { subject: of.providerId };
    const { items } = ok(await harness.operations.listAudit({ params: { query } }));
    expect(items.map(({ operation }) => operation)).toContain("deleteIntegration");
  });

  it("but stays when it is activated again; unassigned people stay unassigned", async () => {
    const of = await harness.onboard();
    const { job } = await booked(of);
    ok(await offboard(of, "unassign"));
    await harness.platform.idle();
    expect(ok(await harness.operations.activateIntegration(paramsOf(of)))).not.toHaveProperty("offboarding");
    expect((await remove(of)).error).toMatchObject({ code: "integration_not_draft" });
    const again = ok(await harness.operations.getJob({ params: { path: { jobId: job.jobId } } }));
    expect(again.bookings).toMatchObject([{ status: "released" }]);
  });

  it("but not as a draft, which is deleted", async () => {
    const of = await harness.onboard({ activate: false });
    expect((await offboard(of, "keep")).error).toMatchObject({ code: "integration_is_draft" });
    expect((await remove(of)).response.status).toBe(204);
  });
});

/** The number of rows of an organisation in each table that has any. */
async function rowsOf({ kysely }: Database, providerId: string): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'shiftpact'::regnamespace and attname = 'provider_id' and relkind in ('r', 'p') and not relispartition`.execute(
    kysely,
  );
  expect(tables.length).toBeGreaterThan(15);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } =
      await sql`select from ${sql.table(name)} where provider_id::text = ${providerId}`.execute(kysely);
    if (rows.length > 0) counts[name] = rows.length;
  }
  return counts;
}
