import { describe, expect, it } from "vitest";
import { turnsOf } from "../../src/verify/check-steps.ts";
import { checks } from "../../src/verify/checks/all-checks.ts";
import { runInOrder, type Step } from "../../src/verify/schedule.ts";

type Plan = Partial<Pick<Step, "needs" | "gives">> & { holds?: ReturnType<Step["holds"]>; fails?: true };

/** Returns steps that take one turn of the event loop each. `log` lists their start and end. */
function stepsOf(plans: Readonly<Record<string, Plan>>) {
  const log: string[] = [];
  const urgencies: Record<string, number> = {};
  const steps: Step[] = Object.entries(plans).map(
    ([name, { needs = [], gives = [], holds = {}, fails }]) => ({
      needs,
      gives,
      holds: () => holds,
      run: async (urgency) => {
        urgencies[name] = urgency;
        log.push(`${name} begins`);
        await new Promise(setImmediate);
        if (fails) throw new Error(name);
        log.push(`${name} ends`);
      },
    }),
  );
  return { steps, log, urgencies };
}

describe("steps", () => {
  it("start when their needed facts are known, and are more urgent than the steps that wait for them", async () => {
    const { steps, log, urgencies } = stepsOf({
      last: { needs: ["assign", "person"] },
      assign: { needs: ["shift"], gives: ["assign"] },
      shift: { gives: ["shift"] },
      person: { gives: ["person"] },
    });
    await runInOrder(steps);
    expect(log.indexOf("assign begins")).toBeGreaterThan(log.indexOf("shift ends"));
    expect(log.indexOf("last begins")).toBeGreaterThan(log.indexOf("assign ends"));
    expect(log.indexOf("person begins")).toBeLessThan(log.indexOf("shift ends"));
    expect(urgencies).toEqual({ last: 0, assign: 1, shift: 2, person: 1 });
  });

  it("do not wait for facts that no step gives", async () => {
    const { steps, log } = stepsOf({ alone: { needs: ["registry"] } });
    await runInOrder(steps);
    expect(log).toEqual(["alone begins", "alone ends"]);
  });

  it("change a resource exclusively, and read it together", async () => {
    const { steps, log } = stepsOf({
      one: { holds: { shift: "changes" } },
      two: { holds: { shift: "changes" } },
      three: { holds: { people: "reads" } },
      four: { holds: { people: "reads" } },
      five: { holds: { people: "adds" } },
    });
    await runInOrder(steps);
    expect(log.indexOf("two begins")).toBeGreaterThan(log.indexOf("one ends"));
    expect(log.indexOf("four begins")).toBeLessThan(log.indexOf("three ends"));
    expect(log.indexOf("five begins")).toBeGreaterThan(log.indexOf("four ends"));
  });

  it("stop after the first failure, once the running steps have ended", async () => {
    const { steps, log } = stepsOf({
      fails: { gives: ["shift"], fails: true },
      beside: {},
      after: { needs: ["shift"] },
    });
    await expect(runInOrder(steps)).rejects.toThrow("fails");
    expect(log).toEqual(["fails begins", "beside begins", "beside ends"]);
  });

  it("that wait for each other cause an error", async () => {
    const { steps } = stepsOf({
      one: { needs: ["assign"], gives: ["shift"] },
      two: { needs: ["shift"], gives: ["assign"] },
    });
    await expect(runInOrder(steps)).rejects.toThrow("wait for each other");
  });
});

describe("every check", () => {
  it("needs only facts that another check gives", () => {
    const given = new Set(checks.flatMap(({ gives = [] }) => gives));
    const needed = new Set(checks.flatMap(({ needs }) => needs));
    expect([...needed].filter((fact) => !given.has(fact))).toEqual([]);
    expect([...given].filter((fact) => fact !== "routing" && !needed.has(fact))).toEqual([]);
  });
});

describe("turns", () => {
  it("emit the first source immediately, and the others in order", () => {
    const observed: string[] = [];
    const [one, two, three] = turnsOf(3);
    three?.emit(() => observed.push("three"));
    three?.end();
    one?.emit(() => observed.push("one"));
    two?.emit(() => observed.push("two"));
    expect(observed).toEqual(["one"]);
    one?.end();
    expect(observed).toEqual(["one", "two"]);
    two?.end();
    expect(observed).toEqual(["one", "two", "three"]);
  });
});
