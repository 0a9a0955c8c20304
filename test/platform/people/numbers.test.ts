import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

const CONFIRMED = { status: 201, code: "confirmed" };

/** Changes the personal number of each candidate in a body. */
const withNumbers =
  (write: (number: string) => string) =>
  (body: unknown): unknown => {
    if (Array.isArray(body)) return body.map(withNumbers(write));
    const { personalNumber } = (body ?? {}) as { personalNumber?: unknown };
    return typeof personalNumber === "string"
      ? { ...(body as object), personalNumber: write(personalNumber) }
      : body;
  };

describe.each(featureEngines)("the number that a provider returns for a person, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { hourlyMs: 100, answerWithinMs: 5_000 } });

  it.each([
    ["ten digits", (number: string) => number.slice(2)],
    ["ten digits and a hyphen", (number: string) => `${number.slice(2, 8)}-${number.slice(8)}`],
  ])("may have %s: the person is created once, and found again", async (_form, write) => {
    const organisation = await harness().onboard({ rewrite: withNumbers(write) });
    const person = await organisation.addPerson();
    expect(await organisation.accept(await organisation.open(), person)).toEqual(CONFIRMED);
    expect(organisation.callCount("POST", "/candidates")).toBe(1);
    const other = await organisation.addPerson();
    organisation.provider.addCandidate({ personalNumber: other.personalNumber });
    expect(await organisation.accept(await organisation.open(), other)).toEqual(CONFIRMED);
    expect(organisation.callCount("POST", "/candidates")).toBe(1);
    expect(await organisation.issues()).toEqual([]);
  });

  it("may be another person's: the person is not created a second time, an issue says so, and a corrected list confirms the booking", async () => {
    const stranger = { number: "" };
    const organisation = await harness().onboard({
      rewrite: withNumbers((number) => stranger.number || number),
    });
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    stranger.number = other.personalNumber;
    const job = await organisation.open();
    expect(await organisation.accept(job, person)).toMatchObject({ status: 202 });
    await expect.poll(() => organisation.issueCodes()).toEqual(["provider_gave_no_answer"]);
    expect(organisation.callCount("POST", "/candidates")).toBe(1);
    stranger.number = "";
    await expect
      .poll(async () => (await organisation.job(job.shiftId)).bookings)
      .toMatchObject([{ status: "confirmed" }]);
    expect(organisation.callCount("POST", "/candidates")).toBe(1);
    expect(await organisation.issues()).toEqual([]);
  });
});

describe.each(featureEngines)("a person whose creation never gets a response, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { callTimeoutMs: 50, answerWithinMs: 0 } });

  it("is an issue after the last attempt: the waits between look-up and create end no count", async () => {
    const organisation = await harness().onboard({
      onTheWay: async ({ method, path }, pass) => {
        if (method !== "POST" || path !== "/candidates") await pass();
      },
    });
    await organisation.accept(await organisation.open(), await organisation.addPerson());
    await expect.poll(() => organisation.issueCodes()).toContain("provider_gave_no_answer");
  });
});

describe.each(featureEngines)("an id that a provider gives to two candidates, on %s", (engine) => {
  const harness = useHarness(engine);

  it("belongs to the first: the second is not booked, an issue says why, and once they are separate both are", async () => {
    const shared = { id: "" };
    const rewrite = (body: unknown): unknown => {
      if (Array.isArray(body)) return body.map(rewrite);
      const { personalNumber } = (body ?? {}) as { personalNumber?: unknown };
      if (personalNumber !== second.personalNumber || shared.id === "") return body;
      return { ...(body as object), id: shared.id };
    };
    const second = { candidateId: "", personalNumber: "" };
    const organisation = await harness().onboard({ rewrite });
    const first = await organisation.addPerson();
    const job = await organisation.open({ positions: 2 });
    expect(await organisation.accept(job, first)).toEqual(CONFIRMED);
    shared.id = [...(organisation.provider.shift(job.shiftId)?.assigned.keys() ?? [])].join();
    Object.assign(second, await organisation.addPerson());
    organisation.provider.addCandidate({ personalNumber: second.personalNumber });
    expect(await organisation.accept(job, second)).toEqual({ status: 409, code: "provider_refused" });
    expect((await organisation.job(job.shiftId)).bookings).toMatchObject([
      { candidateId: first.candidateId, status: "confirmed" },
      { candidateId: second.candidateId, status: "failed", reason: "candidate_id_shared" },
    ]);
    expect(await organisation.issueCodes()).toEqual(["candidate_id_shared"]);
    shared.id = "";
    expect(await organisation.accept(job, second)).toEqual(CONFIRMED);
    expect(await organisation.issues()).toEqual([]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(2);
  });

  it("belongs to whom it was given first, also if another's look-up began before", async () => {
    const both = { id: "", numbers: [] as string[] };
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rewrite = (body: unknown): unknown => {
      if (Array.isArray(body)) return body.map(rewrite);
      const { personalNumber = "" } = (body ?? {}) as { personalNumber?: string };
      return both.numbers.includes(personalNumber) ? { ...(body as object), id: both.id } : body;
    };
    const organisation = await harness().onboard({
      rewrite,
      onTheWay: async ({ path }, pass) => {
        await pass();
        if (path.startsWith("/candidates") && path.includes(early.personalNumber)) {
          asked.resolve();
          await answered.promise;
        }
      },
    });
    const early = await organisation.addPerson();
    const late = await organisation.addPerson();
    both.numbers = [early, late].map(({ personalNumber }) => personalNumber);
    [both.id = ""] = both.numbers.map(
      (number) => organisation.provider.addCandidate({ personalNumber: number }).id,
    );
    const [one, other] = [await organisation.open(), await organisation.open()];
    const accepted = organisation.accept(one, early);
    await asked.promise;
    expect(await organisation.accept(other, late)).toEqual(CONFIRMED);
    answered.resolve();
    expect(await accepted).toEqual({ status: 409, code: "provider_refused" });
    expect((await organisation.job(one.shiftId)).bookings).toMatchObject([{ reason: "candidate_id_shared" }]);
    expect((await organisation.job(other.shiftId)).bookings).toMatchObject([{ status: "confirmed" }]);
  });
});
