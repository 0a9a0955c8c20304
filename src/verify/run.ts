import type { CandidateCreate, Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";
import { type Exchange, isReply, type OperationId, type Probe } from "./exchange.ts";
import type { Found } from "./finding.ts";
import { type Target, uuidFrom } from "./http-target.ts";
import type { KnownForms } from "./interactions.ts";
import { judgeForms } from "./judge/dialect-consistency.ts";
import { judge } from "./judge/judge.ts";
import type { Fixtures, OtherTenant } from "./options.ts";

/** What one verification knows and uses; checks read it, and write down in `forms` and `known` what they found out. */
export interface Run {
  readonly target: Target;
  /** Undefined: nothing was given. States that were set up are in here too. */
  readonly fixtures: Fixtures;
  readonly other: OtherTenant | undefined;
  /** Where provider states are set up. Undefined: nowhere. */
  readonly statesUrl?: string | undefined;
  /** Creates a shift that may be cancelled, and returns its id. */
  readonly createShift?: (() => Promise<string>) | undefined;
  /** False with --read-only: then only GET is called. */
  readonly mayChange: boolean;
  /** Few requests, and none that a firewall takes for an attack. */
  readonly isPolite: boolean;
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The provider's forms, as far as they were found out. */
  readonly forms: KnownForms;
  readonly known: Known;
  /** Undefined: who changes the shift has it for themselves. */
  readonly arranged?: Arranged;
  /**
   * An operation that hung once is not asked again.
   * @param isJudged leaves an answer out of the judgement: one that echoes the nonsense that it was sent is not a second mistake
   * @param before called when there is room for the request; what it throws is thrown
   */
  send(probe: Probe, isJudged?: (exchange: Exchange) => boolean, before?: () => void): Promise<Exchange>;
  /** The same run for one who is heard apart, and whose requests are so urgent. */
  heardBy(ear: Ear, urgency: number): Run;
  /** Returns an unknown UUID, the same for the same seed and name. */
  madeUp(name: string): string;
}

/** Receives each response status and each finding. */
export interface Ear {
  found(found: Found): void;
  answered(operation: OperationId, status: string): void;
}

/** What an answer says, by name: the parts that must be the same each time. */
export type Facts = Readonly<Record<string, string>>;

/** What was found out of the provider's data. */
export interface Known {
  /** Of the fixtures, as it was before anything was changed. */
  shift?: ShiftBody;
  /** A shift that may be cancelled, or why there is none. */
  cancellable?: Search;
  /** A test person that the kit created for this run, or an earlier one did. */
  person?: Promise<PreparedPerson>;
  /** Another one, of the full payload. */
  second?: Promise<PreparedPerson>;
  /** The candidate that the replay of the contracts created. */
  third?: Promise<string | undefined>;
  /** First results of the reads of the organisation, by operation. */
  readonly told: Map<OperationId, Facts>;
  /** Whether the other organisation is served with its own token. */
  isOtherServed?: Promise<boolean>;
  /** A personal number that the provider has shown to know, in the form under which it was found. */
  number?: string;
  /** The only name under which an update may give the positions: the other one is refused as unknown. */
  positionsName?: "slots" | "numberOfPositions";
  /** A lookup under 12 digits is refused with 400 or 422. */
  refusesDigits?: boolean;
  /** A candidate is created under the hyphenated form only. */
  createsHyphenated?: boolean;
  /** Test numbers that are in use in this run. */
  readonly claimed: Set<string>;
  /** Forms of unassignment that were served. */
  readonly offered: Set<OperationId>;
  /** Candidates that the run has tried to assign, by shift. */
  readonly placed: Map<string, Set<string>>;
  /** Operations whose right request was served. */
  readonly served: Set<OperationId>;
}

/** A shift that may be cancelled, or why there is none and the last read. */
export type Search = Cancellable | { missing: string; read?: Exchange };

/** A shift that is there to be cancelled. */
export interface Cancellable {
  shiftId: string;
  /** As it was before anything was changed; undefined when it was gone already. */
  body: ShiftBody | undefined;
  /** A DELETE of it was acknowledged, by whatever check. */
  isCancelled: boolean;
  /** It was gone before this run. */
  isUsedUp: boolean;
}

/** How the shift of the fixtures stands while wrong requests are tried at the same time: one test person is on it, another one is not. */
export interface Arranged {
  body: ShiftBody;
  seated: string;
  standing: string;
}

/** A test person of this run: how they were looked up and created, for the checks to judge. */
export interface PreparedPerson {
  number: PersonalNumber;
  payload: CandidateCreate;
  /** Lookups under 12 digits and under the hyphenated form, before the creation: both found no candidate. */
  lookups: { digits: Exchange; hyphenated: Exchange };
  /** The same after the creation; undefined when no candidate was created. */
  found: PreparedPerson["lookups"] | undefined;
  /** Undefined when read-only. */
  creation: Exchange | undefined;
  /** The creation under 12 digits, when only the one under the hyphenated form was served. */
  refusal: Exchange | undefined;
  /** As the provider assigned it; undefined when the creation failed or was not tried. */
  candidateId: string | undefined;
  /** Created by an earlier run: every number that was tried was taken. */
  isReused: boolean;
}

export interface RunParts
  extends Pick<Run, "target" | "fixtures" | "mayChange" | "isPolite" | "seed" | "now" | "other"> {
  statesUrl?: string | undefined;
  createShift?: Run["createShift"];
}

export function createRun(parts: RunParts, ear: Ear = { found: () => {}, answered: () => {} }): Run {
  const { target, seed } = parts;
  const hung = new Map<string, Exchange>();
  const forms: KnownForms = {};
  const known: Known = {
    ...{ told: new Map(), placed: new Map() },
    ...{ claimed: new Set(), offered: new Set(), served: new Set() },
  };

  async function send(
    given: Probe,
    isJudged: (exchange: Exchange) => boolean,
    { found, answered }: Ear,
    urgency: number,
    before?: () => void,
  ): Promise<Exchange> {
    const probe = withOneName(given, known.positionsName);
    const earlier = hung.get(probe.operation);
    if (earlier) return { ...earlier, probe };
    notePlaced(probe, known);
    const exchange = await target.send(probe, urgency, before);
    const { answer } = exchange;
    if (answer.kind === "hung") hung.set(probe.operation, exchange);
    answered(probe.operation, answer.kind === "answer" ? String(answer.status) : answer.kind);
    if (!isJudged(exchange)) return exchange;
    const findings = [...judge(exchange), ...judgeForms(exchange, forms)];
    if (wasServed(exchange)) known.served.add(probe.operation);
    for (const each of findings) found(each);
    return exchange;
  }

  const heardBy = (heard: Ear, urgency: number): Run => ({
    ...{ statesUrl: undefined, ...parts, forms, known, heardBy },
    madeUp: (name) => uuidFrom(`${seed} ${name}`),
    send: (probe, isJudged = () => true, before) => send(probe, isJudged, heard, urgency, before),
  });
  return heardBy(ear, 0);
}

/** The same request again finds the person who is there: 409 shows as well as a success that it was looked at. */
export function wasServed(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (
    (status >= 200 && status < 300) || (status === 409 && exchange.probe.operation === "createCandidate")
  );
}

/** Before it is sent: it may take effect although no answer comes. */
function notePlaced({ operation, path }: Probe, { placed }: Known): void {
  const { shiftId, candidateId } = path ?? {};
  if (operation !== "assignCandidate" || shiftId === undefined || candidateId === undefined) return;
  const there = placed.get(shiftId) ?? new Set();
  placed.set(shiftId, there.add(candidateId));
}

/** An update without the name of the positions that this provider does not know. */
function withOneName(probe: Probe, name: Known["positionsName"]): Probe {
  const { operation, json } = probe;
  if (name === undefined || operation !== "updateShift" || typeof json !== "object" || json === null)
    return probe;
  const other = name === "slots" ? "numberOfPositions" : "slots";
  if (Array.isArray(json) || !(name in json) || !(other in json)) return probe;
  const { [other]: _, ...rest } = json as Record<string, unknown>;
  return { ...probe, json: rest };
}
