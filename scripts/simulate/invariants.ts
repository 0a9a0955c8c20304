import { CALL_TIMEOUT_MS } from "../../src/clients/retry-policy.ts";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import { GONE } from "../../src/platform/shifts/plan/believe.ts";
import type { Call, ChangeValues, JobState, Next, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import { type Allowed, AllowedCounts } from "./allowed.ts";
import type { Checked } from "./checked.ts";
import type { Network } from "./network.ts";
import { NoticeInvariants } from "./notice-invariants.ts";
import type { Observations } from "./observations.ts";
import type { ProviderRecords } from "./provider.ts";
import type { ChangeRow, NotificationRow } from "./store.ts";

type Parts = Pick<Checked, "store" | "records" | "now" | "log">;

/** The most that passes between a response and what the platform does with it. Milliseconds. */
const ACTS_WITHIN_MS = 10_000;

/** Checks invariants during the simulation, and counts the calls and runs of each shift. */
export class Invariants {
  readonly violations: string[] = [];
  readonly allowed = new AllowedCounts();
  readonly runs = new Map<string, number>();
  readonly calls = new Map<string, number>();
  /** Calls with an effect, since the counts were reset. */
  readonly changes = new Map<string, number>();
  network: Network | undefined;
  observations: Observations | undefined;
  readonly #parts: Parts;
  readonly #changeCalls: ChangeInvariants;
  readonly #notices: NoticeInvariants;

  constructor(parts: Parts) {
    this.#parts = parts;
    const checked: Checked = {
      ...parts,
      network: () => this.network,
      staleMs: () => this.#staleMs,
      fail: (violation) => this.fail(violation),
      failUnless: (...about) => this.failUnless(...about),
    };
    this.#changeCalls = new ChangeInvariants(checked);
    this.#notices = new NoticeInvariants(checked);
  }

  fail(violation: string) {
    this.#parts.log(() => `VIOLATION ${violation}`);
    this.violations.push(violation);
  }

  /** Records a violation unless the allowance applies. */
  failUnless(allowance: Allowed, applies: boolean, violation: string) {
    if (applies) this.allowed.count(allowance);
    else this.fail(violation);
  }

  /** Returns the result, and records a violation if the plan throws. */
  guard<Value>(make: () => Value): Value | undefined {
    try {
      return make();
    } catch (error) {
      this.fail(`the plan threw: ${(error as Error).stack ?? error}`);
      return undefined;
    }
  }

  runStarted(shiftId: string) {
    increase(this.runs, shiftId);
  }

  resetCounts() {
    for (const counts of [this.runs, this.calls, this.changes]) counts.clear();
  }

  called(shiftId: string, { do: what }: Next) {
    increase(this.calls, shiftId);
    if (what === "read" || what === "witness") return;
    increase(this.changes, shiftId);
    this.observations?.called(shiftId);
  }

  intended(shiftId: string, call: Call) {
    const job = this.#parts.store.jobs.get(shiftId);
    const hasStarted = !job || job.startTime <= this.#parts.now();
    if (hasStarted) this.fail(`${call.do} on ${shiftId} after its start`);
    if (call.do === "change") this.#changeCalls.intended(shiftId, call);
  }

  /** How old what the platform acts on may be: as far as a replica has lagged until now. */
  get #staleMs(): number {
    return ACTS_WITHIN_MS + Math.max(0, ...(this.network?.lags.map(({ lagMs }) => lagMs) ?? []));
  }

  hadNoEffect(call: Call) {
    if (call.do === "change") this.#changeCalls.hadNoEffect(call);
  }

  notified(row: NotificationRow) {
    this.#notices.notified(row);
  }

  /** Checks what a transaction made of the job. `before`: the state that it was planned with. */
  committed(shiftId: string, { job: before, shift }: Pick<ShiftState, "job" | "shift">) {
    const { version, missingSince } = shift.belief;
    this.#checkReopened(shiftId, before, version === GONE ? missingSince : null);
    this.#changeCalls.checkReturned(shiftId, before);
  }

  /** A shift that is known to be gone has a job again only if it has reappeared since. */
  #checkReopened(shiftId: string, before: JobState | undefined, goneAt: number | null) {
    const { store, records } = this.#parts;
    const isLive = (job: Pick<JobState, "status"> | undefined) =>
      job !== undefined && job.status !== "cancelled";
    if (goneAt === null || isLive(before) || !isLive(store.jobs.get(shiftId))) return;
    const versions = records.versionsSince(shiftId, goneAt);
    if (versions.every((shift) => shift === undefined || shift.isCancelled))
      this.fail(`${shiftId} has a job again, although it is gone`);
  }

  created(candidateId: string) {
    const { records } = this.#parts;
    if (!records.people.some((person) => person.candidateId === candidateId)) return;
    const isHidden = this.network?.hasHiddenPeople === true;
    this.failUnless("look_up_by_gateway", isHidden, `${candidateId} was created twice at the provider`);
  }
}

const increase = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

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
    // What the provider had before the platform's own change is believed again only two minutes after its response: a replica may show it.
    const last = records.requested(shiftId);
    const own = last && last.at > now() - 2 * MINUTE_MS - CALL_TIMEOUT_MS ? last.values : undefined;
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
