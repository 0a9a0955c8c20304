import { createPrinter, type DemoContext, type Operations, operationsOf } from "../../src/cli/demo/step.ts";
import type { Platform } from "../../src/platform/main.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

/** A demo whose output is recorded, and that a test can disturb. */
export interface RecordedDemo {
  demo: DemoContext;
  lines: string[];
  /** Calls `act` right after the step of this name succeeded. */
  after(step: string, act: () => void): void;
}

export function recordDemo(platform: Platform, provider: Sandbox): RecordedDemo {
  const lines: string[] = [];
  const actions = new Map<string, () => void>();
  const printer = createPrinter((line) => lines.push(line), false);
  const demo: DemoContext = {
    provider,
    operations: operationsOf(platform.url, platform.operationsToken),
    platformUrl: platform.url,
    printer: {
      ...printer,
      done: (step, ...of) => {
        printer.done(step, ...of);
        actions.get(step)?.();
      },
    },
    timeoutMs: 20_000,
  };
  return { demo, lines, after: (step, act) => actions.set(step, act) };
}

/** Returns the same operations, but one of them answers 500. */
export function without(operations: Operations, broken: keyof Operations): Operations {
  const answer = { error: { code: "internal_error" }, response: new Response(null, { status: 500 }) };
  return { ...operations, [broken]: () => Promise.resolve(answer) };
}
