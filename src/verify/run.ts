import type { CandidateCreate, Shift as ShiftBody } from "../../generated/provider/types.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";
import type { Found } from "./finding.ts";
import type { KnownForms } from "./interactions.ts";
import { judgeForms } from "./judge/forms.ts";
import { judge } from "./judge/judge.ts";
import type { Fixtures, OtherTenant } from "./options.ts";
import type { Replayer } from "./pact/replayer.ts";
import { type Exchange, type OperationId, type Probe, type Target, uuidFrom } from "./target.ts";

/** What one verification knows and uses; checks read it, and write down in `forms` and `known` what they found out. */
export interface Run {
  readonly target: Target;
  /** Undefined: nothing was given. States that were set up are in here too. */
  readonly fixtures: Fixtures;
  readonly other: OtherTenant | undefined;
  /** Where provider states are set up. Undefined: nowhere. */
  readonly statesUrl?: string | undefined;
  /** What replays contracts; undefined when none are to be replayed. */
  readonly replayer?: Replayer | undefined;
  /** False with --read-only: then only GET is called. */
  readonly mayChange: boolean;
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The provider's forms, as far as they were found out. */
  readonly forms: KnownForms;
  readonly known: Known;
  /**
   * An operation that hung once is not asked again.
   * @param isJudged leaves an answer out of the judgement: one that echoes the nonsense that it was sent is not a second mistake
   */
  send(probe: Probe, isJudged?: (exchange: Exchange) => boolean): Promise<Exchange>;
  /** A UUID that nobody has, the same for the same seed and name. */
  madeUp(name: string): string;
}

/** What an answer says, by name: the parts that must be the same each time. */
export type Facts = Readonly<Record<string, string>>;

/** What was found out of the provider's data. */
export interface Known {
  /** The shift of the fixtures as it was before anything was changed. */
  shift?: ShiftBody;
  /** A test person that the kit created for this run. */
  person?: Promise<PreparedPerson>;
  /** Ids of `GET /outlets` and `GET /roles`. */
  outletIds?: ReadonlySet<string>;
  roleIds?: ReadonlySet<string>;
  /** What reads of the organisation have told, by operation. */
  readonly told: Map<OperationId, Facts>;
  /** A personal number that the provider has shown to know, in the form under which it was found. */
  number?: string;
  /** The only name under which an update may give the positions: the other one is refused as unknown. */
  positionsName?: "slots" | "numberOfPositions";
  /** A lookup under 12 digits is refused with 400 or 422. */
  refusesDigits?: boolean;
  /** A candidate is created under the hyphenated form only. */
  createsHyphenated?: boolean;
  /** Id of the person who was created with the full payload. */
  hiredId?: string;
  /** Forms of unassignment that were served. */
  readonly offered: Set<OperationId>;
  /** Whom the run has tried to assign to the shift of the fixtures. */
  readonly placed: Set<string>;
  /** Whether the right request to an operation is served, for what was tried. */
  readonly served: Map<OperationId, Promise<boolean>>;
  /** A DELETE of the cancellable shift was acknowledged, by whatever check. */
  cancelled?: boolean;
}

/** A test person of this run: how they were looked up and created, for the checks to judge. */
export interface PreparedPerson {
  number: PersonalNumber;
  payload: CandidateCreate;
  /** Lookups under 12 digits and under the hyphenated form, before the creation: both found nobody. */
  lookups: { digits: Exchange; hyphenated: Exchange };
  /** The same after the creation; undefined when nobody was created. */
  found: PreparedPerson["lookups"] | undefined;
  /** Undefined when read-only. */
  creation: Exchange | undefined;
  /** The creation under 12 digits, when only the one under the hyphenated form was served. */
  refusal: Exchange | undefined;
  /** As the provider assigned it; undefined when the creation failed or was not tried. */
  candidateId: string | undefined;
}

export interface RunParts {
  target: Target;
  fixtures: Fixtures;
  other: OtherTenant | undefined;
  statesUrl?: string | undefined;
  replayer?: Replayer | undefined;
  mayChange: boolean;
  seed: number;
  now: () => number;
  /** Told of what is wrong with an answer. */
  onFound: (found: Found) => void;
  onAnswer: (operation: OperationId, status: string) => void;
}

export function createRun({ target, onFound, onAnswer, ...rest }: RunParts): Run {
  const hung = new Map<string, Exchange>();
  const forms: KnownForms = {};
  const known: Known = { told: new Map(), offered: new Set(), placed: new Set(), served: new Map() };
  return {
    ...rest,
    target,
    forms,
    known,
    madeUp: (name) => uuidFrom(`${rest.seed} ${name}`),
    send: async (given, isJudged = () => true) => {
      const probe = withOneName(given, known.positionsName);
      const earlier = hung.get(probe.operation);
      if (earlier) return { ...earlier, probe };
      notePlaced(probe, rest.fixtures, known);
      const exchange = await target.send(probe);
      const { answer } = exchange;
      if (answer.kind === "hung") hung.set(probe.operation, exchange);
      onAnswer(probe.operation, answer.kind === "answer" ? String(answer.status) : answer.kind);
      if (!isJudged(exchange)) return exchange;
      for (const each of [...judge(exchange), ...judgeForms(exchange, forms)]) onFound(each);
      return exchange;
    },
  };
}

/** Before it is sent: it may take effect although no answer comes. */
function notePlaced({ operation, path }: Probe, { shiftId }: Fixtures, { placed }: Known): void {
  if (operation !== "assignCandidate" || shiftId === undefined || path?.shiftId !== shiftId) return;
  if (path.candidateId !== undefined) placed.add(path.candidateId);
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
