import { describe, expect, it } from "vitest";
import { readWithRetries } from "../../../src/platform/integrations/clients.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { discover, register } from "../../harness/draft.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useTenants } from "../../harness/tenants.ts";

const WELL = { kind: "list" } as const;
const down = (retryAfterMs?: number) => ({
  kind: "unavailable" as const,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

/** Calls a provider that returns these, each after so many milliseconds, on a clock that nothing else moves. */
async function play(answers: ({ kind: string; retryAfterMs?: number } | typeof WELL)[], answersInMs = 0) {
  let now = 0;
  let asked = 0;
  const waits: number[] = [];
  const ask = async () => {
    now += answersInMs;
    return answers[Math.min(asked++, answers.length - 1)] ?? WELL;
  };
  const wait = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  const answer = await readWithRetries(ask, {
    waitsMs: [100, 200, 400],
    now: () => now,
    wait,
    random: () => 0.5,
  });
  return { kind: answer.kind, asked, waits };
}

describe("asking a provider while an operator waits", () => {
  it("sends one request when the provider responds, also with a refusal", async () => {
    expect(await play([WELL])).toEqual({ kind: "list", asked: 1, waits: [] });
    expect(await play([{ kind: "refused" }])).toEqual({ kind: "refused", asked: 1, waits: [] });
  });

  it("repeats the request, four times at most, after delays of the platform's own with jitter", async () => {
    expect(await play([down(), down(), WELL])).toEqual({ kind: "list", asked: 3, waits: [50, 100] });
    expect(await play([down()])).toEqual({ kind: "unavailable", asked: 4, waits: [50, 100, 200] });
  });

  it("waits as long as Retry-After demands, if that is a few seconds", async () => {
    expect(await play([down(7_000), down(10), WELL])).toEqual({
      kind: "list",
      asked: 3,
      waits: [7_000, 100],
    });
  });

  it("gives up at once when the next attempt would take too long, for whatever reason", async () => {
    expect(await play([down(60_000), WELL])).toEqual({ kind: "unavailable", asked: 1, waits: [] });
    expect(await play([down(15_000), down(15_000), WELL])).toMatchObject({ asked: 2, waits: [15_000] });
    expect(await play([down()], 10_000)).toMatchObject({ kind: "unavailable", asked: 2 });
  });
});

describe.each(featureEngines)("discovering, on %s", (engine) => {
  const harness = useTenants(engine, { timing: { onboardingRetriesMs: [1, 1, 1] } });

  it("reads outlets and roles again after a request without a response", async () => {
    const provider = await startSandbox();
    await register(harness(), provider);
    // Fewer than open the circuit.
    provider.setFault("unavailable", { times: 3, retryAfter: "0" });
    const found = await discover(harness(), provider);
    expect(found.outlets).toHaveLength(provider.outlets.length);
    expect(found.roles).toHaveLength(provider.roles.length);
    await provider.close();
  });
});
