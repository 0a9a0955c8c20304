import { type Profiler, Session } from "node:inspector";
import { onTestFinished } from "vitest";

/** Methods whose native loop no coverage shows; each costs the length of its array. */
const NATIVE = [
  "concat",
  "slice",
  "unshift",
  "shift",
  "splice",
  "includes",
  "indexOf",
  "join",
  "toReversed",
  "values",
] as const;

/**
 * Loads a module and counts the steps of calls into it: how often each of its blocks ran (V8's coverage), and the items
 * that native methods of arrays read. Searches with regular expressions are not counted: linear-patterns.test.ts proves them.
 */
export async function loadCounted(code: string) {
  const session = new Session();
  session.connect();
  const post = <Result>(method: string, params: object = {}): Result => {
    let result: unknown;
    session.post(method, params, (error, value) => {
      if (error) throw error;
      result = value;
    });
    return result as Result;
  };
  post("Profiler.enable");
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  // It slows the whole process, whose next test file may be another one.
  onTestFinished(() => {
    post("Profiler.stopPreciseCoverage");
    session.disconnect();
  });
  const url = `data:text/javascript;base64,${Buffer.from(`// ${Math.random()}\n${code}`).toString("base64")}`;
  const loaded: Record<string, unknown> = await import(/* @vite-ignore */ url);
  const blocks = () => {
    const { result } = post<Profiler.TakePreciseCoverageReturnType>("Profiler.takePreciseCoverage");
    const script = result.find((each) => each.url === url);
    const ranges = script?.functions.flatMap((each) => each.ranges) ?? [];
    return ranges.reduce((sum, { count }) => sum + count, 0);
  };
  // Taking the coverage starts it again, and costs as much as the process has code.
  blocks();
  const stepsOf = (call: () => unknown): number => nativeSteps(call) + blocks();
  return { loaded, stepsOf };
}

function nativeSteps(call: () => unknown): number {
  let steps = 0;
  const prototype = Array.prototype as unknown as Record<PropertyKey, (...values: unknown[]) => unknown>;
  const names: PropertyKey[] = [...NATIVE, Symbol.iterator];
  const originals = names.map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: unknown[], ...values: unknown[]) {
      steps += this.length;
      return original?.apply(this, values);
    };
  }
  try {
    call();
  } finally {
    for (const [name, original] of originals) if (original) prototype[name] = original;
  }
  return steps;
}

/** What may be added whatever the size is: a bound that is reached between two sizes. */
const SLACK = 2_000;

/** Returns whether doubling the size twice adds twice as many steps the second time as the first. */
export function isLinearIn(stepsOf: (size: number) => number, size = 400): boolean {
  const [one, two, four] = [size, 2 * size, 4 * size].map(stepsOf) as [number, number, number];
  return four - two <= 2.6 * Math.max(0, two - one) + SLACK;
}
