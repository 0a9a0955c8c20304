import { readSoon } from "./apply.ts";
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
import { announce, burst, editable, merge, putBack, recreate, swap, update } from "./edits.ts";
import { resume } from "./integration.ts";
import type { Entry, ProviderShift } from "./provider.ts";
import type { Step } from "./schedules.ts";
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
      system.log(() => {
        const kinds = step.faults.map(({ kind }) => kind).join(", ");
        return `network   ${step.operation}: ${kinds}, for ${step.eachMs} ms each`;
      });
      return system.network.addFaults(step.operation, step.faults, step.eachMs);
    case "window":
      system.log(() => `network   ${windowText(step)}`);
      return system.network.open(step, step.forMs);
    case "webhooks":
      system.log(() => {
        const kinds = step.faults.map(({ kind }) => kind).join(", ");
        return `network   webhooks: ${kinds}, for ${step.eachMs} ms each`;
      });
      return system.webhooks.addFaults(step.faults, step.eachMs);
    case "crash":
      system.log(
        () => `platform  will end with its first commit in ${step.inMs} ms, the next call ${step.call}`,
      );
      return system.worker.crashLater({ ...step, at: system.now + step.inMs });
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
          ? `${window.replicas} replicas lag ${window.lagMs} ms at most`
          : window.kind === "empty_lists"
            ? "GET shows no people"
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
  system.log(
    () => `provider  ${step.do === "burst" ? `burst on ${step.shift}` : Object.values(step).join(" ")}`,
  );
  if (step.do === "lose") return lose(system, step.count);
  if (step.do === "return") return bringBack(system);
  if (step.do === "merge") return merge(system, step);
  if (step.do === "put_back") return putBack(system, step);
  const id = `s${step.shift}`;
  if (step.do === "publish") return publish(system, id);
  if (step.do === "restore") return restore(system, id);
  if (step.do === "spoof") return system.webhooks.send("shift.delete", id);
  if (step.do === "burst") return burst(system, step);
  if (step.do === "announce") return announce(system, step);
  if (step.do === "swap") return swap(system, step);
  if (step.do === "recreate") return recreate(system, step);
  if (step.do === "sample") return readSoon(system.store, id, now);
  const shift = editable(system, id);
  if (!shift) return;
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
    case "assign_own":
    case "remove_own":
    case "assign_candidate":
    case "remove_candidate":
      return changeList(system, shift, step);
  }
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
