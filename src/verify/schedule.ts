import type { Check, Fact, Holds, Resource } from "./checks/check.ts";

/** A task that runs once the facts that it needs are known. */
export type Step = Pick<Check, "needs" | "gives"> & {
  /** Called once all needed facts are known. */
  holds: () => Holds;
  /** @param urgency length of the longest chain of steps that wait for it */
  run: (urgency: number) => Promise<void>;
};

/**
 * Runs each step once the steps that give its facts are over, and no other step holds its resources. A fact that no step gives
 * delays no step.
 * @throws the first error of a step, after the running steps have ended; no further step is started
 */
export async function runInOrder(steps: readonly Step[]): Promise<void> {
  const waiting = byUrgency(steps);
  const open = new Set(steps);
  const running = new Map<Step, { holds: Holds; end: Promise<void> }>();
  const failures: unknown[] = [];

  const isKnown = (fact: Fact) => ![...open].some(({ gives }) => gives?.includes(fact));
  const isFree = (wanted: Holds) => [...running.values()].every(({ holds }) => goTogether(wanted, holds));

  function begin(): void {
    for (const each of [...waiting]) {
      const { step, urgency } = each;
      if (!step.needs.every((fact) => isKnown(fact) || step.gives?.includes(fact))) continue;
      const holds = step.holds();
      if (!isFree(holds)) continue;
      waiting.splice(waiting.indexOf(each), 1);
      const end = step
        .run(urgency)
        .catch((error) => void failures.push(error))
        .finally(() => {
          running.delete(step);
          open.delete(step);
        });
      running.set(step, { holds, end });
    }
  }

  for (begin(); running.size > 0; failures.length === 0 && begin()) {
    await Promise.race([...running.values()].map(({ end }) => end));
  }
  if (failures.length > 0) throw failures[0];
  const needs = waiting.map(({ step }) => step.needs.join(" and ")).join("; ");
  if (waiting.length > 0) throw new Error(`checks that wait for each other: ${needs}`);
}

function goTogether(one: Holds, other: Holds): boolean {
  return (Object.keys(one) as Resource[]).every(
    (thing) => other[thing] === undefined || (one[thing] === other[thing] && one[thing] !== "changes"),
  );
}

/** Orders steps by urgency; equally urgent steps keep their order. */
function byUrgency(steps: readonly Step[]): { step: Step; urgency: number }[] {
  const urgencies = new Map<Step, number>();
  const urgencyOf = (step: Step): number => {
    const known = urgencies.get(step);
    if (known !== undefined) return known;
    urgencies.set(step, 0);
    const after = steps.filter((each) => each !== step && waitsFor(each, step));
    const urgency = Math.max(0, ...after.map((each) => 1 + urgencyOf(each)));
    urgencies.set(step, urgency);
    return urgency;
  };
  return steps
    .map((step) => ({ step, urgency: urgencyOf(step) }))
    .sort((one, other) => other.urgency - one.urgency);
}

const waitsFor = (step: Step, { gives = [] }: Step) => step.needs.some((fact) => gives.includes(fact));
