import { describe, expect, it } from "vitest";
import type { HireDetails } from "../../../generated/operations/types.ts";
import { DAY_MS, HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines } from "../../harness/engines.ts";
import type { Person } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const HIRE: HireDetails = {
  address: "Storgatan 7",
  postCode: "41101",
  city: "Göteborg",
  countryCode: "se",
  emergencyContact: { name: "Kim Ek", phone: "+46701740606", relationship: "sibling" },
  bankDetails: { clearingNumber: "8327-9", accountNumber: "923 456 789-1" },
  documents: { citizenship: "SE", workPermitRequired: false, workPermitExpiry: null, passportVerified: true },
};

const CONFIRMED = { status: 201, code: "confirmed" };

describe.each(featureEngines)("the candidate's id at the provider, on %s", (engine) => {
  const harness = useHarness(engine);

  it("is created once for two concurrent accepts", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    const jobs = [await organisation.open(), await organisation.open(inDays(3))];
    const said = await Promise.all(jobs.map((job) => organisation.accept(job, person)));
    expect(said).toEqual([CONFIRMED, CONFIRMED]);
    const same = organisation.provider.candidates.filter(
      (each) => each.personalNumber === person.personalNumber,
    );
    expect(same).toHaveLength(1);
    expect(organisation.callCount("POST", "/candidates")).toBe(1);
  });
});

describe("people who are hired", () => {
  const harness = useHarness("postgres", { timing: { answerWithinMs: 0 } });

  it("may accept again while the provider is responding", async () => {
    const organisation = await harness().onboard();
    const job = await organisation.open({ positions: 12 });
    const people = await Promise.all(
      Array.from({ length: 12 }, () => organisation.addPerson({ hire: HIRE })),
    );
    const insist = async (person: Person) => {
      let answer = await organisation.accept(job, person);
      while (answer.status === 202) answer = await organisation.accept(job, person);
      return answer;
    };
    expect(await Promise.all(people.map(insist))).toEqual(Array(12).fill(CONFIRMED));
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(12);
  });
});

describe("the candidate's id at the provider", () => {
  const harness = useHarness("pglite");

  it("is looked up under both forms of the number before a create", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    expect(await organisation.accept(await organisation.open(), person)).toEqual(CONFIRMED);
    const asked = ["GET", "POST"].map((method) => organisation.callCount(method, "/candidates"));
    expect(asked).toEqual([2, 1]);
  });

  it("is created under the same Idempotency-Key at each attempt, and another for another person", async () => {
    const keys: unknown[] = [];
    const organisation = await harness().onboard({
      onTheWay: ({ method, path, idempotencyKey }, pass) => {
        if (method === "POST" && path === "/candidates") keys.push(idempotencyKey);
        return pass();
      },
    });
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const job = await organisation.open({ positions: 2 });
    const once = { times: 1, operations: ["createCandidate"], retryAfter: "0" } as const;
    organisation.provider.setFault("rate-limited", once);
    expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
    expect(await organisation.accept(job, other)).toEqual(CONFIRMED);
    const [first, , last] = keys;
    expect(keys).toEqual([expect.any(String), first, expect.any(String)]);
    expect(last).not.toBe(first);
  });

  it("is ambiguous with more than one match, until the provider merges them", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    organisation.provider.addCandidate({ personalNumber: person.personalNumber });
    const job = await organisation.open();
    organisation.provider.setFault("two-candidates");
    expect(await organisation.accept(job, person)).toEqual({ status: 409, code: "provider_refused" });
    const { status, bookings } = await organisation.job(job.shiftId);
    expect(status).toBe("open");
    expect(bookings).toMatchObject([{ status: "failed", reason: "candidate_ambiguous" }]);
    expect(await organisation.issueCodes()).toEqual(["candidate_ambiguous"]);
    expect(organisation.provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect(organisation.callCount("POST", "/candidates")).toBe(0);
    organisation.provider.clearFaults();
    expect(await organisation.accept(job, person)).toEqual(CONFIRMED);
    expect(await organisation.issues()).toEqual([]);
  });

  it("is created with no more data than a booking needs", async () => {
    const organisation = await harness().onboard();
    const person = await organisation.addPerson();
    await organisation.accept(await organisation.open(), person);
    expect(Object.keys(organisation.provider.candidates.at(-1) ?? {}).sort()).toEqual(
      ["email", "firstName", "id", "lastName", "personalNumber", "phone"].sort(),
    );
  });

  it.each([
    ["confirmed the booking", undefined],
    ["has created the person, whatever becomes of the booking", "assign-conflict"],
  ] as const)(
    "is created with the details of a hire, which are deleted once the provider %s",
    async (_, fault) => {
      const [first, second] = [await harness().onboard(), await harness().onboard()];
      const competenceIds = [first.competenceId, second.competenceId];
      const person = await first.addPerson({ competenceIds, hire: HIRE });
      if (fault) first.provider.setFault(fault);
      await first.accept(await first.open(), person);
      expect(first.provider.candidates.at(-1)).toMatchObject({
        personalNumber: person.personalNumber,
        ...HIRE,
      });
      await second.accept(await second.open(inDays(3)), person);
      const later = second.provider.candidates.at(-1);
      expect([later?.personalNumber, later?.bankDetails]).toEqual([person.personalNumber, undefined]);
    },
  );
});

/** An hour in the middle of the day, so many days from now. */
function inDays(days: number) {
  const start = Math.floor(Date.now() / DAY_MS + days) * DAY_MS + 36_000_000;
  return { startTime: new Date(start).toISOString(), endTime: new Date(start + HOUR_MS).toISOString() };
}
