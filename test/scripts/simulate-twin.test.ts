import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { schedules } from "../../scripts/simulate/schedules.ts";
import { Store } from "../../scripts/simulate/store.ts";
import { useEngine } from "../harness/engines.ts";
import { firstDifference, setClock } from "./simulate-twin.ts";

/** `TWIN_SEED=... TWIN_SCHEDULES=200 npx vitest run test/scripts/simulate-twin.test.ts` tries others. */
const { TWIN_SEED = "11", TWIN_SCHEDULES, PROOFS } = process.env;
const SEED = Number(TWIN_SEED);
const isProof = PROOFS !== undefined;
const SCHEDULES = Number(TWIN_SCHEDULES ?? (isProof ? 30 : 5));

describe("the memory of the simulator, beside the database", () => {
  const database = useEngine(isProof ? "postgres" : "pglite");
  afterEach(() => vi.restoreAllMocks());

  const firstOf = async (seed: number, count: number) => {
    for (const schedule of fc.sample(schedules(), { seed, numRuns: count })) {
      const first = await firstDifference(database(), schedule);
      if (first) return first;
    }
    return undefined;
  };

  it(`has the same states, rows and answers after each step of ${SCHEDULES} schedules (TWIN_SEED=${SEED})`, async () => {
    await setClock(database());
    expect(await firstOf(SEED, SCHEDULES)).toBeUndefined();
  });

  it("differs from a database whose clock is ahead", async () => {
    await setClock(database(), "1 millisecond");
    expect(await firstOf(1, 1)).toBeDefined();
  });

  it("differs from a database when it finds no one by an id", async () => {
    await setClock(database());
    vi.spyOn(Store.prototype, "ownerOf").mockReturnValue(undefined);
    expect(await firstOf(1, 10)).toBeDefined();
  });
});
