import type { CandidateCreate, Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";
import type { KnownForms } from "./contracts.ts";
import { type Exchange, isReply, type OperationId, type Probe } from "./exchange.ts";
import type { Found, Skipped } from "./finding.ts";
import { type Target, uuidFrom } from "./http-target.ts";
import { isObject } from "./json-object.ts";
import { judge, judgeForms } from "./judge/judge.ts";
import type { Fixtures, OtherTenant } from "./options.ts";

/** Data and state of one verification. Checks write what they detect to `forms` and `known`. */
export interface Run {
  readonly target: Target;
  /** Undefined members were not given. Includes values of provider states. */
  readonly fixtures: Fixtures;
  readonly other: OtherTenant | undefined;
  readonly statesUrl?: string | undefined;
  readonly createShift?: (() => Promise<string>) | undefined;
  /** False with --read-only: then only GET is sent. */
  readonly mayChange: boolean;
  readonly isPolite: boolean;
  readonly seed: number;
  readonly numbers: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly forms: KnownForms;
  readonly known: Known;
  /** Undefined if a check has exclusive use of the fixture shift. */
  readonly shared?: SharedShift;
  /**
   * Sends a request. After a timeout, an operation is not called again.
   * @param isJudged false excludes a response from the judge, such as one that echoes invalid input
   * @param before called right before sending; an exception prevents the request
   */
  send(probe: Probe, isJudged?: (exchange: Exchange) => boolean, before?: () => void): Promise<Exchange>;
  observedBy(observer: Observer, urgency: number): Run;
  /** Returns an unknown UUID, the same for the same seed and name. */
  madeUp(name: string): string;
}

/** Receives each response status and each finding. */
export interface Observer {
  found(found: Found | Skipped): void;
  answered(operation: OperationId, status: string): void;
}

/** Comparable parts of a response, by name. */
export type Facts = Readonly<Record<string, string>>;

export interface Known {
  /** The fixture shift in its original state. */
  shift?: ShiftBody;
  cancellable?: CancellableResult;
  /** A test candidate, created by this run or an earlier one. */
  person?: Promise<PreparedPerson>;
  /** A second test candidate, with the full payload. */
  second?: Promise<PreparedPerson>;
  /** A number of the purpose `unused`, with its lookups. */
  unused?: Promise<TestNumber>;
  readonly sent: Map<string, Promise<Exchange>>;
  /** First results of the reads of outlets and roles, by operation. */
  readonly firstReads: Map<OperationId, Facts>;
  isOtherServed?: Promise<boolean>;
  /** A personal number under which a lookup found a candidate. */
  number?: string;
  refusesDigits?: boolean;
  createsHyphenated?: boolean;
  /** About how many more runs find a number for a new candidate; 0 if this one found none. Undefined if it needed none. */
  runsLeft?: number;
  /** Every test number has a candidate, and one of them was created by an earlier run. */
  wasCreatedBefore?: boolean;
  /** Test numbers under which there was a candidate before the run. */
  readonly there: Set<string>;
  /** Personal numbers of all creations, without hyphens: what a lookup finds under them may be of this run. */
  readonly sentNumbers: Set<string>;
  /** Personal numbers of creations that succeeded, as sent. */
  readonly created: Set<string>;
  /** Forms of unassignment that succeeded. */
  readonly offered: Set<OperationId>;
  /** Candidates that the run has tried to assign, by shift. */
  readonly tried: Map<string, Set<string>>;
  /** Operations with a served valid request. */
  readonly served: Set<OperationId>;
}

/** A shift that may be cancelled, or why none is known, and the last read. */
export type CancellableResult = Cancellable | { missing: string; read?: Exchange };

export interface Cancellable {
  shiftId: string;
  /** The original state; undefined if it was already gone. */
  body: ShiftBody | undefined;
  /** Whether a DELETE was acknowledged. */
  isCancelled: boolean;
  /** Whether it was gone before this run. */
  isUsedUp: boolean;
}

/** State of the fixture shift during concurrent rejection tests: one test candidate is assigned, another one is not. */
export interface SharedShift {
  body: ShiftBody;
  assignedId: string;
  unassignedId: string;
}

export interface TestNumber {
  number: PersonalNumber;
  lookups: PreparedPerson["lookups"];
  /** Whether the lookups found a test candidate of an earlier run. */
  isTest: boolean;
}

/** A test candidate of this run, with its lookups and creation for the checks to judge. */
export interface PreparedPerson {
  number: PersonalNumber;
  payload: CandidateCreate;
  /** Lookups of both number formats before the creation: neither found a candidate. */
  lookups: { digits: Exchange; hyphenated: Exchange };
  /** Lookups after the creation; undefined if no candidate was created. */
  found: PreparedPerson["lookups"] | undefined;
  /** Undefined when read-only. */
  creation: Exchange | undefined;
  /** The refused creation under 12 digits, if the hyphenated one was served. */
  refusal: Exchange | undefined;
  /** The provider's id; undefined if there was no successful creation. */
  candidateId: string | undefined;
  /** Created by an earlier run, because every tried number was taken. */
  isReused: boolean;
}

export type RunParts = Omit<Run, "forms" | "known" | "shared" | "send" | "observedBy" | "madeUp">;

const SILENT: Observer = { found: () => {}, answered: () => {} };

export function createRun(parts: RunParts, observer = SILENT): Run {
  const { target, seed } = parts;
  const hung = new Map<string, Exchange>();
  const forms: KnownForms = {};
  const known: Known = {
    sent: new Map(),
    firstReads: new Map(),
    tried: new Map(),
    there: new Set(),
    sentNumbers: new Set(),
    created: new Set(),
    offered: new Set(),
    served: new Set(),
  };

  async function send(
    probe: Probe,
    isJudged: (exchange: Exchange) => boolean,
    { found, answered }: Observer,
    urgency: number,
    before?: () => void,
  ): Promise<Exchange> {
    const earlier = hung.get(probe.operation);
    if (earlier) return { ...earlier, probe };
    noteTried(probe, known);
    const exchange = await target.send(probe, urgency, before);
    const { answer } = exchange;
    if (answer.kind === "hung") hung.set(probe.operation, exchange);
    noteCreated(exchange, known);
    answered(probe.operation, answer.kind === "answer" ? String(answer.status) : answer.kind);
    if (!isJudged(exchange)) return exchange;
    const findings = [...judge(exchange), ...judgeForms(exchange, forms)];
    if (wasServed(exchange)) known.served.add(probe.operation);
    for (const each of findings) found(each);
    return exchange;
  }

  const observedBy = (observer: Observer, urgency: number): Run => ({
    ...parts,
    forms,
    known,
    observedBy,
    madeUp: (name) => uuidFrom(`${seed} ${name}`),
    send: (probe, isJudged = () => true, before) => send(probe, isJudged, observer, urgency, before),
  });
  return observedBy(observer, 0);
}

/** Returns the first response to a request that several checks send: a second one would prove nothing more. */
export function sendOnce(run: Run, probe: Probe): Promise<Exchange> {
  const key = JSON.stringify(probe);
  const first = run.known.sent.get(key) ?? run.send(probe);
  run.known.sent.set(key, first);
  return first;
}

/** Whether the request was processed. 409 for a creation shows it as well: the candidate exists. */
export function wasServed(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (
    (status >= 200 && status < 300) || (status === 409 && exchange.probe.operation === "createCandidate")
  );
}

/** Called before sending: the request may take effect without a response. */
function noteTried({ operation, path, json }: Probe, { tried, sentNumbers }: Known): void {
  if (operation === "createCandidate") {
    for (const number of numbersIn(json)) sentNumbers.add(number.replace("-", ""));
  }
  const { shiftId, candidateId } = path ?? {};
  if (operation !== "assignCandidate" || shiftId === undefined || candidateId === undefined) return;
  const there = tried.get(shiftId) ?? new Set();
  tried.set(shiftId, there.add(candidateId));
}

function noteCreated(exchange: Exchange, { created }: Known): void {
  const { operation, json } = exchange.probe;
  if (operation !== "createCandidate" || !isReply(exchange) || exchange.answer.status >= 300) return;
  for (const number of numbersIn(json)) created.add(number);
}

function numbersIn(json: unknown): string[] {
  const number = isObject(json) ? json.personalNumber : undefined;
  return typeof number === "string" || typeof number === "number" ? [String(number)] : [];
}

/** Notes that an earlier run, or the provider, has a candidate under the number. */
export function noteThere({ known }: Run, number: string): void {
  if (!known.sentNumbers.has(number)) known.there.add(number);
}
