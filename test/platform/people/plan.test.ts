import { describe, expect, it } from "vitest";
import {
  type Answer,
  createHadNoEffect,
  type PersonFacts,
  planPerson,
} from "../../../src/platform/people/plan.ts";

const NOW = 1_800_000_000_000;
const TIMEOUT_MS = 10_000;
const TIMES = { callTimeoutMs: TIMEOUT_MS, ladderMs: [1_000, 120_000] };
const NEVER: PersonFacts = {
  createSentAt: null,
  existsUnseen: false,
  created: null,
  isForgotten: false,
  keptId: null,
  forgottenAt: null,
};
const NO_ONE: Answer = { kind: "found", ids: [] };

const next = (answer: Answer | undefined, facts: Partial<PersonFacts> = {}, now = NOW) =>
  planPerson({ ...NEVER, ...facts }, answer, now, TIMES);
const refused = (status: number, code?: string): Answer => ({
  kind: "refused",
  status,
  code,
});
const unavailable = (rest: object = {}): Answer =>
  ({ kind: "unavailable", reason: "no", failure: "timeout", ...rest }) as Answer;

describe("who a person is at a provider", () => {
  it("is looked up before anything else", () => {
    expect(next(undefined)).toEqual({ do: "look_up" });
    expect(next(undefined, { createSentAt: NOW - 1 })).toEqual({ do: "look_up" });
  });

  it("is known if there is exactly one match", () => {
    expect(next({ kind: "found", ids: ["p1"] })).toEqual({ do: "know", id: "p1", how: "found" });
    expect(next({ kind: "found", ids: ["p1"] }, { createSentAt: NOW })).toMatchObject({ id: "p1" });
  });

  it("is ambiguous if there are several matches", () => {
    const fault = { kind: "ambiguous", matches: 2 };
    expect(next({ kind: "found", ids: ["p1", "p2"] })).toEqual({ do: "give_up", fault });
  });

  it("is created when there is no match and no create is in doubt", () => {
    expect(next(NO_ONE)).toEqual({ do: "create" });
    expect(next({ kind: "created", id: "p3" })).toEqual({ do: "know", id: "p3", how: "created" });
  });

  it.each([
    [0, { do: "wait", ms: 2 * TIMEOUT_MS }],
    [2 * TIMEOUT_MS - 1, { do: "wait", ms: 1 }],
    [2 * TIMEOUT_MS, { do: "create" }],
    // The clock was set back.
    [-60_000, { do: "wait", ms: 2 * TIMEOUT_MS }],
  ])("waits for two time-outs after a create in doubt (%d ms ago)", (agoMs, step) => {
    expect(next(NO_ONE, { createSentAt: NOW - agoMs })).toEqual(step);
  });

  it("is not created again once the provider has created someone, even if the response is about another person", () => {
    const step = next(NO_ONE, { createSentAt: NOW - 100 * TIMEOUT_MS, created: "wrong_person" });
    expect(step).toMatchObject({ do: "retry", failure: { failure: "wrong_person" } });
    expect(next({ kind: "found", ids: ["p1"] }, { created: "wrong_person" })).toMatchObject({
      do: "know",
      id: "p1",
    });
  });

  it("is looked up again once when the provider already has the person", () => {
    expect(next({ kind: "exists" })).toEqual({ do: "look_up" });
    expect(next(NO_ONE, { existsUnseen: true })).toEqual({
      do: "give_up",
      fault: { kind: "refused", status: 409, code: "candidate_exists" },
    });
  });

  it("is not created again when the provider no longer knows its id, because one look-up may be stale", () => {
    expect(next(NO_ONE, { isForgotten: true })).toMatchObject({ do: "give_up" });
    expect(next({ kind: "found", ids: ["p1"] }, { isForgotten: true })).toMatchObject({ id: "p1" });
  });

  it.each([
    [0, { do: "wait", ms: 1_000 }],
    [1_000, { do: "wait", ms: 119_000 }],
    [119_999, { do: "wait", ms: 1 }],
    [120_000, { do: "know", id: "p1", how: "found" }],
  ])(
    "keeps the id that the provider did not know %d ms before, once no later look-up finds another",
    (ms, step) => {
      const facts = { isForgotten: true, keptId: "p1", forgottenAt: NOW - ms };
      expect(next(NO_ONE, facts)).toEqual(step);
      expect(next({ kind: "found", ids: ["p2"] }, facts)).toEqual({ do: "know", id: "p2", how: "found" });
      expect(next({ kind: "found", ids: ["p2", "p1"] }, facts)).toMatchObject({ do: "know", id: "p1" });
    },
  );

  it.each([401, 403])("is retried later, and pauses the integration, at %d", (status) => {
    expect(next(refused(status))).toMatchObject({ do: "pause", refused: { status } });
  });

  it("is given up when the provider refuses the person", () => {
    expect(next(refused(422, "validation_failed"))).toEqual({
      do: "give_up",
      fault: { kind: "refused", status: 422, code: "validation_failed" },
    });
  });

  it.each<[string, Answer, boolean]>([
    ["a time-out", unavailable(), false],
    ["500", unavailable({ failure: "http_error", status: 500 }), false],
    ["429", unavailable({ failure: "http_error", status: 429 }), true],
    ["a call that was not sent", unavailable({ failure: "circuit_open", notAsked: true }), true],
    ["a refusal", refused(422), true],
  ])("keeps a create in doubt after %s unless the create had no effect", (_, answer, isUnsent) => {
    expect(createHadNoEffect("create", answer)).toBe(isUnsent);
    expect(createHadNoEffect("look_up", answer)).toBe(false);
    if (answer.kind === "unavailable") expect(next(answer)).toMatchObject({ do: "retry" });
  });
});
