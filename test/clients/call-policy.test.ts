import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type CallLimits,
  type CallPolicy,
  createCallPolicy,
} from "../../src/clients/provider/call-policy.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { ProviderHttpError } from "../../src/clients/provider/http-error.ts";
import { CALL, providerSandboxes } from "../harness/provider-sandbox.ts";

const NEVER = new AbortController().signal;
const well = async () => new Response("{}");
const answering =
  (status: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response(null, { status, headers });
const silent = async (): Promise<Response> => {
  throw new ProviderHttpError("timeout", "no complete response within the time limit");
};

describe("the circuit of a provider", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  const circuit = (limits: Partial<CallLimits> = {}) => {
    const states: string[] = [];
    const onCircuit = (state: string) => void states.push(state);
    const policy = createCallPolicy({ limits: { perMinute: 0, failures: 3, ...limits }, onCircuit });
    const run = (call: () => Promise<Response>) => policy.run(call, NEVER).catch((error: unknown) => error);
    const fail = async (times: number, call = silent) => {
      for (let n = 0; n < times; n += 1) await run(call);
    };
    return { run, fail, states };
  };
  const refusedFor = (retryAfterMs: number) => ({ failure: "circuit_open", retryAfterMs });

  it.each([
    ["no answer", silent],
    ["500", answering(500)],
    ["503", answering(503)],
    ["408", answering(408)],
  ])("opens after the limit of consecutive calls that ended with %s", async (_, call) => {
    const { run, fail, states } = circuit();
    await fail(2, call);
    await run(well);
    await fail(3, call);
    expect(states).toEqual(["closed", "open"]);
    const made = vi.fn(well);
    expect(await run(made)).toMatchObject(refusedFor(5_000));
    expect(made).not.toHaveBeenCalled();
  });

  it.each([400, 401, 404, 409, 429])("stays closed when the provider responds with %d", async (status) => {
    const { run, fail, states } = circuit();
    await fail(20, answering(status));
    expect(states).toEqual(["closed"]);
    expect(await run(well)).toBeInstanceOf(Response);
  });

  it("stays closed when responses are too long: the provider responds", async () => {
    const { run, fail, states } = circuit();
    await fail(20, async () => {
      throw new ProviderHttpError("response_too_long", "the response is longer than 1000000 bytes");
    });
    expect(await run(well)).toBeInstanceOf(Response);
    expect(states).toEqual(["closed"]);
  });

  it("is reported as closed after the first response, and once a minute while there are responses", async () => {
    const { run, fail, states } = circuit();
    await fail(2);
    expect(states).toEqual([]);
    await run(well);
    vi.advanceTimersByTime(59_999);
    await run(well);
    expect(states).toEqual(["closed"]);
    vi.advanceTimersByTime(1);
    await run(silent);
    await run(well);
    await run(well);
    expect(states).toEqual(["closed", "closed"]);
  });

  it("stays closed when the caller aborts the call", async () => {
    const { fail, states } = circuit();
    await fail(20, async () => {
      throw new ProviderHttpError("aborted", "the call was aborted", { isAbort: true });
    });
    expect(states).toEqual([]);
  });

  it("lets one call probe the provider, refuses the others meanwhile, and closes when the probe succeeds", async () => {
    const { run, fail, states } = circuit();
    await fail(3);
    vi.advanceTimersByTime(5_000);
    const probe = Promise.withResolvers<Response>();
    const probing = run(() => probe.promise);
    expect(await run(well)).toMatchObject(refusedFor(5_000));
    probe.resolve(new Response("{}"));
    expect(await probing).toBeInstanceOf(Response);
    expect(await run(well)).toBeInstanceOf(Response);
    expect(states).toEqual(["open", "closed"]);
  });

  it("stays open longer after each probe that failed, up to a minute", async () => {
    const { run, fail, states } = circuit();
    await fail(3);
    const waits: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      const refusal = (await run(well)) as { retryAfterMs: number };
      waits.push(refusal.retryAfterMs / 1_000);
      vi.advanceTimersByTime(refusal.retryAfterMs);
      await run(silent);
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
    expect(states).toEqual(Array(7).fill("open"));
  });

  it.each([-600_000, 600_000])("keeps its times when the system clock changes by %i ms", async (ms) => {
    const { run, fail, states } = circuit();
    await fail(3);
    vi.setSystemTime(Date.now() + ms);
    expect(await run(well)).toMatchObject(refusedFor(5_000));
    vi.advanceTimersByTime(5_000);
    expect(await run(well)).toBeInstanceOf(Response);
    expect(states).toEqual(["open", "closed"]);
  });

  it("refuses a call that waited for a place while the circuit opened", async () => {
    const { run } = circuit({ atOnce: 3 });
    const hanging = Promise.withResolvers<Response>();
    const made = vi.fn(well);
    const first = [1, 2, 3].map(() => run(() => hanging.promise));
    const waiting = run(made);
    hanging.reject(new ProviderHttpError("timeout", "no complete response within the time limit"));
    await Promise.all(first);
    expect(await waiting).toMatchObject({ name: "CallRefused" });
    expect(made).not.toHaveBeenCalled();
  });
});

