import type { Check } from "./checks/check.ts";
import type { Outcome } from "./finding.ts";
import { type Group, groups, isRun } from "./groups.ts";
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
  const lines = linesOf(checks, options);
  const turns = turnsOf(lines.length);
  for (const [index, line] of lines.entries()) {
    if ("check" in line) continue;
    turns[index]?.emit(() => (line.isLeftOut ? recorder.skipGroup(line.group) : recorder.begin(line.group)));
    turns[index]?.end();
  }
  return (check) => {
    const turn = turns[lines.findIndex((line) => "check" in line && line.check === check)];
    return {
      found: (found) => turn?.emit(() => recorder.found(found)),
      answered: (operation, status) => turn?.emit(() => recorder.answered(operation, status)),
      record: (outcome) => turn?.emit(() => recorder.record(outcome, check)),
      end: () => turn?.end(),
    };
  };
}

type Line = { group: Group; isLeftOut: boolean } | { check: Check };

function linesOf(checks: readonly Check[], options: VerifyOptions): Line[] {
  return groups.flatMap((group) => [
    { group, isLeftOut: !isRun(group, options) },
    ...checks.filter((check) => check.group === group).map((check) => ({ check })),
  ]);
}

/** One of several concurrent sources. A source emits once all sources before it have ended. */
export interface Turn {
  emit(what: () => void): void;
  end(): void;
}

export function turnsOf(count: number): readonly Turn[] {
  const held: (() => void)[][] = Array.from({ length: count }, () => []);
  const ended: boolean[] = Array.from({ length: count }, () => false);
  let current = 0;

  function goOn(): void {
    while (current < count) {
      for (const what of held[current]?.splice(0) ?? []) what();
      if (!ended[current]) return;
      current += 1;
    }
  }

  return held.map((queue, index) => ({
    emit: (what) => {
      queue.push(what);
      if (index === current) goOn();
    },
    end: () => {
      ended[index] = true;
      if (index === current) goOn();
    },
  }));
}
