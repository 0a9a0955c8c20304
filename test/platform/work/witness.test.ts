import { describe, expect, it } from "vitest";
import { createProviderClient } from "../../../src/clients/provider/client.ts";
import { PROVIDER_RETRIES, TIMING } from "../../../src/clients/retry-policy.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { retryAfterFailure, retryDelay } from "../../../src/platform/work/retry.ts";
import { orMissingRoute, witnessed, witnessedTwice } from "../../../src/platform/work/witness.ts";

const HOW = { traceId: "3f1f6f5c-0f4e-4a3a-8d0f-2c9f6f1f7a55", signal: new AbortController().signal };
const SEAT = { shiftId: "shift", candidateId: "person" };
const NUMBER = "197606252380" as never;
const TIMES = { startTime: "2031-05-01T08:00:00Z", endTime: "2031-05-01T16:00:00Z", positions: 1 };
const PERSON = { personalNumber: "197606252380", firstName: "Ada", lastName: "Strand" };
const CREATE = { ...PERSON, email: "ada.strand@example.com", phone: "+46701740605" };

/** A provider that returns 404 for every request except, with `outlets`, the list of outlets; with `recovers` only for the first request. */
function clientOf({
  code,
  outlets,
  recovers = false,
}: {
  code?: string;
  outlets: boolean;
  recovers?: boolean;
}) {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname.split("/").at(3) ?? "");
    if (outlets && pathname.endsWith("/outlets")) return Response.json([]);
    if (recovers && asked.length > 1) return Response.json({ success: true });
    const type = code === undefined ? "text/html" : "application/problem+json";
    const body = code === undefined ? "<h1>404</h1>" : JSON.stringify({ status: 404, code });
    return new Response(body, { status: 404, headers: { "Content-Type": type } });
  };
  const client = createProviderClient({
    baseUrl: "https://provider.example",
    providerId: "p",
    token: "t",
    fetch,
  });
  return { client, asked };
}

type Client = ReturnType<typeof clientOf>["client"];

const CALLS: [name: string, call: (client: Client) => Promise<{ kind: string }>, believed: string][] = [
  ["an assignment", (client) => client.assign(SEAT, HOW), "refused"],
  ["an unassignment", (client) => client.unassign(SEAT, HOW), "unassigned"],
  ["a change", (client) => client.updateShift("shift", TIMES, HOW), "absent"],
  ["a look-up", (client) => client.findCandidates(NUMBER, HOW), "found"],
  ["a creation", (client) => client.createCandidate(CREATE, HOW), "refused"],
];

describe.each(CALLS)("a 404 without the contract's code to %s", (_, call, believed) => {
  it("is an outage when the provider does not list its outlets either", async () => {
    const { client } = clientOf({ outlets: false });
    const answer = await witnessed(client, await call(client), HOW);
    expect(answer).toMatchObject({ kind: "unavailable", failure: "absence_unconfirmed", status: 404 });
  });

  it("counts when the provider lists its outlets", async () => {
    const { client } = clientOf({ outlets: true });
    expect((await witnessed(client, await call(client), HOW)).kind).toBe(believed);
  });
});

describe("a 404 without the contract's code that a later reading verifies", () => {
  it.each(CALLS)(
    "to %s may be that of a missing route, whatever else the provider returns",
    async (_, call) => {
      const { client, asked } = clientOf({ outlets: true });
      expect(orMissingRoute(await call(client))).toMatchObject({
        kind: "unavailable",
        failure: "route_missing",
      });
      expect(asked).not.toContain("outlets");
    },
  );
});

describe("a 404 without the contract's code to a call that changes something", () => {
  const assign = (client: Client) => witnessedTwice(client, () => client.assign(SEAT, HOW), HOW);

  it("does not count when a gateway has its route back for the second call", async () => {
    const { client } = clientOf({ outlets: true, recovers: true });
    expect((await assign(client)).kind).toBe("assigned");
  });

  it("counts when the provider responds, and returns it again", async () => {
    const { client, asked } = clientOf({ outlets: true });
    expect(await assign(client)).toMatchObject({ kind: "refused", status: 404 });
    expect(asked).toEqual(["shifts", "outlets", "shifts"]);
  });

  it("is an outage when the provider does not respond, and is not repeated", async () => {
    const { client, asked } = clientOf({ outlets: false });
    expect(await assign(client)).toMatchObject({ kind: "unavailable", failure: "absence_unconfirmed" });
    expect(asked).toEqual(["shifts", "outlets"]);
  });
});

describe("a 404 with the contract's code", () => {
  it("needs no witness", async () => {
    const { client, asked } = clientOf({ code: "candidate_not_found", outlets: true });
    for (const [, call] of CALLS.filter(([name]) => name !== "a change"))
      await witnessed(client, await call(client), HOW);
    expect(asked).not.toContain("outlets");
  });
});

const rest = { hourlyMs: HOUR_MS };

describe("the delay before the next attempt", () => {
  const highest = { ...PROVIDER_RETRIES, random: () => 1 };
  const lowest = { ...PROVIDER_RETRIES, random: () => 0 };

  it("doubles from 1 s to 10 min, and is an hour after 12 attempts", () => {
    const waits = Array.from({ length: 14 }, (_, nth) => retryDelay(highest, nth + 1, rest) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 3_600, 3_600, 3_600]);
  });

  it("is random between zero and that bound", () => {
    expect(retryDelay(lowest, 5, rest)).toBe(0);
    expect(retryDelay({ ...PROVIDER_RETRIES, random: () => 0.25 }, 5, rest)).toBe(4_000);
  });

  it("is never shorter than Retry-After, which counts for at most an hour", () => {
    expect(retryDelay(lowest, 1, { ...rest, retryAfterMs: 45_000 })).toBe(45_000);
    expect(retryDelay(highest, 1, { ...rest, retryAfterMs: HOUR_MS })).toBe(HOUR_MS);
    expect(retryDelay(highest, 1, { ...rest, retryAfterMs: 1e15 })).toBe(HOUR_MS);
  });

  it("holds in spite of a hint if the provider asked for it, and a call that was not made is no attempt", () => {
    const failed = (failure: Parameters<typeof retryAfterFailure>[2]) =>
      retryAfterFailure({ retries: lowest, timing: rest }, 3, failure);
    expect(failed({ retryAfterMs: 45_000 })).toMatchObject({ afterMs: 45_000, attempts: 3, isFirm: true });
    expect(failed({})).toMatchObject({ attempts: 3, isFirm: false });
    expect(failed({ retryAfterMs: 45_000, notAsked: true })).toMatchObject({ attempts: 2, isFirm: false });
  });

  it("follows a call of at most 10 s; each minute, a provider that rejects the token is probed", () => {
    expect(TIMING).toMatchObject({ callTimeoutMs: 10_000, hourlyMs: HOUR_MS, probeMs: 60_000 });
  });
});