describe("simultaneous calls", () => {
  const calls = (policy: CallPolicy, count: number, isInteractive?: boolean) => {
    const open = Promise.withResolvers<Response>();
    const made = vi.fn(() => open.promise);
    const ended = Array.from({ length: count }, () => policy.run(made, NEVER, isInteractive));
    return { made, end: () => open.resolve(new Response("{}")), ended: Promise.all(ended) };
  };

  it("are limited to five; sixty more wait, and the next is refused", async () => {
    const policy = createCallPolicy({ limits: { perMinute: 0 } });
    const { made, end, ended } = calls(policy, 65);
    const refusal = { name: "CallRefused", failure: "at_capacity", retryAfterMs: 1_000 };
    await expect(policy.run(made, NEVER)).rejects.toMatchObject(refusal);
    await vi.waitFor(() => expect(made).toHaveBeenCalledTimes(5), 30_000);
    end();
    await ended;
    expect(made).toHaveBeenCalledTimes(65);
  });

  it("keep one place for interactive calls, which go first", async () => {
    const policy = createCallPolicy({ limits: { perMinute: 0 } });
    const events = calls(policy, 8, false);
    const first = calls(policy, 1, true);
    const second = calls(policy, 1, true);
    await vi.waitFor(() => expect(first.made).toHaveBeenCalled(), 30_000);
    expect(events.made).toHaveBeenCalledTimes(4);
    expect(second.made).not.toHaveBeenCalled();
    first.end();
    await vi.waitFor(() => expect(second.made).toHaveBeenCalled(), 30_000);
    expect(events.made).toHaveBeenCalledTimes(4);
    for (const { end } of [second, events]) end();
    await Promise.all([first.ended, second.ended, events.ended]);
  });

  it.each([
    [2, 2],
    [4, 1],
    [9, 1],
  ])("are shared by %i processes: %i each", async (processes, each) => {
    const policy = createCallPolicy({
      limits: { perMinute: 0 },
      sharing: { processes: () => processes, since: () => 0 },
    });
    const { made, end, ended } = calls(policy, 5);
    await vi.waitFor(() => expect(made).toHaveBeenCalled(), 30_000);
    await new Promise(setImmediate);
    expect(made).toHaveBeenCalledTimes(each);
    end();
    await ended;
  });

  it("stop waiting for a place when the caller aborts", async () => {
    const policy = createCallPolicy({ limits: { perMinute: 0, atOnce: 1 } });
    const held = calls(policy, 1);
    const abort = new AbortController();
    const waiting = policy.run(well, abort.signal);
    const next = calls(policy, 1);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ failure: "aborted", isAbort: true });
    held.end();
    next.end();
    await next.ended;
  });

  it("stop waiting for their turn when the caller aborts", async () => {
    const policy = createCallPolicy({ limits: { perSecond: 1, perMinute: 60, waitMs: 60_000 } });
    await policy.run(well, NEVER);
    const abort = new AbortController();
    const waiting = policy.run(well, abort.signal);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ failure: "aborted", isAbort: true });
  });
});

