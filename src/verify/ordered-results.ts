import type { Check } from "./checks/check.ts";
import type { Outcome } from "./finding.ts";
import { groups, isRun } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import type { Recorder } from "./recorder.ts";
import type { Observer } from "./run.ts";

/** The output of one check, passed to the recorder in order. */
export interface Report extends Observer {
  record(outcome: Outcome): void;
  end(): void;
}

/** Returns a report for each check. Checks run concurrently but report in order: two runs produce the same output. */
export function reportsOf(
  checks: readonly Check[],
  options: VerifyOptions,
  recorder: Recorder,
): (check: Check) => Report {
  const entries = groups.flatMap((group) => [group, ...checks.filter((check) => check.group === group)]);
  const turns = turnsOf(entries.length);
  for (const [index, entry] of entries.entries()) {
    if (typeof entry !== "string") continue;
    turns[index]?.emit(() => (isRun(entry, options) ? recorder.begin(entry) : recorder.skipGroup(entry)));
    turns[index]?.end();
  }
  return (check) => {
    const turn = turns[entries.indexOf(check)];
    return {
      found: (found) => turn?.emit(() => recorder.found(found)),
      answered: (operation, status) => turn?.emit(() => recorder.answered(operation, status)),
      record: (outcome) => turn?.emit(() => recorder.record(outcome, check)),
      end: () => turn?.end(),
    };
  };
}

/** One of several concurrent sources. A source emits once all sources before it have ended. */
export interface Turn {
  emit(output: () => void): void;
  end(): void;
}

export function turnsOf(count: number): readonly Turn[] {
  const held: (() => void)[][] = Array.from({ length: count }, () => []);
  const ended: boolean[] = Array.from({ length: count }, () => false);
  let current = 0;

  function emitReady(): void {
    while (current < count) {
      for (const output of held[current]?.splice(0) ?? []) output();
      if (!ended[current]) return;
      current += 1;
    }
  }

  return held.map((queue, index) => ({
    emit: (output) => {
      queue.push(output);
      if (index === current) emitReady();
    },
    end: () => {
      ended[index] = true;
      if (index === current) emitReady();
    },
  }));
}
