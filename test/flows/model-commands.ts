import fc from "fast-check";
import { expect } from "vitest";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import type { Model, Refusal, Values, Webhook } from "./model.ts";
import * as rules from "./model.ts";
import { type Real, TROUBLE } from "./model-real.ts";

type Command = fc.AsyncCommand<Model, Real>;

interface Doing {
  name: string;
  check?: (model: Model) => boolean;
  /** Applies the command to both. */
  both: (model: Model, real: Real) => Promise<void>;
}

/** Waits after every command until the platform is idle, and compares both sides with the model. */
function command({ name, check = () => true, both }: Doing): Command {
  return {
    toString: () => name,
    check,
    run: async (model, real) => {
      await both(model, real);
      await real.compare(model);
    },
  };
}

const SHIFTS = 3;
const PEOPLE = 4;
const shift = fc.nat({ max: SHIFTS - 1 });
const person = fc.nat({ max: PEOPLE - 1 });
const place = fc.nat({ max: 20 });
const values: fc.Arbitrary<Partial<Values>> = fc.oneof(
  fc.record({ positions: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ start: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ end: fc.integer({ min: 6, max: 8 }) }),
);

/** A request to the platform about a job. During a fault the shift may be read in between, so its state must be known. */
function asking(index: number, { name, both }: Omit<Doing, "check">): Command {
  return command({
    name,
    check: (model) => rules.at(model, index).job !== undefined,
    both: (model, real) => {
      if (!rules.isCurrent(rules.at(model, index))) real.clearTrouble();
      return both(model, real);
    },
  });
}

/** Returns one element of the list, for any number. */
const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error("the list is empty");
  return found;
};

const accept = fc.tuple(shift, person).map(([index, who]) =>
  asking(index, {
    name: `accept(shift ${index}, person ${who})`,
    both: async (model, real) =>
      expect(await real.accept(index, who)).toEqual(rules.accept(model, index, who)),
  }),
);

const withdraw = fc.tuple(shift, person).map(([index, who]) =>
  asking(index, {
    name: `withdraw(shift ${index}, person ${who})`,
    both: async (model, real) =>
      expect(await real.withdraw(index, who)).toEqual(rules.withdraw(model, index, who)),
  }),
);

const cancel = shift.map((index) =>
  asking(index, {
    name: `cancel(shift ${index})`,
    both: async (model, real) => {
      const { echoed, ...answer } = rules.cancel(model, index);
      expect(await real.cancel(index)).toEqual(answer);
      if (echoed) model.waiting.push(real.webhook("shift.delete", index));
    },
  }),
);

const change = fc.tuple(shift, values).map(([index, named]) =>
  asking(index, {
    name: `change(shift ${index}, ${JSON.stringify(named)})`,
    both: async (model, real) => {
      if (rules.isAlready(model, index, named)) real.clearTrouble();
      const { echoed, ...answer } = rules.change(model, index, named);
      expect(await real.change(index, named)).toEqual(answer);
      if (echoed) model.waiting.push(real.webhook("shift.update", index));
    },
  }),
);

const providerUpdates = fc.tuple(shift, values).map(([index, named]) =>
  command({
    name: `the provider updates(shift ${index}, ${JSON.stringify(named)})`,
    check: (model) => !rules.at(model, index).shift.isDeleted,
    both: async (model, real) => {
      Object.assign(rules.at(model, index).shift, named);
      real.providerUpdates(index, named);
      model.waiting.push(real.webhook("shift.update", index));
    },
  }),
);

const providerDeletes = shift.map((index) =>
  command({
    name: `the provider deletes(shift ${index})`,
    check: (model) => !rules.at(model, index).shift.isDeleted,
    both: async (model, real) => {
      rules.at(model, index).shift.isDeleted = true;
      real.providerDeletes(index);
      model.waiting.push(real.webhook("shift.delete", index));
    },
  }),
);

const providerAssigns = shift.map((index) =>
  command({
    name: `the provider assigns or unassigns its own people(shift ${index})`,
    check: (model) => !rules.at(model, index).shift.isDeleted,
    both: async (model, real) => {
      const { assigned } = rules.at(model, index).shift;
      const isOn = !assigned.delete(rules.OWN);
      if (isOn) assigned.add(rules.OWN);
      real.providerAssigns(index, isOn);
      model.waiting.push(real.webhook("shift.update", index));
    },
  }),
);

/** Delivers any waiting event: an update may arrive before its create, and a delete before either. */
const deliver = place.map((at) =>
  command({
    name: `deliver(${at})`,
    check: ({ waiting }) => waiting.length > 0,
    both: async (model, real) => {
      const webhook = pick(model.waiting, at);
      model.waiting = model.waiting.filter((each) => each !== webhook);
      rules.deliver(model, webhook);
      await real.send(webhook);
    },
  }),
);

const deliverAll = fc.constant(
  command({
    name: "deliver all at the same time",
    check: ({ waiting }) => waiting.length > 1,
    both: async (model, real) => {
      const webhooks = model.waiting.splice(0).reverse();
      for (const webhook of webhooks) rules.deliver(model, webhook);
      await Promise.all(webhooks.map(real.send));
      await real.idle();
      // A shift may have been read before another one released its people.
      for (const index of model.pairs.keys()) {
        const webhook = real.webhook("shift.update", index);
        rules.deliver(model, webhook);
        await real.send(webhook);
        await real.idle();
      }
    },
  }),
);

const lie = shift.map((index) =>
  command({
    name: `a spoofed delete(shift ${index})`,
    both: async (model, real) => {
      const webhook: Webhook = real.webhook("shift.delete", index);
      rules.deliver(model, webhook);
      await real.send(webhook);
    },
  }),
);

const repeat = place.map((at) =>
  command({
    name: `deliver again(${at})`,
    check: ({ delivered }) => delivered.length > 0,
    both: (model, real) => real.send(pick(model.delivered, at)),
  }),
);

const replay = place.map((at) =>
  command({
    name: `replay(${at})`,
    check: ({ delivered }) => delivered.length > 0,
    both: async (model, real) => {
      const webhook = pick(model.delivered, at);
      rules.replay(model, webhook);
      await real.replay(webhook);
    },
  }),
);

const refuse = fc.constantFrom<Refusal[]>("assign-conflict", "cancel-refused", "update-refused").map((name) =>
  command({
    name: `the provider refuses next(${name})`,
    both: async ({ refusing }, real) => {
      refusing.add(name);
      real.fault(name, 1);
    },
  }),
);

const trouble = fc
  .tuple(fc.constantFrom<FaultName[]>(...TROUBLE), fc.integer({ min: 1, max: 3 }))
  .map(([name, times]) =>
    command({
      name: `fault at the provider(${name}, ${times} times)`,
      both: async (_model, real) => real.fault(name, times),
    }),
  );

/** Frequent commands are listed more often. Without bias, which would make most runs short. */
export const commands = (maxCommands: number) =>
  fc.noBias(
    fc.commands(
      [
        ...[accept, accept, accept, accept, deliver, deliver, deliver, deliverAll, withdraw, cancel],
        ...[
          change,
          change,
          providerUpdates,
          providerUpdates,
          providerUpdates,
          providerDeletes,
          providerAssigns,
        ],
        ...[lie, repeat, replay, replay, refuse, trouble],
      ],
      { maxCommands, size: "max" },
    ),
  );
