import type { Shift } from "../../src/contract/shift.ts";
import type { Call } from "../../src/platform/shifts/plan/state.ts";
import type { Dialect } from "./schedules.ts";

/** A person on a shift's list. */
export interface Entry {
  personId: string;
  by: "platform" | "provider";
  /** The id by which the platform assigned the person, who may have another one since. */
  assignedAs?: string;
}

/** A change, and when it took effect. */
type Requested = Extract<Call, { do: "change" }> & { at: number };

export interface ProviderShift {
  id: string;
  start: number;
  end: number;
  positions: number;
  outletId: string;
  roleId: string;
  isCancelled: boolean;
  entries: readonly Entry[];
}

export interface ProviderPerson {
  id: string;
  /** The candidate with the same personal number; the platform does not know the provider's own people. */
  candidateId: string | undefined;
  by: "platform" | "provider";
  key: string | undefined;
  /** Candidates for whom a lookup found this person and no other: the provider has said that they are one. */
  foundFor: Set<string>;
}

/** What belongs to a shift besides its people, as text. */
export const bodyOf = (shift: Omit<ProviderShift, "entries">): string =>
  shift.isCancelled
    ? "cancelled"
    : [shift.start, shift.end, shift.positions, shift.outletId, shift.roleId].join(" ");

interface Version {
  at: number;
  shift: ProviderShift | undefined;
}

/** The provider's records with all earlier versions, because a replica returns earlier ones. */
export class ProviderRecords {
  readonly dialect: Dialect;
  readonly people: ProviderPerson[] = [];
  /** Called before each new version. */
  written:
    | ((shiftId: string, before: ProviderShift | undefined, shift: ProviderShift | undefined) => void)
    | undefined;
  readonly #versions = new Map<string, Version[]>();
  /** Shifts lost with the provider's data and not restored. */
  readonly lost = new Map<string, ProviderShift>();
  /** Lost shifts of whose existence the provider has no record. */
  readonly forgotten = new Set<string>();
  /** Lost shifts with a confirmed unassignment. */
  readonly unassignedWhileLost = new Set<string>();

