import { Bench } from "tinybench";
import { alternate } from "./rounds.ts";

/** Returns the duration of one call, as the median of each round. The contenders take turns. Microseconds. */
export function timeFunctions<Name extends string>(
  contenders: Readonly<Record<Name, () => unknown>>,
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[];
  const turns = Object.fromEntries(names.map((name) => [name, () => timeOne(contenders[name], ms)]));
  return alternate(turns as Record<Name, () => Promise<number>>, rounds);
}

async function timeOne(call: () => unknown, ms: number): Promise<number> {
  const bench = new Bench({ time: ms, warmupTime: ms / 4 });
  bench.add("call", call);
  const [task] = await bench.run();
  const result = task?.result;
  if (result === undefined || !("latency" in result))
    throw new Error("a measured function failed", { cause: result });
  return result.latency.p50 * 1_000;
}