describe("a 429 with Retry-After", () => {
  it("pauses every call to the provider for that time, a minute at most", async () => {
    const policy = createCallPolicy();
    await policy.run(answering(429, { "Retry-After": "3600" }), NEVER);
    const refusal = await policy
      .run(well, NEVER)
      .catch((error: unknown) => error as { retryAfterMs: number });
    expect(refusal).toMatchObject({ name: "CallRefused" });
    const { retryAfterMs } = refusal as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it("is reported with each response that has it, and its end with the first response after the pause", async () => {
    const pauses: number[] = [];
    const policy = createCallPolicy({ limits: { perMinute: 0 }, onPause: (ms) => void pauses.push(ms) });
    vi.useFakeTimers({ toFake: ["performance"] });
    for (const call of [well, answering(429), answering(429, { "Retry-After": "0" })])
      await policy.run(call, NEVER);
    for (const seconds of ["3600", "2"]) await policy.run(answering(429, { "Retry-After": seconds }), NEVER);
    vi.advanceTimersByTime(59_999);
    await policy.run(well, NEVER);
    expect(pauses).toEqual([3_600_000, 2_000]);
    vi.advanceTimersByTime(1);
    await policy.run(answering(429), NEVER);
    await policy.run(answering(404), NEVER);
    await policy.run(well, NEVER);
    expect(pauses).toEqual([3_600_000, 2_000, 0]);
    vi.useRealTimers();
  });

  it("to another process ends with a response to this one, too", async () => {
    const pauses: number[] = [];
    const policy = createCallPolicy({ onPause: (ms) => void pauses.push(ms) });
    policy.pause(-1);
    for (const _ of "12") await policy.run(well, NEVER);
    expect(pauses).toEqual([0]);
  });
});

describe("a call apart", () => {
  it("does not affect the circuit", async () => {
    const states: string[] = [];
    const policy = createCallPolicy({
      limits: { failures: 2 },
      onCircuit: (state) => void states.push(state),
    });
    for (const _ of "123") await policy.runApart(answering(500), NEVER);
    await expect(policy.runApart(silent, NEVER)).rejects.toMatchObject({ failure: "timeout" });
    expect(states).toEqual([]);
    expect(await policy.run(well, NEVER)).toBeInstanceOf(Response);
  });

  it("waits for its turn among the others, without their time limit", async () => {
    const starts: number[] = [];
    const limits = { perSecond: 1, waitMs: 0 };
    const policy = createCallPolicy({ limits });
    const made = async () => {
      starts.push(Date.now());
      return new Response("{}");
    };
    await policy.run(made, NEVER);
    await expect(policy.run(made, NEVER)).rejects.toMatchObject({ name: "CallRefused" });
    await policy.runApart(made, NEVER);
    expect(starts).toHaveLength(2);
  });
});

describe("a provider that hangs", () => {
  const start = providerSandboxes();

  it("is soon no longer called, and the client reports that no call was made", async () => {
    const http = createProviderHttp({ allowInsecure: true, timeoutMs: 30 });
    const policy = createCallPolicy({ limits: { failures: 2 } });
    const fetch = (request: Request) => policy.run(() => http.fetch(request), request.signal);
    const { client } = await start({ faults: ["slow"] }, { fetch });
    const unavailable = { kind: "unavailable", reason: expect.any(String) };
    for (const _ of "12")
      expect(await client.listRoles(CALL)).toEqual({ ...unavailable, failure: "timeout" });
    expect(await client.listRoles(CALL)).toEqual({
      ...unavailable,
      failure: "circuit_open",
      retryAfterMs: expect.any(Number),
      notAsked: true,
    });
    await http.close();
  });
});
