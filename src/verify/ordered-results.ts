import type { Check } from "./checks/check.ts";
import type { Outcome } from "./finding.ts";
import { type Group, groups, isRun } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import type { Ledger } from "./recorder.ts";
import type { Ear } from "./run.ts";

/** The output of one check, recorded when it is its turn. */
export interface Report extends Ear {
  take(outcome: Outcome): void;
  end(): void;
}

/** Checks run concurrently, but report in order, so that two runs of a provider produce the same output. */
export function reportsOf(
  checks: readonly Check[],
  options: VerifyOptions,
  ledger: Ledger,
): (check: Check) => Report {
  const lines = linesOf(checks, options);
  const turns = turnsOf(lines.length);
  for (const [index, line] of lines.entries()) {
    if ("check" in line) continue;
    turns[index]?.tell(() => (line.isLeftOut ? ledger.leftOut(line.group) : ledger.begin(line.group)));
    turns[index]?.end();
  }
  return (check) => {
    const turn = turns[lines.findIndex((line) => "check" in line && line.check === check)];
    return {
      found: (found) => turn?.tell(() => ledger.found(found)),
      answered: (operation, status) => turn?.tell(() => ledger.answered(operation, status)),
      take: (outcome) => turn?.tell(() => ledger.take(outcome, check)),
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

/** One of several concurrent sources: the first is passed on at once, each other one when all before it have ended. */
export interface Turn {
  tell(what: () => void): void;
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

  return held.map((mine, index) => ({
    tell: (what) => {
      mine.push(what);
      if (index === current) goOn();
    },
    end: () => {
      ended[index] = true;
      if (index === current) goOn();
    },
  }));
}
