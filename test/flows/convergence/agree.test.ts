import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Booking, Job } from "../../../generated/operations/types.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { agree } from "./agree.ts";
import type { Provider } from "./provider.ts";
import { create, seat, useProviders } from "./provider-calls.ts";

/** Returns a platform that lists these jobs. */
const platformWith = (jobs: readonly Partial<Job>[]) => ({
  operations: {
    listJobs: async () => ({ data: { items: jobs }, response: new Response() }),
  } as unknown as Parameters<typeof agree>[0]["operations"],
});

/** Returns a correct platform's job for the shift. */
function jobOf(provider: Provider, shiftId: string): Job {
  const shift = provider.shift(shiftId);
  if (!shift) throw new Error("the shift does not exist");
  const { assigned, positions, startTime, endTime } = shift;
  const idsOf = (who: string) =>
    assigned.filter(({ by }) => by === who).map(({ candidateId }) => candidateId);
  const status = assigned.length >= positions ? "filled" : "open";
  const ownPeople = idsOf("provider").map((providerCandidateId) => ({ providerCandidateId }));
  const bookings = idsOf("platform").map((id) => bookingOf({ providerCandidateId: id }));
  return { shiftId, status, startTime, endTime, positions, ownPeople, bookings } as unknown as Job;
}

const bookingOf = (values: Partial<Booking>) =>
  ({ candidateId: randomUUID(), status: "confirmed", ...values }) as Booking;

const linesOf = async (provider: Provider, jobs: readonly Partial<Job>[]) =>
  (await agree(platformWith(jobs), provider)).map((line) => line.replace(/^shift \S+: /, ""));

describe("the comparison of both sides", () => {
  const start = useProviders();

  /** Creates a shift with a platform candidate and one of the provider's own people. */
  async function staffed() {
    const provider = await start();
    const { shiftId, assign } = await seat(provider);
    provider.updateShift(shiftId, { positions: 3 });
    await assign();
    provider.assignOwn(shiftId);
    return { provider, shiftId, job: jobOf(provider, shiftId) };
  }

  it("reports nothing when they agree", async () => {
    const { provider, job } = await staffed();
    expect(await linesOf(provider, [job])).toEqual([]);
  });

  it("reports a shift without a job, and one with a cancelled job", async () => {
    const { provider, job } = await staffed();
    expect(await linesOf(provider, [])).toEqual(["the provider has it, the platform has no job"]);
    const cancelled = await linesOf(provider, [{ ...job, status: "cancelled" }]);
    expect(cancelled).toEqual(["the provider has it, the job is cancelled"]);
  });

  it.each([
    ["start", { startTime: "2099-01-01T00:00:00Z" }],
    ["end", { endTime: "2099-01-01T00:00:00Z" }],
    ["positions", { positions: 7 }],
    ["status", { status: "filled" }],
    ["platform's people", { bookings: [] }],
    ["provider's people", { ownPeople: [] }],
  ] as const)("reports a difference in the %s", async (what, values) => {
    const { provider, job } = await staffed();
    const lines = await linesOf(provider, [{ ...job, ...values } as unknown as Job]);
    expect(lines).toEqual([expect.stringMatching(`^${what}: .* on the platform, .* at the provider$`)]);
  });

  it("reports a confirmed booking that the provider lacks, and a missing booking", async () => {
    const { provider, shiftId, job } = await staffed();
    const [booking] = job.bookings;
    const more = { ...job, bookings: [...job.bookings, bookingOf({ providerCandidateId: randomUUID() })] };
    expect(await linesOf(provider, [more])).toEqual([expect.stringContaining("platform's people")]);
    provider.removePerson(shiftId, booking?.providerCandidateId ?? "");
    expect(await linesOf(provider, [job])).toEqual([expect.stringContaining("platform's people")]);
  });

  it.each([
    ["a cancellation is in progress", { cancelling: true }],
    ["a booking is in progress, pending", { bookings: [bookingOf({ status: "pending" })] }],
    [
      "a booking is in progress, released",
      { bookings: [bookingOf({ status: "released", withdrawing: true })] },
    ],
    [
      "a booking is in progress, failed",
      { bookings: [bookingOf({ status: "failed", inDoubtSince: "now" })] },
    ],
  ] as const)("reports that %s", async (line, values) => {
    const provider = await start();
    const { id } = provider.createShift();
    const job = { ...jobOf(provider, id), ...values } as unknown as Job;
    expect(await linesOf(provider, [job])).toEqual([line]);
  });

  it("reports a job whose shift is gone", async () => {
    const { provider, shiftId, job } = await staffed();
    provider.deleteShift(shiftId);
    const [status, booked] = await linesOf(provider, [job]);
    expect([status, booked]).toEqual([expect.stringContaining("status"), expect.stringContaining("booked")]);
    expect(await linesOf(provider, [{ ...job, status: "cancelled", bookings: [] }])).toEqual([]);
    expect(await linesOf(provider, [])).toEqual([]);
    provider.loseShifts();
    expect(await linesOf(provider, [job])).toHaveLength(2);
  });

  it("reports a booking of another person", async () => {
    const provider = await start();
    const { id } = provider.createShift();
    const providerCandidateId = await create(provider);
    const [, another = ""] = published.personnummer;
    const booking = bookingOf({ providerCandidateId });
    const people = [{ candidateId: booking.candidateId, personalNumber: another }];
    const job = { ...jobOf(provider, id), bookings: [booking] };
    const lines = await agree({ ...platformWith([job]), people }, provider);
    expect(lines.join("\n")).toContain("a booking is confirmed for another person");
  });

  it("ignores shifts that have started", async () => {
    const { provider } = await staffed();
    expect(await agree(platformWith([]), provider, new Date("2099-01-01"))).toEqual([]);
  });
});
