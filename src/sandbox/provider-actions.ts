import type { Message } from "../../generated/events/types.ts";
import type { CompleteOutlet, Role } from "../../generated/provider/types.ts";
import { parsePersonalNumber } from "../contract/personal-number.ts";
import { HOUR_MS } from "../contract/timestamp.ts";
import type { Context } from "./context.ts";
import type { Organisation, StoredCandidate, StoredShift } from "./organisation.ts";
import type { PlatformConnection, Webhooks } from "./webhooks.ts";

/** Properties of a new shift. The defaults: tomorrow, eight hours, the first outlet and role, one position. */
export type NewShift = Partial<
  Pick<
    StoredShift,
    "id" | "startTime" | "endTime" | "outletId" | "roleId" | "positions" | "breakMinutes" | "description"
  >
>;

export interface NewCandidate extends Partial<Omit<StoredCandidate, "personalNumber">> {
  /** In either form; its check digit must be right. */
  personalNumber: string;
}

/** A change made at the provider, and the traceId of its webhook. */
export interface Change {
  shiftId: string;
  traceId: string;
  shift: StoredShift;
}

/** Reads and changes one organisation as the provider's staff does. Changes send webhooks once a platform is connected. */
export interface ProviderActions {
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  readonly outlets: readonly CompleteOutlet[];
  readonly roles: readonly Role[];
  /** In order of creation, with cancelled shifts. */
  readonly shifts: readonly StoredShift[];
  readonly candidates: readonly StoredCandidate[];
  shift(shiftId: string): StoredShift | undefined;
  /** Does not validate the shift. @throws Error when the id exists. */
  createShift(shift?: NewShift): Change;
  /** @throws Error for an unknown shift. */
  updateShift(shiftId: string, change: Omit<NewShift, "id">): Change;
  /** Assigns a candidate at the provider, without the platform. @throws Error for an unknown shift. */
  assign(shiftId: string, candidateId: string): Change;
  /** @throws Error for an unknown shift. */
  unassign(shiftId: string, candidateId: string): Change;
  /** @throws Error for an unknown shift. */
  deleteShift(shiftId: string): Change;
  /** @throws TypeError for an invalid personal number. */
  addCandidate(candidate: NewCandidate): StoredCandidate;
  /** Merges the candidate into a new record, which it returns. Shifts show the new id; calls may use the former one. @throws Error for an unknown candidate. */
  mergeCandidate(candidateId: string): StoredCandidate;
  /** Removes the candidate with this number, if there is one. */
  removeCandidate(personalNumber: string): void;
  connectPlatform(platform: PlatformConnection): void;
  /** Returns the current state of the organisation, to start another sandbox with. */
  snapshot(): OrganisationSnapshot;
}

