import { withdraw } from "./commands.ts";
import type { Entry, ProviderShift } from "./provider.ts";
import type { Edit, Step } from "./schedules.ts";
import type { SimulatedSystem } from "./system.ts";

type Doing<Do extends Step["do"]> = Extract<Step, { do: Do }>;

/** Returns how long a step goes on, in milliseconds. */
export function durationOf(step: Step): number {
  if (step.do === "burst") return step.edits.reduce((sum, { afterMs }) => sum + afterMs, 0);
  if (step.do === "announce") return step.count * step.eachMs;
  return step.do === "put_back" ? step.afterMs : 0;
}

/** The shift, if it can still be edited. */
export function editable({ records, now }: SimulatedSystem, id: string): ProviderShift | undefined {
  const shift = records.current(id);
  return shift && !shift.isCancelled && shift.start > now ? shift : undefined;
}

export function update(system: SimulatedSystem, shift: ProviderShift, patch: Partial<ProviderShift>) {
  system.records.write(shift.id, { ...shift, ...patch }, system.now);
  system.webhooks.send("shift.update", shift.id);
}

/** Edits the shift several times, each some time after the one before. */
export function burst(system: SimulatedSystem, { shift, edits }: Doing<"burst">) {
  let at = system.now;
  for (const { afterMs, edit } of edits) {
    at += afterMs;
    system.timeline.add(at, () => editOnce(system, `s${shift}`, edit));
  }
}

function editOnce(system: SimulatedSystem, id: string, edit: Edit) {
  const shift = editable(system, id);
  if (!shift) return;
  const patch = patchOf(system, shift, edit);
  if ((patch.start ?? shift.start) <= system.now) return;
  system.log(() => `provider  edits ${id}: ${Object.values(edit).join(" ")}`);
  update(system, shift, patch);
}

function patchOf({ records }: SimulatedSystem, shift: ProviderShift, edit: Edit): Partial<ProviderShift> {
  switch (edit.to) {
    case "move":
      return { start: shift.start + edit.byMs, end: shift.end + edit.byMs };
    case "resize":
      return { positions: edit.positions };
    case "place":
      return { outletId: `o${edit.outlet}`, roleId: `r${edit.role}` };
    case "back": {
      const before = records.bodiesOf(shift.id).at(-1 - edit.edits);
      if (!before) return {};
      const { start, end, positions, outletId, roleId } = before;
      return { start, end, positions, outletId, roleId };
    }
  }
}

/** Sends notices of a shift that stays as it is. */
export function announce(system: SimulatedSystem, { shift, count, eachMs }: Doing<"announce">) {
  const id = `s${shift}`;
  const send = () => {
    if (system.records.current(id)) system.webhooks.send("shift.update", id);
  };
  for (let index = 0; index < count; index += 1) system.timeline.add(system.now + index * eachMs, send);
}

/** Moves a candidate from one shift to another, as a drag in the manager's schedule does. */
export function swap(system: SimulatedSystem, { shift, to, candidate }: Doing<"swap">) {
  const [from, other] = [editable(system, `s${shift}`), editable(system, `s${to}`)];
  const person = system.records.people.find(({ candidateId }) => candidateId === `c${candidate}`);
  if (!from || !other || !person || shift === to) return;
  const others = ({ entries }: ProviderShift) => entries.filter(({ personId }) => personId !== person.id);
  if (others(from).length === from.entries.length) return;
  const entry: Entry = { personId: person.id, by: "provider" };
  update(system, from, { entries: others(from) });
  update(system, other, { entries: [...others(other), entry] });
}

/** A candidate withdraws; later, the manager puts them back on the shift. */
export function putBack(system: SimulatedSystem, { shift, candidate, afterMs }: Doing<"put_back">) {
  const rejected = withdraw(system.store, `s${shift}`, `c${candidate}`, system.now);
  if (rejected !== undefined) return;
  system.timeline.add(system.now + afterMs, () => {
    const now = editable(system, `s${shift}`);
    const person = system.records.people.find(({ candidateId }) => candidateId === `c${candidate}`);
    if (!now || !person || now.entries.some(({ personId }) => personId === person.id)) return;
    system.log(() => `provider  puts c${candidate} back on s${shift}`);
    update(system, now, { entries: [...now.entries, { personId: person.id, by: "provider" }] });
  });
}

/** Replaces a shift by one with another id, the same people and the same times. */
export function recreate(system: SimulatedSystem, { shift }: Doing<"recreate">) {
  const { records, webhooks, now } = system;
  const before = editable(system, `s${shift}`);
  if (!before) return;
  const id = `${before.id}r${records.versionsOf(before.id).length}`;
  const entries = before.entries.map(({ personId }): Entry => ({ personId, by: "provider" }));
  records.write(before.id, undefined, now);
  webhooks.send("shift.delete", before.id);
  records.write(id, { ...before, id, entries }, now);
  webhooks.send("shift.create", id);
}

/** Gives a person another id, on all shifts. */
export function merge(system: SimulatedSystem, { candidate }: Doing<"merge">) {
  const { records, now } = system;
  const person = records.people.find(({ candidateId }) => candidateId === `c${candidate}`);
  // Under the new id, the provider may find another candidate first: whose it is then shows nowhere.
  if (!person || records.dialect.sharesIds) return;
  const before = person.id;
  records.rename(person);
  const withNewId = (shift: ProviderShift): ProviderShift => ({
    ...shift,
    entries: shift.entries.map((entry) =>
      entry.personId === before ? { ...entry, personId: person.id } : entry,
    ),
  });
  for (const [id, shift] of records.lost) records.lost.set(id, withNewId(shift));
  for (const id of records.shiftIds) {
    const shift = records.current(id);
    if (!shift?.entries.some(({ personId }) => personId === before)) continue;
    records.write(id, withNewId(shift), now);
    system.webhooks.send("shift.update", id);
  }
}
