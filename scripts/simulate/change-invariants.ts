import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import type { Call, ChangeValues, JobState } from "../../src/platform/shifts/plan/state.ts";
import type { Checked } from "./checked.ts";
import type { ProviderRecords } from "./provider.ts";
import type { ChangeRow } from "./store.ts";

type ShiftBody = ReturnType<ProviderRecords["asRead"]>;
type ChangeCall = Extract<Call, { do: "change" }>;

/** Whether values are the same to a provider that stores whole minutes, and to people. */
const isSame = (one: string | number, other: string | number): boolean =>
  typeof one === "string" && typeof other === "string"
    ? Math.abs(Date.parse(one) - Date.parse(other)) < MINUTE_MS
    : one === other;

const isNear = (name: string, one: number, other: number): boolean =>
  name === "positions" ? one === other : Math.abs(one - other) < MINUTE_MS;

/** Checks what is sent for requested changes, and what they leave of the job. */
export class ChangeInvariants {
  readonly #parts: Checked;
  /** The shift as it was when a change was first sent, by changeId. */
  readonly #known = new Map<string, ShiftBody[]>();
  /** The first call of each change that may have taken effect, by changeId. */
  readonly #firstCalls = new Map<string, { values: ChangeValues; at: number }>();

  constructor(parts: Checked) {
    this.#parts = parts;
  }

  intended(shiftId: string, call: ChangeCall) {
    this.#checkRepeated(shiftId, call);
    this.#checkUndone(shiftId, call);
    this.#checkOverwritten(shiftId, call);
  }

  /** A change sends no value that the provider has long replaced, unless it was asked for; and what was asked for only over the value that it was asked of. */
  #checkOverwritten(shiftId: string, { changeId, values }: ChangeCall) {
    const { records, now } = this.#parts;
    const had = records
      .versionsSince(shiftId, now() - this.#parts.staleMs())
      .flatMap((shift) => (shift ? [records.asRead(shift)] : []));
    const named = this.#change(changeId)?.named ?? [];
    // What the provider had before the platform's own change is believed again only after two minutes: a replica may show it.
    const last = records.requested(shiftId);
    const own = last && last.at > now() - 2 * MINUTE_MS ? last.values : undefined;
    const known = this.#known.get(changeId) ?? had;
    this.#known.set(changeId, known);
    for (const name of ["startTime", "endTime", "positions"] as const) {
      const isNamed = named.includes(name);
      const isOwn = own !== undefined && isSame(own[name], values[name]);
      const isOld = !isNamed && !isOwn && !had.some((shift) => isSame(shift[name], values[name]));
      const isKept = (shift: ShiftBody) =>
        isSame(shift[name], values[name]) || known.some((before) => isSame(before[name], shift[name]));
      const isReplaced = isNamed && !had.some(isKept);
      if (isOld) this.#parts.fail(`${changeId} of ${shiftId} sends an old value of ${name}`);
      if (isReplaced)
        this.#parts.fail(`${changeId} of ${shiftId} overwrites the ${name} that the provider has set`);
    }
  }

  /** A call that the provider did not get, or declined for now, is not the first call of its change. */
  hadNoEffect(call: ChangeCall) {
    const isFirst = this.#firstCalls.get(call.changeId)?.values === call.values;
    if (isFirst) this.#firstCalls.delete(call.changeId);
  }

  /** A repeated change sends other values only if the provider has had them since the first call. */
  #checkRepeated(shiftId: string, { changeId, values }: ChangeCall) {
    const { records, now } = this.#parts;
    const first = this.#firstCalls.get(changeId);
    if (!first) return void this.#firstCalls.set(changeId, { values, at: now() });
    const had = records
      .versionsSince(shiftId, first.at)
      .flatMap((shift) => (shift ? [records.asRead(shift)] : []));
    for (const name of ["startTime", "endTime", "positions"] as const)
      if (values[name] !== first.values[name] && !had.some((shift) => shift[name] === values[name]))
        this.#parts.fail(`${changeId} of ${shiftId} was repeated with an old value of ${name}`);
  }

  /** A change leaves what the one before requested, if the provider has kept it. */
  #checkUndone(shiftId: string, { changeId, values }: ChangeCall) {
    const { records } = this.#parts;
    const last = records.requested(shiftId);
    if (!last || last.changeId === changeId) return;
    const since = records
      .versionsSince(shiftId, last.at + 1)
      .map((shift) => (shift ? records.asRead(shift) : undefined));
    const named = this.#change(changeId)?.named ?? [];
    for (const name of this.#change(last.changeId)?.named ?? []) {
      const isKept = since.every((shift) => shift !== undefined && isSame(shift[name], last.values[name]));
      if (isKept && !named.includes(name) && !isSame(values[name], last.values[name]))
        this.#parts.fail(`${changeId} of ${shiftId} undoes ${name} of ${last.changeId}`);
    }
  }

  #change(changeId: string): ChangeRow | undefined {
    return this.#parts.store.changes.find((change) => change.changeId === changeId);
  }

  /** The job does not return to what it was before a confirmed change. */
  checkReturned(shiftId: string, before: JobState | undefined) {
    const { store, records } = this.#parts;
    const job = store.jobs.get(shiftId);
    const last = records.requested(shiftId);
    if (!job || !last || this.#change(last.changeId)?.status !== "confirmed") return;
    const had = records
      .versionsSince(shiftId, last.at + 1)
      .flatMap((shift) =>
        shift ? [{ startTime: shift.start, endTime: shift.end, positions: shift.positions }] : [],
      );
    for (const name of this.#change(last.changeId)?.named ?? [])
      if (before?.[name] !== job[name] && !had.some((shift) => isNear(name, shift[name], job[name])))
        this.#parts.fail(`the job of ${shiftId} returns to the ${name} before ${last.changeId}`);
  }
}
