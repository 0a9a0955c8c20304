import { resume } from "./apply.ts";
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
import type { Entry, ProviderShift } from "./provider.ts";
import type { Step } from "./schedule.ts";
import type { World } from "./world.ts";

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
export function perform(world: World, step: Step) {
  switch (step.do) {
    case "fates":
      world.log(() => `network   next ${step.operation}: ${step.fates.map(({ kind }) => kind).join(", ")}`);
      return world.network.decide(step.operation, step.fates);
    case "window":
      world.log(() => `network   ${windowText(step)}`);
      return world.network.open(step, step.forMs);
    case "webhooks":
      return world.webhooks.decide(step.fates);
    case "crash":
      world.log(
        () => `platform  will end after ${step.afterCommits} more commits, the next call ${step.call}`,
      );
      return world.worker.crashLater({ ...step });
    case "accept":
    case "withdraw":
    case "cancel":
    case "change":
    case "replay":
    case "map":
    case "suspend":
    case "activate":
    case "rotate":
      return command(world, step);
    default:
      return atProvider(world, step);
  }
}

function windowText(window: Of<"window">): string {
  const what =
    window.kind === "gateway"
      ? `a gateway answers 404 to ${window.operation}`
      : window.kind === "token"
        ? `the token is rejected (${window.status})`
        : window.kind === "lag"
          ? `the replica lags ${window.lagMs} ms`
          : "the provider is down";
  return `${what}, for ${window.forMs / 1_000} s`;
}

type Command = Of<
  "accept" | "withdraw" | "cancel" | "change" | "replay" | "map" | "suspend" | "activate" | "rotate"
>;

function command(world: World, step: Command) {
  const rejected = carryOut(world, step);
  world.log(() => `platform  ${commandText(step)}${rejected === undefined ? "" : `: rejected, ${rejected}`}`);
}

function commandText(step: Command): string {
  const { do: what, ...rest } = step;
  const about = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return [what, ...about].join(" ");
}

function carryOut({ store, now }: World, step: Command): Rejected {
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

type AtProvider = Exclude<Step, Command | Of<"fates" | "window" | "webhooks" | "crash">>;

function atProvider(world: World, step: AtProvider) {
  const { records, now } = world;
  world.log(() => `provider  ${Object.values(step).join(" ")}`);
  if (step.do === "lose") return lose(world, step.count);
  if (step.do === "return") return bringBack(world);
  const id = `s${step.shift}`;
  if (step.do === "publish") return publish(world, id);
  if (step.do === "restore") return restore(world, id);
  const shift = records.current(id);
  if (!shift || shift.isCancelled || shift.start <= now) return;
  switch (step.do) {
    case "move": {
      const start = shift.start + step.byMs;
      if (start > now) update(world, shift, { start, end: shift.end + step.byMs });
      return;
    }
    case "resize":
      return update(world, shift, { positions: step.positions });
    case "rehouse":
      return update(world, shift, { outletId: `o${step.outlet}`, roleId: `r${step.role}` });
    case "delete":
      records.write(id, undefined, now);
      return world.webhooks.send("shift.delete", id);
    case "cancel_there":
      return update(world, shift, { isCancelled: true });
    case "assign_own":
    case "remove_own":
    case "assign_candidate":
    case "remove_candidate":
      return changeList(world, shift, step);
  }
}

function update(world: World, shift: ProviderShift, patch: Partial<ProviderShift>) {
  world.records.write(shift.id, { ...shift, ...patch }, world.now);
  world.webhooks.send("shift.update", shift.id);
}

/** A shift that is published already is announced once more, unchanged. */
function publish(world: World, id: string) {
  const shift = world.unpublished.get(id);
  if (shift && shift.start > world.now) {
    world.unpublished.delete(id);
    world.records.write(id, shift, world.now);
    return world.webhooks.send("shift.create", id);
  }
  if (world.records.current(id)) world.webhooks.send("shift.update", id);
}

/** Of a deleted shift, whether the platform or the provider deleted it. */
function restore(world: World, id: string) {
  const { records, now } = world;
  const last = records.versionsOf(id).findLast(({ shift }) => shift !== undefined)?.shift;
  if (!last || last.isCancelled || last.start <= now || records.current(id) || records.lost.has(id)) return;
  records.write(id, { ...last, entries: [] }, now);
  world.webhooks.send("shift.create", id);
}

/** No webhook says so. */
function lose({ records, now }: World, count: number) {
  const there = records.shiftIds.filter((id) => records.current(id)).slice(0, count);
  for (const id of there) {
    const shift = records.current(id);
    if (shift) records.lost.set(id, shift);
    records.forgotten.add(id);
    records.write(id, undefined, now);
  }
}

function bringBack({ records, now }: World) {
  for (const [id, shift] of records.lost) records.write(id, shift, now);
  records.lost.clear();
}

function changeList(
  world: World,
  shift: ProviderShift,
  step: Extract<Step, { do: "assign_own" | "remove_own" | "assign_candidate" | "remove_candidate" }>,
) {
  const { people } = world.records;
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
  update(world, shift, { entries: [...others, ...added] });
}