export function createActions(
  organisation: Organisation,
  context: Context,
  webhooks: Webhooks,
): ProviderActions {
  const { providerId, token, outlets, roles, shifts, candidates } = organisation;
  const changed = (shift: StoredShift, event: Message["event"]): Change => {
    const change = { shiftId: shift.id, traceId: context.newId(), shift };
    webhooks.send({ event, providerId, content: { shiftId: shift.id }, traceId: change.traceId });
    return change;
  };
  const known = (shiftId: string): StoredShift => {
    const shift = shifts.get(shiftId);
    if (!shift) throw new Error(`the sandbox has no shift ${shiftId}`);
    return shift;
  };
  const stamp = () => new Date(context.now()).toISOString();

  return {
    providerId,
    token,
    outlets,
    roles,
    get shifts() {
      return [...shifts.values()];
    },
    get candidates() {
      return [...candidates.values()];
    },
    shift: (shiftId) => shifts.get(shiftId),
    createShift: (given = {}) => {
      const shift = { ...newShift(organisation, context), ...given };
      if (shifts.has(shift.id)) throw new Error(`the sandbox already has a shift ${shift.id}`);
      shifts.set(shift.id, shift);
      return changed(shift, "shift.create");
    },
    updateShift: (shiftId, change) =>
      changed(Object.assign(known(shiftId), change, { updatedAt: stamp() }), "shift.update"),
    assign: (shiftId, candidateId) => {
      known(shiftId).assigned.set(candidateId, stamp());
      return changed(Object.assign(known(shiftId), { updatedAt: stamp() }), "shift.update");
    },
    unassign: (shiftId, candidateId) => {
      known(shiftId).assigned.delete(candidateId);
      return changed(Object.assign(known(shiftId), { updatedAt: stamp() }), "shift.update");
    },
    deleteShift: (shiftId) =>
      changed(Object.assign(known(shiftId), { cancelled: true, updatedAt: stamp() }), "shift.delete"),
    addCandidate: (given) => addCandidate(given, organisation, context),
    mergeCandidate: (candidateId) => {
      const merged = mergeCandidate(candidateId, organisation, context);
      for (const shift of shifts.values()) {
        const at = shift.assigned.get(candidateId);
        if (at === undefined) continue;
        shift.assigned.delete(candidateId);
        shift.assigned.set(merged.id, at);
        changed(Object.assign(shift, { updatedAt: stamp() }), "shift.update");
      }
      return merged;
    },
    removeCandidate: (personalNumber) => {
      for (const [id, each] of candidates) if (each.personalNumber === personalNumber) candidates.delete(id);
    },
    connectPlatform: (platform) => webhooks.connect(providerId, platform),
    snapshot: () => snapshotOf(organisation),
  };
}

function newShift({ outlets, roles }: Organisation, { now, newId }: Context): StoredShift {
  const at = (hours: number) =>
    new Date(Math.ceil(now() / HOUR_MS) * HOUR_MS + hours * HOUR_MS).toISOString();
  const createdAt = new Date(now()).toISOString();
  return {
    id: newId(),
    startTime: at(24),
    endTime: at(32),
    outletId: outlets[0]?.id ?? newId(),
    roleId: roles[0]?.id ?? newId(),
    positions: 1,
    assigned: new Map(),
    cancelled: false,
    breakMinutes: 30,
    description: null,
    createdAt,
    updatedAt: createdAt,
  };
}

function addCandidate(given: NewCandidate, organisation: Organisation, { newId }: Context): StoredCandidate {
  const personalNumber = parsePersonalNumber(given.personalNumber);
  if (!personalNumber) throw new TypeError("the candidate's personal number is not valid");
  const candidate: StoredCandidate = {
    id: newId(),
    firstName: "Kim",
    lastName: "Holm",
    email: "kim.holm@example.com",
    phone: "+46701740610",
    ...given,
    personalNumber,
  };
  organisation.candidates.set(candidate.id, candidate);
  return candidate;
}

function mergeCandidate(id: string, { candidates }: Organisation, { newId }: Context): StoredCandidate {
  const former = candidates.get(id);
  if (!former) throw new Error(`the sandbox has no candidate ${id}`);
  const merged = { ...former, id: newId(), formerIds: [...(former.formerIds ?? []), id] };
  candidates.delete(id);
  candidates.set(merged.id, merged);
  return merged;
}

/** All data of a sandbox organisation, as JSON. */
export interface OrganisationSnapshot
  extends Pick<Organisation, "providerId" | "token" | "outlets" | "roles"> {
  shifts: (Omit<StoredShift, "assigned"> & { assigned: [candidateId: string, at: string][] })[];
  candidates: StoredCandidate[];
}

function snapshotOf({ shifts, candidates, ...rest }: Organisation): OrganisationSnapshot {
  return {
    ...rest,
    shifts: [...shifts.values()].map((shift) => ({ ...shift, assigned: [...shift.assigned] })),
    candidates: [...candidates.values()],
  };
}

export function organisationFrom({ shifts, candidates, ...rest }: OrganisationSnapshot): Organisation {
  return {
    ...rest,
    shifts: new Map(shifts.map((shift) => [shift.id, { ...shift, assigned: new Map(shift.assigned) }])),
    candidates: new Map(candidates.map((candidate) => [candidate.id, candidate])),
  };
}
