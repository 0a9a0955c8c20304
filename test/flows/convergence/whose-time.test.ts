import { describe, expect, it } from "vitest";
import type { EndBooking, Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { answerOn, catchMail, linksIn, PUBLIC_URL } from "../../harness/candidate-links.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import { type Flow, useFlows } from "../flow.ts";

const EMAIL = "lo.ek@example.com";
const FOR_EVER = "9999-12-31T23:00:00.000Z";

const times = ({ startTime, endTime }: Job) => ({ startTime, endTime });

const later = (text: string, ms: number) => new Date(Date.parse(text) + ms).toISOString();

describe.each(engines)("what an organisation makes of the time of people, on %s", (engine) => {
  const { channel, mails } = catchMail();
  let aheadMs = 0;
  const onboard = useFlows(engine, {
    channel,
    config: { publicUrl: PUBLIC_URL },
    now: () => new Date(Date.now() + aheadMs),
  });

  /** Gives the competence to a candidate of another organisation. */
  async function qualify({ operations, competenceId }: Flow, { candidateId }: Person) {
    const params = { path: { candidateId } };
    const { competenceIds } = ok(await operations.getCandidate({ params }));
    ok(
      await operations.changeCandidate({ params, body: { competenceIds: [...competenceIds, competenceId] } }),
    );
  }

  /** The person with that address answers the mail with the offer, and the provider confirms. */
  async function acceptByLink({ platform, booking }: Flow, job: Job, person: Person) {
    const { url } = platform;
    const offer = async () => {
      for (const link of mails.filter(({ address }) => address === EMAIL).flatMap(linksIn)) {
        const page = await fetch(url + link);
        if ((await page.text()).includes('value="accept"')) return link;
      }
      return undefined;
    };
    await expect.poll(offer).toBeDefined();
    await answerOn(url, (await offer()) ?? "", "accept");
    await expect.poll(async () => (await booking(job, person))?.status).toBe("confirmed");
  }

  const end = async (
    { operations }: Flow,
    { jobId }: Job,
    { candidateId }: Person,
    reason: EndBooking["reason"] = "provider_refuses",
  ) => {
    const params = { path: { jobId, candidateId } };
    const { response, error } = await operations.endBooking({ params, body: { reason } });
    return error?.code ?? response.status;
  };

  const erase = async ({ operations }: Flow, { candidateId }: Person) => {
    const { response, error } = await operations.eraseCandidate({ params: { path: { candidateId } } });
    return error?.code ?? response.status;
  };

  it("creates no job for a shift of more than 36 hours, and raises an issue", async () => {
    const organisation = await onboard();
    const { provider, send, findJob, issues } = organisation;
    const startTime = later(new Date().toISOString(), 48 * HOUR_MS);
    const long = { startTime, endTime: later(startTime, 36 * HOUR_MS + 1_000) };
    const { shiftId } = provider.createShift(long);
    await send("shift.create", shiftId);
    await expect
      .poll(issues)
      .toMatchObject([
        { code: "shift_unusable", subject: { shiftId }, params: { fault: "too_long", pointer: "/endTime" } },
      ]);
    expect(await findJob(shiftId)).toBeUndefined();
    provider.updateShift(shiftId, { endTime: later(startTime, 36 * HOUR_MS) });
    await send("shift.update", shiftId);
    await expect.poll(() => findJob(shiftId)).toMatchObject({ status: "open" });
    await expect.poll(issues).toEqual([]);
  });

  it("keeps the times of a shift whose end becomes the year 9999, so that the person is bookable, can withdraw and be erased", async () => {
    const [own, other] = [await onboard(), await onboard()];
    const person = await own.addPerson();
    await qualify(other, person);
    const held = await other.open();
    await other.book(held, person);
    other.provider.updateShift(held.shiftId, { endTime: FOR_EVER });
    await other.send("shift.update", held.shiftId);
    await expect.poll(other.issueCodes).toContain("shift_unusable");
    expect(times(await other.job(held.shiftId))).toEqual(times(held));
    const next = await own.open({
      startTime: later(held.endTime, HOUR_MS),
      endTime: later(held.endTime, 7 * HOUR_MS),
    });
    await own.book(next, person);
    await own.withdraw(next, person);
    await other.withdraw(held, person);
    await expect.poll(async () => (await other.booking(held, person))?.status).toBe("released");
    await expect.poll(async () => (await own.booking(next, person))?.status).toBe("released");
    expect(await erase(own, person)).toBe(204);
  });

  it("refuses a change of a shift to more than 36 hours", async () => {
    const own = await onboard();
    const job = await own.open();
    expect(await own.change(job, { endTime: later(job.startTime, 37 * HOUR_MS) })).toEqual({
      status: 400,
      code: "validation_failed",
    });
  });

  it("does not keep a person whose withdrawal the provider refuses: an operator ends the booking, and can erase the person", async () => {
    const [own, other] = [await onboard(), await onboard()];
    const person = await own.addPerson();
    await qualify(other, person);
    const held = await other.open();
    await other.book(held, person);
    const job = await own.open(times(held));
    other.provider.setFault("unassign-not-successful");
    await other.withdraw(held, person);
    await expect.poll(other.issueCodes).toContain("unassign_failed");
    await expect.poll(() => other.booking(held, person)).not.toHaveProperty("withdrawing");
    expect(await own.accept(job, person)).toEqual({ status: 409, code: "booking_overlaps" });
    expect(await erase(own, person)).toBe("candidate_booked");

    expect(await end(other, held, person)).toBe(204);
    expect(await other.booking(held, person)).toMatchObject({
      status: "released",
      reason: "ended_by_operator",
    });
    const released = await other.notifications(held, "booking_released");
    expect(released.map(({ candidateId }) => candidateId)).toEqual([person.candidateId]);
    await own.book(job, person);
    expect(await end(own, job, person)).toBe(204);
    expect(await erase(own, person)).toBe(204);
    await expect.poll(other.issueCodes).toContain("unassign_failed");
    expect(await end(other, held, person)).toBe("candidate_not_found");
  });

  it("asks the provider to take the person off whose booking an operator has ended", async () => {
    const own = await onboard();
    const person = await own.addPerson();
    const job = await own.open();
    await own.book(job, person);
    expect(await end(own, job, person)).toBe(204);
    await expect.poll(() => own.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    await expect.poll(async () => (await own.job(job.shiftId)).status).toBe("open");
    expect(await end(own, job, person)).toBe("booking_not_found");
    const { items } = ok(await own.operations.listAudit({ params: { query: { operation: "endBooking" } } }));
    expect(items[0]?.changes).toEqual([{ field: "reason", after: "provider_refuses" }]);
  });

  it("lets an operator end a booking on a shift that has started, and not on one that is over", async () => {
    const own = await onboard();
    const person = await own.addPerson();
    const job = await own.open();
    await own.book(job, person);
    try {
      aheadMs = Date.parse(job.startTime) - Date.now() + HOUR_MS;
      expect(await own.withdraw(job, person)).toEqual({ status: 409, code: "job_not_open" });
      expect(await end(own, job, person, "shift_implausible")).toBe(204);
      expect(await erase(own, person)).toBe(204);
      aheadMs = Date.parse(job.endTime) - Date.now() + HOUR_MS;
      const other = await own.addPerson();
      expect(await end(own, job, other)).toBe("job_not_open");
    } finally {
      aheadMs = 0;
    }
  });

  it("is suspended, and then makes no one busy elsewhere", async () => {
    const [own, other] = [await onboard(), await onboard()];
    const person = await own.addPerson();
    await qualify(other, person);
    const held = await other.open();
    await other.book(held, person);
    const job = await own.open(times(held));
    expect(await own.accept(job, person)).toEqual({ status: 409, code: "booking_overlaps" });
    await other.suspend();
    await own.book(job, person);
  });

  it("counts elsewhere for a booking that the person made once an operator has released the membership there", async () => {
    const [own, other] = [await onboard(), await onboard()];
    const person = await own.addPerson({ email: EMAIL });
    await qualify(other, person);
    other.provider.addCandidate({ personalNumber: person.personalNumber });
    ok(await other.operations.importRegistry({ params: other.params }));
    const held = await other.open();
    await acceptByLink(other, held, person);
    const job = await own.open(times(held));
    await own.book(job, person);
    ok(
      await own.operations.releaseCandidate({
        params: { path: { candidateId: person.candidateId } },
        body: { providerId: other.providerId },
      }),
    );
    const [more] = [await own.open(times(held))];
    await own.withdraw(job, person);
    await expect.poll(async () => (await own.booking(job, person))?.status).toBe("released");
    expect(await own.accept(more, person)).toEqual({ status: 409, code: "booking_overlaps" });
  });

  it("counts elsewhere for a person of the company whom no registry names", async () => {
    const [own, other] = [await onboard(), await onboard()];
    const person = await own.addPerson({ email: EMAIL });
    await qualify(other, person);
    const held = await other.open();
    await acceptByLink(other, held, person);
    const job = await own.open(times(held));
    expect(await own.accept(job, person)).toEqual({ status: 409, code: "booking_overlaps" });
  });
});
