import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { accept } from "../../../src/platform/bookings/accept.ts";
import { withdraw } from "../../../src/platform/bookings/withdraw.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import { openWorkshop, type Workshop } from "../workshop.ts";

describe.each(featureEngines)("a withdrawal on %s", (engine) => {
  const database = useEngine(engine);
  let shop: Workshop;
  beforeEach(async () => {
    shop = await openWorkshop(database());
  });
  afterEach(() => shop.close());

  type Client = ReturnType<Workshop["deps"]["clientFor"]>;
  /** What happens to the answers of the provider on their way. */
  const onTheWay = (change: (client: Client) => Partial<Client>) => {
    const { clientFor } = shop.deps;
    shop.deps.clientFor = (integration) => {
      const client = clientFor(integration);
      return { ...client, ...change(client) };
    };
  };
  /** The candidate withdraws while the provider assigns. */
  const withdrawnMeanwhile = (seat: { jobId: string; candidateId: string }) =>
    onTheWay((client) => ({
      assign: async (...call) => {
        const answer = await client.assign(...call);
        await withdraw(shop.deps, seat);
        return answer;
      },
    }));
  const told = async ({ jobId }: Job) => {
    const rows = database().kysely.selectFrom("notifications").select("kind").where("job_id", "=", jobId);
    return (await rows.orderBy("notification_id").execute()).map(({ kind }) => kind);
  };

  it("tells nobody of a confirmation that came after it", async () => {
    const [job, candidateId] = [await shop.open(), await shop.addPerson(60)];
    const seat = { jobId: job.jobId, candidateId };
    withdrawnMeanwhile(seat);
    await accept(shop.deps, seat);
    await shop.deps.queue.idle();
    const { bookings } = await shop.job(job.jobId);
    expect(bookings).toMatchObject([{ status: "released", reason: "withdrawn" }]);
    expect(shop.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(await told(job)).toEqual(["job_offered", "booking_released"]);
  });

  it("that the provider refuses leaves the person booked, and told of it", async () => {
    const [job, candidateId] = [await shop.open(), await shop.addPerson(61)];
    const seat = { jobId: job.jobId, candidateId };
    withdrawnMeanwhile(seat);
    shop.provider.setFault("unassign-not-successful");
    await accept(shop.deps, seat);
    await shop.deps.queue.idle();
    expect((await shop.job(job.jobId)).bookings).toMatchObject([{ status: "confirmed" }]);
    expect(await told(job)).toEqual(["job_offered", "booking_confirmed"]);
  });

  /** As after a gap of the database's LISTEN: everybody who waits is to look again. */
  const wakeAll = async () => {
    const rows = await database().kysely.selectFrom("bookings").select("booking_id").execute();
    await database()
      .kysely.transaction()
      .execute(async (trx) => {
        for (const { booking_id } of rows) await shop.deps.signals.emit(trx, `booking:${booking_id}`);
      });
  };

  it("is no refusal as long as nobody answered", async () => {
    const [job, candidateId] = [await shop.open(), await shop.addPerson(62)];
    const path = { jobId: job.jobId, candidateId };
    await shop.operations.acceptJob({ params: { path }, body: { candidateId } });
    const asked = Promise.withResolvers<void>();
    const answers = Promise.withResolvers<void>();
    onTheWay((client) => ({
      unassign: async (...call) => {
        asked.resolve();
        await answers.promise;
        return client.unassign(...call);
      },
    }));
    const withdrawal = shop.operations.withdrawBooking({ params: { path } });
    await asked.promise;
    const looks = countLooks();
    await wakeAll();
    await expect.poll(looks).toBeGreaterThan(0);
    answers.resolve();
    expect((await withdrawal).response.status).toBe(204);
  });

  it("leaves an accept waiting that nobody answered", async () => {
    const [job, candidateId] = [await shop.open(), await shop.addPerson(63)];
    const asked = Promise.withResolvers<void>();
    const answers = Promise.withResolvers<void>();
    onTheWay((client) => ({
      assign: async (...call) => {
        asked.resolve();
        await answers.promise;
        return client.assign(...call);
      },
    }));
    const path = { jobId: job.jobId };
    const acceptance = shop.operations.acceptJob({ params: { path }, body: { candidateId } });
    await asked.promise;
    const looks = countLooks();
    await wakeAll();
    await expect.poll(looks).toBeGreaterThan(0);
    answers.resolve();
    expect((await acceptance).response.status).toBe(201);
  });

  /** How often somebody began to wait for a signal again. */
  const countLooks = () => {
    const { signals } = shop.deps;
    let looks = 0;
    shop.deps.signals = {
      ...signals,
      next: (...topic) => {
        looks += 1;
        return signals.next(...topic);
      },
    };
    return () => looks;
  };
});
