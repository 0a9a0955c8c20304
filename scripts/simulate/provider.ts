import type { Shift } from "../../src/contract/shift.ts";
import type { Dialect } from "./schedule.ts";

/** Someone on a shift's list. */
export interface Entry {
  personId: string;
  by: "platform" | "provider";
}

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
  /** Whose personal number it has; the provider's own people have numbers that the platform does not know. */
  candidateId: string | undefined;
  by: "platform" | "provider";
  key: string | undefined;
}

interface Version {
  at: number;
  shift: ProviderShift | undefined;
}

/** The provider's records, with everything that they ever were: a replica shows them as they were a while ago. */
export class ProviderRecords {
  readonly dialect: Dialect;
  readonly people: ProviderPerson[] = [];
  readonly #versions = new Map<string, Version[]>();
  /** By data loss, and not back. */
  readonly lost = new Map<string, ProviderShift>();
  /** Of what was lost the provider knows nothing, not even that it was there. */
  readonly forgotten = new Set<string>();
  /** Lost shifts someone on which was reported as unassigned. */
  readonly unassignedWhileLost = new Set<string>();

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
    const versions = this.#versions.get(shiftId);
    if (versions) versions.push({ at: now, shift });
    else this.#versions.set(shiftId, [{ at: now, shift }]);
  }

  current(shiftId: string): ProviderShift | undefined {
    return this.#versions.get(shiftId)?.at(-1)?.shift;
  }

  /** When the shift appeared that is there now. */
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

  person(personId: string): ProviderPerson | undefined {
    return this.people.find(({ id }) => id === personId);
  }

  addPerson(person: Omit<ProviderPerson, "id">): ProviderPerson {
    const added = { ...person, id: `p${this.people.length}` };
    this.people.push(added);
    return added;
  }

  /** Whether anyone of that candidate was ever on the list between two times. */
  wasListed(shiftId: string, candidateId: string, from: number): boolean {
    const versions = this.versionsOf(shiftId);
    return versions.some(({ shift }, index) => {
      const until = versions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      return until >= from && shift !== undefined && this.#lists(shift, candidateId);
    });
  }

  /** Whether the shift was absent or cancelled at some time since. */
  wasGone(shiftId: string, from: number): boolean {
    const versions = this.versionsOf(shiftId);
    return versions.some(({ shift }, index) => {
      const until = versions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      return until >= from && (shift === undefined || shift.isCancelled);
    });
  }

  #lists(shift: ProviderShift, candidateId: string): boolean {
    return shift.entries.some(({ personId }) => this.person(personId)?.candidateId === candidateId);
  }

  /** The shift as the platform's client reads it. */
  asRead(shift: ProviderShift): Shift {
    const { listsNumbers } = this.dialect;
    return {
      ...{
        id: shift.id,
        variant: "b",
        positions: shift.positions,
        cancelled: shift.isCancelled,
        warnings: [],
      },
      startTime: new Date(shift.start).toISOString(),
      endTime: new Date(shift.end).toISOString(),
      ...{ outletId: shift.outletId, outletName: undefined, roleId: shift.roleId, roleName: undefined },
      assigned: shift.entries.map(({ personId }) => ({
        providerCandidateId: personId,
        personalNumber: listsNumbers ? this.person(personId)?.candidateId : undefined,
      })),
    };
  }
}
