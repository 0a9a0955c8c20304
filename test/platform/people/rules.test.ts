import { describe, expect, it } from "vitest";
import { planPerson } from "../../../src/platform/people/plan.ts";

const NOW = Date.UTC(2026, 0, 5, 6);
const TIMEOUT_MS = 10_000;
const nobody = { kind: "found", ids: [] } as const;

const plan = (
  answer?: Parameters<typeof planPerson>[1],
  facts: Partial<Parameters<typeof planPerson>[0]> = {},
) =>
  planPerson(
    { createSentAt: null, existsUnseen: false, isForgotten: false, ...facts },
    answer,
    NOW,
    TIMEOUT_MS,
  );

describe("a person at a provider", () => {
  it("is looked up before anything else", () => {
    expect(plan()).toEqual({ do: "look_up" });
    expect(plan(undefined, { createSentAt: NOW - 1 })).toEqual({ do: "look_up" });
  });

  it("is created when there is no match", () => {
    expect(plan(nobody)).toEqual({ do: "create" });
    expect(plan({ kind: "found", ids: ["one"] })).toEqual({ do: "know", id: "one", how: "found" });
  });

  it("is not created again within two time-outs of a create with unknown outcome: the call's own, and one more", () => {
    expect(plan(nobody, { createSentAt: NOW - 1_000 })).toEqual({ do: "wait", ms: 19_000 });
    expect(plan(nobody, { createSentAt: NOW - 19_999 })).toEqual({ do: "wait", ms: 1 });
    expect(plan(nobody, { createSentAt: NOW - 20_000 })).toEqual({ do: "create" });
  });

  it("is not created twice when the clock was set back", () => {
    expect(plan(nobody, { createSentAt: NOW + 600_000 })).toEqual({ do: "wait", ms: 20_000 });
  });

  it("is looked up again when the provider reports that it exists, and given up when there is still no match", () => {
    expect(plan({ kind: "exists" })).toEqual({ do: "look_up" });
    expect(plan(nobody, { existsUnseen: true })).toMatchObject({ do: "give_up" });
  });

  it("is not created again when the provider no longer knows its id, because one look-up may be stale", () => {
    expect(plan(nobody, { isForgotten: true })).toMatchObject({ do: "give_up" });
    expect(plan({ kind: "found", ids: ["one"] }, { isForgotten: true })).toMatchObject({
      do: "know",
      id: "one",
    });
  });

  it("is ambiguous when there are several matches", () => {
    expect(plan({ kind: "found", ids: ["one", "two"] })).toEqual({
      ...{ do: "give_up", fault: { kind: "ambiguous", matches: 2 } },
    });
  });

  it("pauses the integration on 401 and 403, and is retried when there is no response", () => {
    expect(plan({ kind: "refused", status: 403, code: undefined })).toMatchObject({ do: "pause" });
    const failure = { kind: "unavailable", failure: "timeout", reason: "the connection was cut" } as const;
    expect(plan(failure)).toEqual({ do: "retry", failure });
  });
});
