/** The provider's choices. Each affects what the platform can conclude. */
export interface Dialect {
  /** The response about a missing shift. */
  absence: "404_coded" | "404_bare" | "410_coded";
  /** The state after the platform's DELETE: no shift, or one with the status `cancelled`. */
  afterDelete: "absent" | "cancelled";
  repeatedAssign: "ok" | "409";
  unassignUnassigned: "ok" | "404" | "409";
  /** How the provider recognises a second creation of one person. */
  repeatedCreate: "409" | "same_person" | "idempotency_key" | "undetected";
  /** Whether a lookup of any candidate finds the person of the first too: the provider knows people by an address that they share. */
  sharesIds: boolean;
  /** Whether calls may use the former id of a person who was merged. The acknowledgement of an assignment then names the new one. */
  knowsFormerIds: boolean;
  refusalsHaveCodes: boolean;
  listsNumbers: boolean;
  /** Whether webhooks follow the platform's own operations too. */
  echoes: boolean;
  acceptsChanges: boolean;
  /** Requested times are stored in multiples of it. Milliseconds. */
  roundsToMs: number;
}

export const OPERATIONS = ["read", "assign", "unassign", "cancel", "change", "look_up", "create"] as const;
export type Operation = (typeof OPERATIONS)[number] | "outlets";

/** The fault of the calls within some time. */
export type CallFault =
  | { kind: "lost_before" | "lost_after" | "error_before" | "error_after" | "not_asked" }
  | { kind: "rate_limited"; retryAfterMs: number }
  /** 409 to a call that would change a shift; any other call passes. */
  | { kind: "refused" }
  /** The connection is cut, and the provider performs the call later. */
  | { kind: "late"; cutAfterMs: number; effectAfterMs: number };

export type WindowKind =
  | { kind: "gateway"; operation: Operation | "all" }
  | { kind: "token"; status: 401 | 403 }
  | { kind: "down" }
  /** Of several replicas, one does not lag, and the last lags most; each reading is answered by one of them, at random. */
  | { kind: "lag"; lagMs: number; replicas: 1 | 2 | 3 }
  /** GET shows no people, while everything else works. */
  | { kind: "empty_lists" };

export type WebhookFault =
  | { kind: "lost" | "duplicated" | "sent_twice" | "undispatched" }
  | { kind: "delayed"; delayMs: number };

/** What a manager changes about a shift. `back`: to the state before that many edits. */
export type Edit =
  | { to: "move"; byMs: number }
  | { to: "resize"; positions: number }
  | { to: "place"; outlet: number; role: number }
  | { to: "back"; edits: number };

/** One step of a schedule. `shift` and `candidate` are indexes. */
export type Step =
  | { do: "publish"; shift: number }
  | { do: "move"; shift: number; byMs: number }
  | { do: "resize"; shift: number; positions: number }
  | { do: "move_outlet"; shift: number; outlet: number; role: number }
  /** Edits one after the other, while the next steps follow. */
  | { do: "burst"; shift: number; edits: { afterMs: number; edit: Edit }[] }
  /** Sends notices of a shift that stays as it is. */
  | { do: "announce"; shift: number; count: number; eachMs: number }
  /** Moves a candidate to another shift. */
  | { do: "swap"; shift: number; to: number; candidate: number }
  /** A candidate withdraws, and the manager puts them back on the shift. */
  | { do: "put_back"; shift: number; candidate: number; afterMs: number }
  /** Replaces a shift by one with another id, and the same people. */
  | { do: "recreate"; shift: number }
  /** Gives a person another id: the former one is unknown from now on. */
  | { do: "merge"; candidate: number }
  | { do: "delete" | "cancel_at_provider" | "restore"; shift: number }
  /** Sends a shift.delete of a shift that stays. */
  | { do: "spoof"; shift: number }
  | { do: "lose"; count: number }
  | { do: "return" }
  | { do: "assign_own" | "remove_own"; shift: number; person: number }
  | { do: "assign_candidate" | "remove_candidate"; shift: number; candidate: number }
  | { do: "accept" | "withdraw"; shift: number; candidate: number }
  /** Something other than a notice makes the platform read the shift. */
  | { do: "sample"; shift: number }
  | { do: "cancel"; shift: number }
  | { do: "change"; shift: number; byMs: number | undefined; positions: number | undefined }
  | { do: "replay" | "map" | "suspend" | "activate" | "rotate" }
  | { do: "faults"; operation: Operation | "any"; faults: CallFault[]; eachMs: number }
  | ({ do: "window"; forMs: number } & WindowKind)
  | { do: "webhooks"; faults: WebhookFault[]; eachMs: number }
  | { do: "crash"; inMs: number; call: "sent" | "unsent"; lease: boolean };

export interface Action {
  afterMs: number;
  step: Step;
}

export interface ShiftSpec {
  startsInMs: number;
  positions: number;
  outlet: number;
  isKnown: boolean;
}

export interface Schedule {
  dialect: Dialect;
  shifts: ShiftSpec[];
  candidates: number;
  /** Candidates whom the provider knows from the start. */
  known: number;
  isSecondOutletMapped: boolean;
  /** The seed of jitter and of the durations of calls. */
  seed: number;
  actions: Action[];
}
