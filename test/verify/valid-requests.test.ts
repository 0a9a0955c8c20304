import { afterEach, expect, it } from "vitest";
import { operationsTable } from "../../generated/provider/server.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { findCancellable } from "../../src/verify/cancellable-shift.ts";
import { createTarget } from "../../src/verify/http-target.ts";
import type { Fixtures } from "../../src/verify/options.ts";
import { createRun, type Run, wasServed } from "../../src/verify/run.ts";
import { TEST_NUMBERS } from "../../src/verify/test-numbers.ts";
import { type Missing, type ValidRequest, validRequestFor } from "../../src/verify/valid-requests.ts";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function start({ mayChange = true, withData = true } = {}) {
  const sandbox = await startSandbox();
  const http = createProviderHttp({ allowInsecure: true });
  opened.push(http.close, sandbox.close);
  const { url: baseUrl, providerId, token } = sandbox;
  const { shiftId } = sandbox.createShift({ positions: 2 });
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const fixtures: Fixtures = withData ? { shiftId, cancellableShiftId } : {};
  const now = () => Date.now();
  const wait = () => Promise.resolve();
  const target = createTarget({ baseUrl, providerId, token, fetch: http.fetch, wait });
  const run: Run = createRun({
    target,
    fixtures,
    mayChange,
    isPolite: false,
    other: undefined,
    numbers: TEST_NUMBERS,
    seed: 1,
    now,
  });
  run.known.cancellable = await findCancellable(run);
  run.known.offered.add("unassignCandidate").add("deleteAssignment");
  return { run, sandbox, shiftId };
}

async function requestsOf(run: Run) {
  const all: (ValidRequest | Missing)[] = [];
  for (const { operationId } of operationsTable) all.push(await validRequestFor(run, operationId));
  return {
    requests: all.filter((each): each is ValidRequest => "probe" in each),
    missing: all.filter((each): each is Missing => "reason" in each),
  };
}

it("every operation has a valid request, which is served and undone", async () => {
  const { run, sandbox, shiftId } = await start();
  const { requests, missing } = await requestsOf(run);
  expect(missing).toEqual([]);
  expect(requests).toHaveLength(11);
  for (const request of requests)
    expect([request.operation, await request.isServed()]).toEqual([request.operation, true]);
  expect(sandbox.shift(shiftId)).toMatchObject({ positions: 2, assigned: new Map() });
  expect(sandbox.shifts.some(({ cancelled }) => cancelled)).toBe(false);
});

it("the valid request is sent once in a run", async () => {
  const { run } = await start();
  const [first] = (await requestsOf(run)).requests;
  const [again] = (await requestsOf(run)).requests;
  await first?.isServed();
  const { requests } = run.target.count;
  expect(await again?.isServed()).toBe(true);
  expect(run.target.count.requests).toBe(requests);
});

it("an effect is visible after the request is served, and not before", async () => {
  const { run } = await start();
  const { requests } = await requestsOf(run);
  const visible = requests.filter(({ hasEffect }) => hasEffect);
  expect(visible.map(({ operation }) => operation)).toEqual([
    "updateShift",
    "cancelShift",
    "assignCandidate",
    "deleteAssignment",
    "unassignCandidate",
  ]);
  for (const { operation, probe, prepare, undo, hasEffect } of visible) {
    await prepare();
    const before = await hasEffect?.();
    const isServed = wasServed(await run.send(probe));
    expect([operation, before, isServed, await hasEffect?.()]).toEqual([operation, false, true, true]);
    await undo();
  }
});

it("the reason is returned without fixtures or in a read-only run", async () => {
  const bare = await requestsOf((await start({ withData: false })).run);
  expect(bare.missing.map(({ operation, code }) => [operation, code])).toEqual([
    ...[
      "getShift",
      "updateShift",
      "cancelShift",
      "assignCandidate",
      "deleteAssignment",
      "unassignCandidate",
    ].map((operation) => [operation, "skipped_not_prepared"]),
  ]);
  const { run } = await start({ mayChange: false });
  const readOnly = await requestsOf(run);
  expect(readOnly.requests.map(({ probe: { operation } }) => operation)).toEqual([
    "getShift",
    "getCandidateRegistry",
    "listOutlets",
    "listRoles",
  ]);
  expect(new Set(readOnly.missing.map(({ code }) => code))).toContain("skipped_read_only");
});

it("the reason is returned for an operation that is not offered", async () => {
  const { run } = await start();
  run.forms.registry = "absent";
  run.known.offered.delete("deleteAssignment");
  const { missing } = await requestsOf(run);
  expect(missing.map(({ operation, code }) => [operation, code])).toEqual([
    ["deleteAssignment", "skipped_not_offered"],
    ["getCandidateRegistry", "skipped_not_offered"],
  ]);
});
