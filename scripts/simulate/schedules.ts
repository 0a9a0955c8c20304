import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../src/contract/timestamp.ts";

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

const dialects: fc.Arbitrary<Dialect> = fc.record({
  sharesIds: fc.constantFrom(false, false, true),
  knowsFormerIds: fc.boolean(),
  absence: fc.constantFrom("404_coded", "404_bare", "410_coded"),
  afterDelete: fc.constantFrom("absent", "cancelled"),
  repeatedAssign: fc.constantFrom("ok", "409"),
  unassignUnassigned: fc.constantFrom("ok", "404", "409"),
  repeatedCreate: fc.constantFrom("409", "same_person", "idempotency_key", "undetected"),
  refusalsHaveCodes: fc.boolean(),
  listsNumbers: fc.boolean(),
  echoes: fc.boolean(),
  acceptsChanges: fc.boolean(),
  roundsToMs: fc.constantFrom(1, 1, 15 * MINUTE_MS),
});

const faults: fc.Arbitrary<CallFault> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("lost_before", "lost_after", "error_before", "error_after", "not_asked"),
  }),
  fc.record({ kind: fc.constant("lost_after" as const) }),
  fc.record({ kind: fc.constant("refused" as const) }),
  fc.record({
    kind: fc.constant("rate_limited" as const),
    retryAfterMs: fc.constantFrom(1_000, 30_000, 600_000),
  }),
  fc.record({
    kind: fc.constant("late" as const),
    cutAfterMs: fc.constantFrom(50, 10_000),
    effectAfterMs: fc.constantFrom(100, 1_000, 5_000, 9_000),
  }),
);

const webhookFaults: fc.Arbitrary<WebhookFault> = fc.oneof(
  fc.record({ kind: fc.constantFrom("lost", "duplicated", "sent_twice", "undispatched") }),
  fc.record({ kind: fc.constant("delayed" as const), delayMs: fc.constantFrom(2_000, 20_000, 300_000) }),
);

const replicas = fc.record({
  kind: fc.constant("lag" as const),
  lagMs: fc.constantFrom(200, 500, 3_000, 4_000, 20_000, 110_000),
  replicas: fc.constantFrom(1, 1, 2, 3),
});

const windows: fc.Arbitrary<Step> = fc
  .tuple(
    fc.oneof(
      fc.record({ kind: fc.constant("gateway" as const), operation: fc.constantFrom("all", ...OPERATIONS) }),
      fc.record({ kind: fc.constant("gateway" as const), operation: fc.constant("all" as const) }),
      fc.record({ kind: fc.constant("token" as const), status: fc.constantFrom(401, 403) }),
      fc.record({ kind: fc.constant("down" as const) }),
      replicas,
      fc.record({ kind: fc.constant("empty_lists" as const) }),
    ),
    fc.constantFrom(5_000, 60_000, 10 * MINUTE_MS, 2 * HOUR_MS),
  )
  .map(([window, forMs]) => ({ do: "window", forMs, ...window }) as Step);

const putBackMs = fc.constantFrom(2_000, 20_000, 5 * MINUTE_MS);

interface Weighted {
  weight: number;
  arbitrary: fc.Arbitrary<unknown>;
}

const steps = (shifts: number, candidates: number) =>
  fc.oneof(...shiftSteps(shifts, candidates), ...faultSteps) as fc.Arbitrary<Step>;

