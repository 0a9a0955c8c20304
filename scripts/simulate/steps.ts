import {
  accept,
  activate,
  cancel,
  change,
  mapOutlets,
  type Rejected,
  replay,
  suspend,
  withdraw,
} from "./commands.ts";
import { resume } from "./integration.ts";
import type { Entry, ProviderShift } from "./provider.ts";
import type { Step } from "./schedule.ts";
import type { SimulatedSystem } from "./system.ts";

type Of<Do extends string> = Step extends infer Each
  ? Each extends { do: infer Name }
    ? Name extends Do
      ? Each
      : Do extends Name
        ? Each
        : never
    : never
  : never;

/** Performs one step of a schedule. A step that is impossible at that moment does nothing. */
export function performStep(system: SimulatedSystem, step: Step) {
  switch (step.do) {
    case "faults":
      system.log(() => `network   next ${step.operation}: ${step.faults.map(({ kind }) => kind).join(", ")}`);
      return system.network.queueFaults(step.operation, step.faults);
    case "window":
      system.log(() => `network   ${windowText(step)}`);
      return system.network.open(step, step.forMs);
    case "webhooks":
      return system.webhooks.queueFaults(step.faults);
    case "crash":
      system.log(
        () => `platform  will end after ${step.afterCommits} more commits, the next call ${step.call}`,
      );
      return system.worker.crashLater({ ...step });
    case "accept":
    case "withdraw":
    case "cancel":
    case "change":
    case "replay":
    case "map":
    case "suspend":
    case "activate":
    case "rotate":
      return command(system, step);
    default:
      return atProvider(system, step);
  }
}

function windowText(window: Of<"window">): string {
  const what =
    window.kind === "gateway"
      ? `a gateway responds with 404 to ${window.operation}`
      : window.kind === "token"
        ? `the token is rejected (${window.status})`
        : window.kind === "lag"
          ? `${window.replicas === 1 ? "the replica" : "one of two replicas"} lags ${window.lagMs} ms`
          : "the provider is down";
  return `${what}, for ${window.forMs / 1_000} s`;
}

type Command = Of<
  "accept" | "withdraw" | "cancel" | "change" | "replay" | "map" | "suspend" | "activate" | "rotate"
>;

function command(system: SimulatedSystem, step: Command) {
  const rejected = runCommand(system, step);
  system.log(
    () => `platform  ${commandText(step)}${rejected === undefined ? "" : `: rejected, ${rejected}`}`,
  );
}

function commandText(step: Command): string {
  const { do: what, ...rest } = step;
  const about = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [what, ...about].join(" ");
}

function runCommand({ store, now }: SimulatedSystem, step: Command): Rejected {
  switch (step.do) {
    case "accept":
      return accept(store, `s${step.shift}`, `c${step.candidate}`, now);
    case "withdraw":
      return withdraw(store, `s${step.shift}`, `c${step.candidate}`, now);
    case "cancel":
      return cancel(store, `s${step.shift}`, now);
    case "change":
      return change(store, `s${step.shift}`, step, now);
    case "replay":
      return replay(store, now);
    case "map":
      return void mapOutlets(store, now);
    case "suspend":
      return void suspend(store);
    case "activate":
      return void activate(store, now);
    case "rotate":
      return void resume(store, now);
  }
}

type AtProvider = Exclude<Step, Command | Of<"faults" | "window" | "webhooks" | "crash">>;

function atProvider(system: SimulatedSystem, step: AtProvider) {
  const { records, now } = system;
  system.log(() => `provider  ${Object.values(step).join(" ")}`);
  if (step.do === "lose") return lose(system, step.count);
  if (step.do === "return") return bringBack(system);
  const id = `s${step.shift}`;
  if (step.do === "publish") return publish(system, id);
  if (step.do === "restore") return restore(system, id);
  if (step.do === "spoof") return system.webhooks.send("shift.delete", id);
  const shift = records.current(id);
  if (!shift || shift.isCancelled || shift.start <= now) return;
  switch (step.do) {
    case "move": {
      const start = shift.start + step.byMs;
      if (start > now) update(system, shift, { start, end: shift.end + step.byMs });
      return;
    }
    case "resize":
      return update(system, shift, { positions: step.positions });
    case "move_outlet":
      return update(system, shift, { outletId: `o${step.outlet}`, roleId: `r${step.role}` });
    case "delete":
      records.write(id, undefined, now);
      return system.webhooks.send("shift.delete", id);
    case "cancel_at_provider":
      return update(system, shift, { isCancelled: true });
    case "move_candidate":
      return movePerson(system, shift, step);
    case "recreate":
      return recreate(system, shift, `s${step.to}`);
    case "assign_own":
    case "remove_own":
    case "assign_candidate":
    case "remove_candidate":
      return changeList(system, shift, step);
  }
}

