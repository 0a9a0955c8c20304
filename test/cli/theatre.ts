import { type Operations, operationsOf, type Stage } from "../../src/cli/story/stage.ts";
import { createTeller } from "../../src/cli/story/teller.ts";
import type { Platform } from "../../src/platform/main.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";

/** A stage whose story is written down; what is told and what is done on it can be spoilt. */
export interface Theatre {
  stage: Stage;
  lines: string[];
  /** Calls `act` right after the step of this name went right. */
  after(step: string, act: () => void): void;
}

export function createTheatre(platform: Platform, provider: Sandbox): Theatre {
  const lines: string[] = [];
  const cues = new Map<string, () => void>();
  const teller = createTeller((line) => lines.push(line), false);
  const stage: Stage = {
    provider,
    operations: operationsOf(platform.url, platform.operationsToken),
    platformUrl: platform.url,
    teller: {
      ...teller,
      done: (step, ...of) => {
        teller.done(step, ...of);
        cues.get(step)?.();
      },
    },
    patienceMs: 20_000,
  };
  return { stage, lines, after: (step, act) => cues.set(step, act) };
}

/** The same operations, but one of them answers 500. */
export function without(operations: Operations, broken: keyof Operations): Operations {
  const answer = { error: { code: "internal_error" }, response: new Response(null, { status: 500 }) };
  return { ...operations, [broken]: () => Promise.resolve(answer) };
}
