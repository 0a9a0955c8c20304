import { describe, expect, it } from "vitest";
import { agree } from "./agree.ts";

const TIMES = { startTime: "2098-01-01T08:00:00Z", endTime: "2098-01-01T16:00:00Z", positions: 3 };
const [ANNA, OWN] = ["anna-at-the-provider", "own-at-the-provider"];
const SHIFT = { id: "s", ...TIMES, assigned: new Map([ANNA, OWN].map((id) => [id, ""])), cancelled: false };
const BOOKING = { candidateId: "anna", status: "confirmed", providerCandidateId: ANNA };
const OWN_PEOPLE = [{ providerCandidateId: OWN }];
const JOB = { shiftId: "s", ...TIMES, status: "open", bookings: [BOOKING], ownPeople: OWN_PEOPLE };
const PEOPLE = ["anna", "bert"].map((candidateId) => ({
  candidateId,
  personalNumber: `number of ${candidateId}`,
}));
const CANDIDATES = [
  { id: ANNA, personalNumber: "number of anna" },
  { id: OWN, personalNumber: "another" },
];

/** Returns the differences between the job and the shift, after these values have replaced those of two sides that agree. `undefined`: no job. `null`: no shift. */
async function linesOf(job: object | undefined, shift: object | null = {}, now?: Date) {
  const items = job ? [{ ...JOB, ...job }] : [];
  const listJobs = async () => ({ data: { items }, response: new Response() });
  const shifts = shift ? [{ ...SHIFT, ...shift }] : [];
  const platform = { operations: { listJobs }, people: PEOPLE };
  const provider = { providerId: "p", shifts, candidates: CANDIDATES };
  return (await agree(platform as never, provider as never, now)).map((line) =>
    line.replace("shift s: ", ""),
  );
}

const difference = (what: string) =>
  expect.stringMatching(`^${what}: .* on the platform, .* at the provider$`);
const booked = (values: object) => ({ bookings: [BOOKING, { ...BOOKING, candidateId: "cleo", ...values }] });

describe("the comparison of both sides", () => {
  it("reports nothing when they agree, nor on shifts that have started or are gone on both sides", async () => {
    expect(await linesOf({})).toEqual([]);
    expect(await linesOf({ positions: 7 }, {}, new Date("2099-01-01"))).toEqual([]);
    expect(await linesOf({ status: "cancelled", bookings: [] }, { cancelled: true })).toEqual([]);
    expect(await linesOf(undefined, { cancelled: true })).toEqual([]);
  });

  it.each<[string, object | undefined, object | null, unknown[]]>([
    ["a shift without a job", undefined, {}, ["the provider has it, the platform has no job"]],
    ["a cancelled job", { status: "cancelled" }, {}, ["the provider has it, the job is cancelled"]],
    ["another start", { startTime: "2098-01-01T09:00:00Z" }, {}, [difference("start")]],
    ["another end", { endTime: "2099-01-01T00:00:00Z" }, {}, [difference("end")]],
    ["other positions", { positions: 7 }, {}, [difference("positions")]],
    ["another status", { status: "filled" }, {}, [difference("status")]],
    ["a missing booking", { bookings: [] }, {}, [difference("platform's people")]],
    [
      "someone who is not on the shift",
      booked({ providerCandidateId: "c" }),
      {},
      [difference("platform's people")],
    ],
    ["a candidate among the provider's people", { ownPeople: [] }, {}, [difference("provider's people")]],
    [
      "another person",
      { bookings: [{ ...BOOKING, candidateId: "bert" }] },
      {},
      ["a booking is confirmed for another person"],
    ],
    ["a cancellation", { cancelling: true }, {}, ["a cancellation is in progress"]],
    ["a pending booking", booked({ status: "pending" }), {}, ["a booking is in progress, pending"]],
    [
      "a withdrawal",
      booked({ status: "released", withdrawing: true }),
      {},
      ["a booking is in progress, released"],
    ],
    ["a doubt", booked({ status: "failed", inDoubtSince: "now" }), {}, ["a booking is in progress, failed"]],
    ["a deleted shift", {}, { cancelled: true }, [difference("status"), difference("people booked")]],
    ["a lost shift", {}, null, [difference("status"), difference("people booked")]],
  ])("reports %s", async (_, job, shift, lines) => {
    expect(await linesOf(job, shift)).toEqual(lines);
  });
});
