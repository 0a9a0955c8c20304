import { describe, expect, it } from "vitest";
import { checks } from "../../src/verify/checks/all-checks.ts";
import { turnsOf } from "../../src/verify/ordered-results.ts";
import { runInOrder, type Step } from "../../src/verify/schedule.ts";

type Plan = Partial<Pick<Step, "needs" | "gives">> & { holds?: ReturnType<Step["holds"]>; fails?: true };

/** Steps that take a turn of the event loop each; `log` says when each began and ended. */
function stepsOf(plans: Readonly<Record<string, Plan>>) {
  const log: string[] = [];
  const urgencies: Record<string, number> = {};
  const steps: Step[] = Object.entries(plans).map(
    ([name, { needs = [], gives = [], holds = {}, fails }]) => ({
      ...{ needs, gives, holds: () => holds },
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
  it("begin when what they need is known, and are as urgent as those that wait for them", async () => {
    const { steps, log, urgencies } = stepsOf({
      last: { needs: ["seat", "person"] },
      seat: { needs: ["shift"], gives: ["seat"] },
      shift: { gives: ["shift"] },
      person: { gives: ["person"] },
    });
    await runInOrder(steps);
    expect(log.indexOf("seat begins")).toBeGreaterThan(log.indexOf("shift ends"));
    expect(log.indexOf("last begins")).toBeGreaterThan(log.indexOf("seat ends"));
    expect(log.indexOf("person begins")).toBeLessThan(log.indexOf("shift ends"));
    expect(urgencies).toEqual({ last: 0, seat: 1, shift: 2, person: 1 });
  });

  it("are not held up by what nobody gives", async () => {
    const { steps, log } = stepsOf({ alone: { needs: ["registry"] } });
    await runInOrder(steps);
    expect(log).toEqual(["alone begins", "alone ends"]);
  });

  it("do not change a thing that another one holds, and read it together", async () => {
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

  it("end with the first that fails, once those under way are over", async () => {
    const { steps, log } = stepsOf({
      fails: { gives: ["shift"], fails: true },
      beside: {},
      after: { needs: ["shift"] },
    });
    await expect(runInOrder(steps)).rejects.toThrow("fails");
    expect(log).toEqual(["fails begins", "beside begins", "beside ends"]);
  });

  it("that wait for each other are a mistake", async () => {
    const { steps } = stepsOf({
      one: { needs: ["seat"], gives: ["shift"] },
      two: { needs: ["shift"], gives: ["seat"] },
    });
    await expect(runInOrder(steps)).rejects.toThrow("wait for each other");
  });
});

describe("every check", () => {
  it("needs only what another one gives", () => {
    const given = new Set(checks.flatMap(({ gives = [] }) => gives));
    const needed = new Set(checks.flatMap(({ needs }) => needs));
    expect([...needed].filter((fact) => !given.has(fact))).toEqual([]);
    expect([...given].filter((fact) => fact !== "routing" && !needed.has(fact))).toEqual([]);
  });
});

describe("turns", () => {
  it("let the first be heard at once, and the others in order", () => {
    const heard: string[] = [];
    const [one, two, three] = turnsOf(3);
    three?.tell(() => heard.push("three"));
    three?.end();
    one?.tell(() => heard.push("one"));
    two?.tell(() => heard.push("two"));
    expect(heard).toEqual(["one"]);
    one?.end();
    expect(heard).toEqual(["one", "two"]);
    two?.end();
    expect(heard).toEqual(["one", "two", "three"]);
  });
});