  /** The current id of each former one. */
  readonly #renamed = new Map<string, string>();
  #renames = 0;

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  get shiftIds(): string[] {
    return [...this.#versions.keys()];
  }

  versionsOf(shiftId: string): readonly Version[] {
    return this.#versions.get(shiftId) ?? [];
  }

  write(shiftId: string, shift: ProviderShift | undefined, now: number) {
    this.written?.(shiftId, this.current(shiftId), shift);
    const versions = this.#versions.get(shiftId);
    if (versions) versions.push({ at: now, shift });
    else this.#versions.set(shiftId, [{ at: now, shift }]);
  }

  readonly #requested = new Map<string, Requested>();

  /** Returns the platform's last change of the shift. */
  requested(shiftId: string): Requested | undefined {
    return this.#requested.get(shiftId);
  }

  /** A call that was cut may take effect once more, and later than the next change: only the first effect counts. */
  noteRequested(shiftId: string, change: Omit<Requested, "at">, at: number) {
    const last = this.#requested.get(shiftId);
    if (!last || last.changeId < change.changeId) this.#requested.set(shiftId, { ...change, at });
  }

  current(shiftId: string): ProviderShift | undefined {
    return this.#versions.get(shiftId)?.at(-1)?.shift;
  }

  /** Returns when the current shift appeared. */
  appearedAt(shiftId: string): number {
    const versions = this.versionsOf(shiftId);
    const gone = versions.findLastIndex(({ shift }) => shift === undefined);
    return versions[gone + 1]?.at ?? 0;
  }

  asOf(shiftId: string, at: number): ProviderShift | undefined {
    return this.#versions.get(shiftId)?.findLast((version) => version.at <= at)?.shift;
  }

  patch(shiftId: string, patch: Partial<ProviderShift>, now: number): boolean {
    const shift = this.current(shiftId);
    if (!shift || shift.isCancelled) return false;
    this.write(shiftId, { ...shift, ...patch }, now);
    return true;
  }

  /** Returns the bodies of the shift, oldest first: what anyone changed except its people. */
  bodiesOf(shiftId: string): (ProviderShift & { at: number })[] {
    const there = this.versionsOf(shiftId).flatMap(({ shift, at }) => (shift ? [{ ...shift, at }] : []));
    return there.filter((shift, index) => {
      const before = there[index - 1];
      return !before || bodyOf(before) !== bodyOf(shift);
    });
  }

  /** Gives a person a new id: the provider no longer knows the former one. */
  rename(person: ProviderPerson) {
    const before = person.id;
    this.#renames += 1;
    person.id = `${before}m${this.#renames}`;
    for (const [former, id] of this.#renamed) if (id === before) this.#renamed.set(former, person.id);
    this.#renamed.set(before, person.id);
  }

  /** Returns the person of a current or former id. */
  who(personId: string): ProviderPerson | undefined {
    return this.person(this.#renamed.get(personId) ?? personId);
  }

  person(personId: string): ProviderPerson | undefined {
    return this.people.find(({ id }) => id === personId);
  }

  /** Returns the person whom a call is about. */
  called(personId: string): ProviderPerson | undefined {
    return this.dialect.knowsFormerIds ? this.who(personId) : this.person(personId);
  }

  addPerson(person: Omit<ProviderPerson, "id" | "foundFor">): ProviderPerson {
    const added = { ...person, id: `p${this.people.length}`, foundFor: new Set<string>() };
    this.people.push(added);
    return added;
  }

  /** Returns the versions that were current at any time since `from`. */
  versionsSince(shiftId: string, from: number): (ProviderShift | undefined)[] {
    const versions = this.versionsOf(shiftId);
    const isLater = (index: number) => (versions[index + 1]?.at ?? Number.POSITIVE_INFINITY) >= from;
    return versions.filter((_, index) => isLater(index)).map(({ shift }) => shift);
  }

  /** Returns whether the candidate was on the list at any time since `from`. */
  wasListed(shiftId: string, candidateId: string, from: number): boolean {
    return this.versionsSince(shiftId, from).some(
      (shift) => shift !== undefined && this.lists(shift, candidateId),
    );
  }

  /** Returns whether the shift was absent, not published yet, or cancelled at any time since `from`. */
  wasGone(shiftId: string, from: number): boolean {
    const isYounger = (this.versionsOf(shiftId)[0]?.at ?? 0) > from;
    const isGone = (shift: ProviderShift | undefined) => shift === undefined || shift.isCancelled;
    return isYounger || this.versionsSince(shiftId, from).some(isGone);
  }

  /** Whether the candidate is on the list. */
  lists(shift: ProviderShift, candidateId: string): boolean {
    return shift.entries.some(({ personId }) => {
      const person = this.who(personId);
      return person?.candidateId === candidateId || person?.foundFor.has(candidateId);
    });
  }

  /** Returns the shift as the platform's client reads it. */
  asRead(shift: ProviderShift): Shift {
    // Who knows people by an address that they share lists no numbers: they would name one of them only.
    const listsNumbers = this.dialect.listsNumbers && !this.dialect.sharesIds;
    return {
      id: shift.id,
      variant: "b",
      positions: shift.positions,
      cancelled: shift.isCancelled,
      warnings: [],
      startTime: new Date(shift.start).toISOString(),
      endTime: new Date(shift.end).toISOString(),
      outletId: shift.outletId,
      outletName: undefined,
      roleId: shift.roleId,
      roleName: undefined,
      breakMinutes: undefined,
      description: undefined,
      assigned: shift.entries.map(({ personId }) => ({
        providerCandidateId: personId,
        personalNumber: listsNumbers ? this.who(personId)?.candidateId : undefined,
      })),
    };
  }
}
