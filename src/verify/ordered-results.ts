import type { Check } from "./checks/check.ts";
import type { Outcome } from "./finding.ts";
import { type Group, groups, isRun } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";
import type { Ledger } from "./recorder.ts";
import type { Ear } from "./run.ts";

/** What one check has to say, written into the ledger when it is its turn. */
export interface Report extends Ear {
  take(outcome: Outcome): void;
  end(): void;
}

/** Checks run at the same time, and are told of in their order: two runs of the same provider read the same. */
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

/** One of several who tell things at the same time that must be heard in order: the first one at once, the others once all before them have ended. */
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
