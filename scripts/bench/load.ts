import autocannon from "autocannon";
import type { Child } from "./child.ts";
import { cpuOf, ownCpu } from "./machine.ts";

/** One kind of request. */
export interface Target {
  path: string;
  method: "GET" | "POST" | "PUT";
  headers: Readonly<Record<string, string>>;
  /** Called for each request. */
  body?: () => string;
}

export interface Load {
  connections: number;
  seconds: number;
  /** Returns the processes that work for the server. */
  helpers?: () => readonly number[];
}

/** Latencies in milliseconds; CPU in microseconds a request: of the server's own process, of those that help it, of the load. */
export interface Loaded {
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  cpu: number;
  helpersCpu: number;
  loadCpu: number;
}

/** Sends as many requests as the server accepts. @throws Error on a status other than 2xx, which would falsify the figures */
export async function saturate(
  child: Child,
  target: Target,
  { connections, seconds, helpers = () => [] }: Load,
): Promise<Loaded> {
  const used = async () => [await child.cpu(), cpuOf(helpers()), ownCpu()] as const;
  const before = await used();
  const result = await autocannon({
    url: child.url,
    connections,
    duration: seconds,
    // The interval of the check for the end. Milliseconds.
    sampleInt: 50,
    requests: [requestOf(target)],
  });
  const after = await used();
  const answered = result["2xx"];
  if (answered === 0 || result.non2xx + result.errors > 0) {
    const { non2xx, errors } = result;
    throw new Error(
      `${target.method} ${target.path}: ${answered} responses 2xx, ${non2xx} others, ${errors} errors`,
    );
  }
  const { p50, p99, max } = result.latency;
  const each = (index: 0 | 1 | 2) => (after[index] - before[index]) / answered;
  const cpu = { cpu: each(0), helpersCpu: each(1), loadCpu: each(2) };
  return { perSecond: answered / result.duration, p50, p99, max, ...cpu };
}

function requestOf({ path, method, headers, body }: Target): autocannon.Request {
  const request: autocannon.Request = { path, method, headers: { ...headers } };
  if (body === undefined) return request;
  return { ...request, setupRequest: (each) => ({ ...each, body: body() }) };
}

/** Sends one request at a time to an idle server. Returns the duration of each. Milliseconds. */
export async function oneByOne(child: Child, target: Target, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const init = {
      method: target.method,
      headers: target.headers,
      ...(target.body && { body: target.body() }),
    };
    const begun = performance.now();
    const response = await fetch(child.url + target.path, init);
    await response.arrayBuffer();
    times.push(performance.now() - begun);
    if (!response.ok) throw new Error(`${target.method} ${target.path}: status ${response.status}`);
  }
  return times;
}
