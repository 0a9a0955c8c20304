import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import type { Fixtures, VerifyOptions } from "../../src/verify/options.ts";
import { TEST_NUMBERS } from "../../src/verify/test-numbers.ts";
import { verify } from "../../src/verify/verify.ts";
import { coveringDialects } from "../harness/fault-row.ts";

const KNOWN_NUMBER = "189001169813";
/** `RUNS=1000 PROOFS=1 npx vitest run test/verify/repeated` for more runs. */
const RUNS = Number(process.env.RUNS ?? 50);

const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

async function start(dialect: Partial<Forms>) {
  const sandbox = await startSandbox({ dialect, rateLimit: 0 });
  opened.push(sandbox);
  const { providerId, token } = sandbox.addOrganisation();
  const { shiftId, shift } = sandbox.createShift({ positions: 3 });
  shift.assigned.set(sandbox.candidates[0]?.id ?? "", shift.createdAt);
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  const fixtures: Fixtures = { shiftId, knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
  const { url: baseUrl, providerId: own, token: ownToken } = sandbox;
  const given = { baseUrl, providerId: own, token: ownToken, fixtures, other: { providerId, token } };
  return { sandbox, given };
}

/** Returns the verdict, all errors and warnings, and the operations without a success. */
async function verdictOf(options: VerifyOptions) {
  const { summary, findings, unseen } = await verify(options);
  const wrong = findings.filter(({ severity }) => severity !== "skipped");
  return [summary.verdict, wrong.map(({ code, operation }) => `${code} ${operation}`), unseen];
}

const CONFORMS = ["conforms", [], []];

describe(`${RUNS} consecutive runs give the same verdict`, () => {
  it.each([
    ["with the same seed, and a cancellable shift that only the first one can cancel", () => 1],
    ["with different seeds", (run: number) => run],
  ])("%s", async (_, seedOf) => {
    const { sandbox, given } = await start({ variant: "b", deleted: "404" });
    const fixtures = { ...given.fixtures, cancellableShiftId: sandbox.createShift().shiftId };
    const before = structuredClone(sandbox.shift(given.fixtures.shiftId ?? ""));
    for (let run = 1; run <= RUNS; run += 1) {
      const skip = run % 20 === 1 ? [] : (["contracts"] as const);
      const verdict = await verdictOf({ ...given, fixtures, skip, seed: seedOf(run) });
      expect([run, ...verdict]).toEqual([run, ...CONFORMS]);
    }
    const { updatedAt: _was, ...shift } = sandbox.shift(given.fixtures.shiftId ?? "") ?? {};
    const { updatedAt: __, ...was } = before ?? {};
    expect(shift).toEqual(was);
    expect(sandbox.candidates.length).toBeLessThan(140);
  });

  it("when the test numbers run out, and with about as many requests", async () => {
    const { sandbox, given } = await start({ variant: "a" });
    const createShift = async () => sandbox.createShift().shiftId;
    const numbers = TEST_NUMBERS.slice(20, 36);
    const [theirs, used] = [numbers.slice(8, 10), numbers.length - 2 * 3 - 2];
    for (const personalNumber of theirs) sandbox.addCandidate({ personalNumber });
    const people = sandbox.candidates.length;
    const requests: number[] = [];
    for (let run = 1; run <= used + 2; run += 1) {
      const { summary, unseen, candidates, runsLeft, ...its } = await verify({
        ...given,
        createShift,
        numbers,
      });
      const left = Math.max(0, used - run - 1);
      expect([run, summary.verdict, unseen]).toEqual([run, "conforms", []]);
      // Exact but for the people whom the provider has under test numbers.
      expect(Math.abs((runsLeft ?? Number.NaN) - left)).toBeLessThanOrEqual(theirs.length);
      expect(candidates).toBe(run === 1 ? 2 : Number(run < used));
      requests.push(its.requests);
    }
    expect(sandbox.candidates.length - people).toBe(used);
    const [first = 0] = requests;
    expect(requests.filter((count) => count > 1.1 * first)).toEqual([]);
  });

  it("with a new cancellable shift for each run", async () => {
    const { sandbox, given } = await start({ variant: "a" });
    const createShift = async () => sandbox.createShift().shiftId;
    for (let run = 1; run <= 10; run += 1) {
      const { summary, passed } = await verify({ ...given, createShift, seed: run });
      expect(summary).toMatchObject({ verdict: "conforms", errors: 0, warnings: 0 });
      const titles = passed.map(({ title }) => title.replace(/ \[.*/, ""));
      expect(titles).toContain("a cancelled shift is deleted, or has the status cancelled");
      expect(titles).toContain("cancels a shift");
    }
  });

  it("with a list of cancellable shifts", async () => {
    const { sandbox, given } = await start({});
    const ids = [1, 2, 3].map(() => sandbox.createShift().shiftId);
    const cancelled = () => ids.filter((id) => sandbox.shift(id)?.cancelled);
    for (const count of [1, 2, 3, 3]) {
      const fixtures = { ...given.fixtures, cancellableShiftId: ids };
      expect(await verdictOf({ ...given, fixtures, skip: ["contracts"], seed: 1 })).toEqual(CONFORMS);
      expect(cancelled()).toEqual(ids.slice(0, count));
    }
  });
});

describe("the number of concurrent requests does not change the verdict", () => {
  it.each([1, 8, 32])("with %i: a correct provider conforms in each form", async (concurrency) => {
    for (const dialect of coveringDialects) {
      const { sandbox, given } = await start(dialect);
      const fixtures = { ...given.fixtures, cancellableShiftId: sandbox.createShift().shiftId };
      const options = { ...given, fixtures, concurrency, skip: ["contracts"] as const, seed: 3 };
      expect([dialect, ...(await verdictOf(options))]).toEqual([dialect, ...CONFORMS]);
      await opened.pop()?.close();
    }
  });
});