function update(system: SimulatedSystem, shift: ProviderShift, patch: Partial<ProviderShift>) {
  system.records.write(shift.id, { ...shift, ...patch }, system.now);
  system.webhooks.send("shift.update", shift.id);
}

/** Publishes the shift, or announces a published one again. */
function publish(system: SimulatedSystem, id: string) {
  const shift = system.unpublished.get(id);
  if (shift && shift.start > system.now) {
    system.unpublished.delete(id);
    system.records.write(id, shift, system.now);
    return system.webhooks.send("shift.create", id);
  }
  if (system.records.current(id)) system.webhooks.send("shift.update", id);
}

/** Restores a deleted shift, regardless of which side deleted it, or undoes the provider's own cancellation, with its people. */
function restore(system: SimulatedSystem, id: string) {
  const { records, now, store } = system;
  const current = records.current(id);
  const isOwn = store.jobs.get(id)?.cancelledBy !== "employer" && !store.isBeingCancelled(id);
  if (current?.isCancelled && isOwn && current.start > now)
    return update(system, current, { isCancelled: false });
  const last = records.versionsOf(id).findLast(({ shift }) => shift !== undefined)?.shift;
  if (!last || last.isCancelled || last.start <= now || records.current(id) || records.lost.has(id)) return;
  records.write(id, { ...last, entries: [] }, now);
  system.webhooks.send("shift.create", id);
}

/** Loses shifts without a webhook. */
function lose({ records, now }: SimulatedSystem, count: number) {
  const there = records.shiftIds.filter((id) => records.current(id)).slice(0, count);
  for (const id of there) {
    const shift = records.current(id);
    if (shift) records.lost.set(id, shift);
    records.forgotten.add(id);
    records.write(id, undefined, now);
  }
}

function bringBack({ records, now }: SimulatedSystem) {
  for (const [id, shift] of records.lost) records.write(id, shift, now);
  records.lost.clear();
}

/** Moves a candidate to another shift, or else the first one on the list, in the manner of the provider's staff. */
function movePerson(
  system: SimulatedSystem,
  from: ProviderShift,
  { candidate, to: toId }: Of<"move_candidate">,
) {
  const { records, now } = system;
  const candidateOf = ({ personId }: Entry) => records.person(personId)?.candidateId;
  const to = records.current(`s${toId}`);
  const moved =
    from.entries.find((entry) => candidateOf(entry) === `c${candidate}`) ??
    from.entries.find((entry) => candidateOf(entry) !== undefined);
  if (!moved || !to || to.id === from.id || to.isCancelled || to.start <= now) return;
  const { personId } = moved;
  if (to.entries.some((entry) => entry.personId === personId)) return;
  update(system, from, { entries: from.entries.filter((entry) => entry !== moved) });
  update(system, to, { entries: [...to.entries, { personId, by: "provider" }] });
}

function recreate(system: SimulatedSystem, shift: ProviderShift, wanted: string) {
  const { records, unpublished, webhooks, now } = system;
  const id = unpublished.has(wanted) ? wanted : [...unpublished.keys()][0];
  if (id === undefined) return;
  unpublished.delete(id);
  const entries = shift.entries.map(({ personId }) => ({ personId, by: "provider" as const }));
  records.write(id, { ...shift, id, entries }, now);
  records.write(shift.id, undefined, now);
  webhooks.send("shift.create", id);
  webhooks.send("shift.delete", shift.id);
}

function changeList(
  system: SimulatedSystem,
  shift: ProviderShift,
  step: Extract<Step, { do: "assign_own" | "remove_own" | "assign_candidate" | "remove_candidate" }>,
) {
  const { people } = system.records;
  const wanted =
    "person" in step
      ? people.filter(({ candidateId }) => candidateId === undefined)[step.person]
      : people.find(({ candidateId }) => candidateId === `c${step.candidate}`);
  if (!wanted) return;
  const others = shift.entries.filter(({ personId }) => personId !== wanted.id);
  const isThere = others.length < shift.entries.length;
  const isAdded = step.do === "assign_own" || step.do === "assign_candidate";
  if (isAdded === isThere) return;
  const added: Entry[] = isAdded ? [{ personId: wanted.id, by: "provider" }] : [];
  update(system, shift, { entries: [...others, ...added] });
}
