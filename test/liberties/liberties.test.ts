import { describe, expect, it } from "vitest";
import { dialectName, everyDialect } from "../../src/contract/dialect.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { verify } from "../../src/verify/verify.ts";
import { useHarness } from "../harness/platform.ts";
import { startProviderProxy } from "../harness/provider-proxy.ts";
import { randomOf } from "../harness/random.ts";
import { codesOf } from "../verify/verify-sandbox.ts";
import { liberties } from "./liberties.ts";

/** `LIBERTIES=500` sets the number of providers; `SEED=7` selects others. */
const RUNS = Number(process.env.LIBERTIES ?? 32);
const SEED = Number(process.env.SEED ?? Date.now() % 100_000);
const HOUR_MS = 3_600_000;

/** Each provider has its own seed, and the dialects take turns. */
const providers = Array.from({ length: RUNS }, (_, index) => {
  const [dialects, seed] = [everyDialect(), SEED * 1_000 + index];
  const dialect = dialects[seed % dialects.length] ?? {};
  return [`seed ${seed}, ${dialectName(dialect as never)}`, dialect, seed] as const;
});

describe(`a provider that uses every liberty of the contract (SEED=${SEED})`, () => {
  it.each(providers)("conforms: %s", { timeout: 60_000 }, async (_name, dialect, seed) => {
    const sandbox = await startSandbox({ dialect });
    const front = await startProviderProxy(sandbox.url, { respond: liberties(seed) });
    try {
      const [{ shiftId }, cancellable] = [sandbox.createShift({ positions: 3 }), sandbox.createShift()];
      const verification = await verify({
        ...{ baseUrl: front.url, providerId: sandbox.providerId, token: sandbox.token, seed },
        fixtures: { shiftId, cancellableShiftId: cancellable.shiftId },
        wait: () => Promise.resolve(),
      });
      expect(codesOf(verification, "error")).toEqual([]);
      expect(verification.summary.verdict).toBe("conforms");
    } finally {
      await front.close();
      await sandbox.close();
    }
  });
});

/** The number of runs on one platform for which there are enough test numbers. */
const BATCH = 150;
const batches = Array.from({ length: Math.ceil(RUNS / BATCH) }, (_, index) =>
  providers.slice(index * BATCH, (index + 1) * BATCH),
);

describe.each(batches.map((batch, index) => [index + 1, batch] as const))(
  `the same provider (SEED=${SEED}), batch %i`,
  (_, batch) => {
    const harness = useHarness("pglite");

    it.each(batch)("completes the four flows: %s", { timeout: 60_000 }, async (_name, dialect, seed) => {
      const random = randomOf(seed);
      const organisation = await harness().onboard({
        ...{ dialect, ownPath: random.pick([true, false]), respond: liberties(seed) },
      });
      const { provider, idle, accept, cancel, send } = organisation;
      const [one, other] = [await organisation.addPerson(), await organisation.addPerson()];
      /** Sends webhooks twice, late, and in any order. */
      const repeat = async (shiftId: string) => {
        const { traceId } = random.pick(await organisation.events({ shiftId }));
        await send(random.pick(["shift.create", "shift.update"]), shiftId, random.pick([traceId, undefined]));
      };
      const { shiftId } = await organisation.open({ positions: 2 });
      await repeat(shiftId);
      const job = await organisation.job(shiftId);
      expect(job).toMatchObject({ status: "open", positions: 2 });
      for (const person of [one, other]) {
        expect(await accept(job, person)).toEqual({ status: 201, code: "confirmed" });
      }
      expect(provider.shift(shiftId)?.assigned.size).toBe(2);
      const endTime = new Date(Date.parse(job.endTime) + HOUR_MS).toISOString();
      provider.updateShift(shiftId, { endTime });
      await repeat(shiftId);
      await idle();
      expect(await organisation.job(shiftId)).toMatchObject({ status: "filled", endTime });
      expect(await organisation.withdraw(job, other)).toMatchObject({ status: 204 });
      expect(provider.shift(shiftId)?.assigned.size).toBe(1);
      expect(await cancel(await organisation.job(shiftId))).toEqual({ status: 202 });
      await idle();
      const over = await organisation.job(shiftId);
      expect(over).toMatchObject({ status: "cancelled", cancelling: false });
      expect(provider.shift(shiftId)?.cancelled).toBe(true);
      expect(await organisation.issues()).toEqual([]);
    });
  },
);