/** What people do: candidates, employers, operators, and the provider with its shifts. */
function shiftSteps(shifts: number, candidates: number): Weighted[] {
  const shift = fc.nat(shifts - 1);
  const candidate = fc.nat(candidates - 1);
  const byMs = fc.constantFrom(-30 * MINUTE_MS, 15 * MINUTE_MS, 20 * MINUTE_MS, 2 * HOUR_MS, 26 * HOUR_MS);
  const positions = fc.integer({ min: 0, max: 3 });
  const at = <Do extends string>(name: Do) => fc.record({ do: fc.constant(name), shift });
  const of = <Do extends string>(name: Do) => fc.record({ do: fc.constant(name), shift, candidate });
  const plain = <Do extends string>(...names: Do[]) => fc.record({ do: fc.constantFrom(...names) });
  const ownPerson = { do: fc.constantFrom("assign_own", "remove_own"), shift, person: fc.nat(1) };
  const change = {
    do: fc.constant("change"),
    shift,
    byMs: fc.option(byMs, { nil: undefined }),
    positions: fc.option(positions, { nil: undefined }),
  };
  const place = { outlet: fc.nat(1), role: fc.nat(1) };
  const edit = fc.oneof(
    fc.record({ to: fc.constant("move"), byMs }),
    // Too little for a person to read, most of the time.
    fc.record({ to: fc.constant("move"), byMs: fc.constantFrom(1, 400, 5_000, -20_000) }),
    fc.record({ to: fc.constant("resize"), positions }),
    fc.record({ to: fc.constant("place"), ...place }),
    fc.record({ to: fc.constant("back"), edits: fc.integer({ min: 1, max: 3 }) }),
  );
  const gapMs = fc.oneof(fc.integer({ min: 200, max: 3_000 }), fc.integer({ min: 3_000, max: 40_000 }));
  const edits = fc.array(fc.record({ afterMs: gapMs, edit }), { minLength: 2, maxLength: 6 });
  const notices = { count: fc.integer({ min: 2, max: 5 }), eachMs: gapMs };
  return [
    { weight: 3, arbitrary: fc.record({ do: fc.constant("burst"), shift, edits }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("announce"), shift, ...notices }) },
    { weight: 2, arbitrary: at("sample") },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("swap"), shift, to: shift, candidate }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("put_back"), shift, candidate, afterMs: putBackMs }),
    },
    { weight: 1, arbitrary: at("recreate") },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("merge"), candidate }) },
    { weight: 6, arbitrary: of("accept") },
    { weight: 3, arbitrary: of("withdraw") },
    { weight: 2, arbitrary: at("publish") },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("move"), shift, byMs }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("resize"), shift, positions }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("move_outlet"), shift, ...place }) },
    { weight: 2, arbitrary: at("delete") },
    { weight: 1, arbitrary: fc.oneof(at("cancel_at_provider"), at("restore"), at("spoof")) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("lose"), count: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 1, arbitrary: plain("return") },
    { weight: 1, arbitrary: fc.record(ownPerson) },
    { weight: 1, arbitrary: fc.oneof(of("assign_candidate"), of("remove_candidate")) },
    { weight: 1, arbitrary: at("cancel") },
    { weight: 2, arbitrary: fc.record(change) },
    { weight: 2, arbitrary: plain("replay", "map", "suspend", "activate", "rotate") },
  ];
}

/** What goes wrong: calls, gateways and replicas, webhooks, and the platform itself. */
const faultSteps: Weighted[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("faults"),
      operation: fc.constantFrom("any", "read", "look_up"),
      faults: fc.array(faults, { minLength: 1, maxLength: 3 }),
      eachMs: fc.constantFrom(200, 1_000, 10_000, 60_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("faults"),
      operation: fc.constantFrom("assign", "unassign", "cancel", "change", "create"),
      faults: fc.array(faults, { minLength: 1, maxLength: 3 }),
      eachMs: fc.constantFrom(1_000, 2 * MINUTE_MS, HOUR_MS),
    }),
  },
  { weight: 3, arbitrary: windows },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("webhooks"),
      faults: fc.array(webhookFaults, { minLength: 1, maxLength: 3 }),
      eachMs: fc.constantFrom(1_000, 20_000, 5 * MINUTE_MS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("crash"),
      inMs: fc.constantFrom(0, 50, 150, 1_000),
      call: fc.constantFrom("sent", "unsent"),
      lease: fc.boolean(),
    }),
  },
];

function shiftSpecs(isMass: boolean): fc.Arbitrary<ShiftSpec[]> {
  const spec = fc.record({
    startsInMs: fc.constantFrom(
      9 * HOUR_MS,
      9 * HOUR_MS,
      10 * HOUR_MS,
      30 * HOUR_MS,
      20 * MINUTE_MS,
      90 * MINUTE_MS,
    ),
    positions: fc.integer({ min: 1, max: 3 }),
    outlet: fc.constantFrom(0, 0, 0, 1),
    isKnown: fc.constantFrom(true, true, true, false),
  });
  return fc.array(spec, isMass ? { minLength: 7, maxLength: 9 } : { minLength: 1, maxLength: 3 });
}

const afterMs = fc.constantFrom(0, 20, 60, 200, 1_000, 5_000, 20_000, 2 * MINUTE_MS, 15 * MINUTE_MS);

/** Half of the schedules begin with replicas that lag. */
const lagging: fc.Arbitrary<Action> = fc.record({
  afterMs: fc.constant(0),
  step: replicas.map((window): Step => ({ do: "window", forMs: 2 * HOUR_MS, ...window })),
});

/** Returns random schedules with at most this many actions. One in eight has many shifts, which allows a loss of data. */
export function schedules(mostActions = 22): fc.Arbitrary<Schedule> {
  const isMass = fc.integer({ min: 0, max: 7 }).map((value) => value === 7);
  const actions = (shifts: number, candidates: number) =>
    fc.array(fc.record({ afterMs, step: steps(shifts, candidates) }), {
      minLength: 3,
      maxLength: mostActions,
      size: "max",
    });
  return fc.tuple(isMass.chain(shiftSpecs), fc.integer({ min: 1, max: 3 })).chain(([shifts, candidates]) =>
    fc.record({
      dialect: dialects,
      shifts: fc.constant(shifts),
      candidates: fc.constant(candidates),
      known: fc.nat(candidates),
      isSecondOutletMapped: fc.boolean(),
      seed: fc.nat(1_000_000),
      actions: fc
        .tuple(fc.option(lagging, { freq: 2 }), actions(shifts.length, candidates))
        .map(([first, others]) => [...(first ? [first] : []), ...others]),
    }),
  );
}
