import { operationsTable } from "../../../generated/provider/server.ts";
import { type Exchange, isPlain, type OperationId, type Probe, type Reply } from "../exchange.ts";
import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";
import {
  creationRequest,
  ifServed,
  type Missing,
  updateRequest,
  type ValidRequest,
} from "../valid-requests.ts";
import { ASSIGNMENTS, type Check, type Fact, type Holds } from "./check.ts";

/** Operations that change nothing. */
export const READS: readonly OperationId[] = [
  ...(["getShift", "listOutlets", "listRoles", "findCandidates", "getCandidateRegistry"] as const),
];
const ON_SHIFT: readonly OperationId[] = ["updateShift", ...ASSIGNMENTS];

/** Facts that the valid request of an operation needs. */
const NEEDS: Readonly<Record<OperationId, readonly Fact[]>> = {
  listOutlets: [],
  listRoles: [],
  getCandidateRegistry: ["registry"],
  getShift: ["shift"],
  findCandidates: ["number", "unknownCandidate"],
  createCandidate: ["person"],
  cancelShift: ["cancellable"],
  updateShift: ["update", "settled"],
  assignCandidate: ["assign", "settled"],
  unassignCandidate: ["assign", "settled"],
  deleteAssignment: ["assign", "settled"],
};

const HOLDS: Partial<Record<OperationId, Holds>> = {
  createCandidate: { people: "adds" },
  cancelShift: { cancellable: "changes" },
};

/** Returns the same check for every operation. Each runs as soon as its request is possible. */
export function checkEach(
  group: Group,
  check: (run: Run, operation: OperationId) => AsyncIterable<Outcome>,
  rejection: Check["rejection"] & {} = true,
): Check[] {
  return operationsTable.map(({ operationId }) => ({
    group,
    needs: NEEDS[operationId],
    run: (run: Run) => check(run, operationId),
    ...(HOLDS[operationId] && { holds: HOLDS[operationId] }),
    ...(operationId === "cancelShift" && { gives: ["used"] as const }),
    ...(ON_SHIFT.includes(operationId) && { rejection }),
  }));
}

type CheckBody = (run: Run, request: ValidRequest) => AsyncIterable<Outcome>;

/** Returns a function for checks of bodies, which run if the valid request is served. */
const checkBodies =
  (plan: Omit<Check, "group" | "run">, requestFor: (run: Run) => Promise<ValidRequest | Missing>) =>
  (group: Group, title: string, check: CheckBody): Check => ({
    ...plan,
    group,
    run: async function* (run) {
      yield* ifServed(title, await requestFor(run), (served) => check(run, served));
    },
  });

export const checkUpdates = checkBodies({ needs: ["update", "settled"], rejection: true }, updateRequest);
export const checkCreations = checkBodies({ needs: ["person"], holds: { people: "adds" } }, creationRequest);

/** Sends each request at the same time. Returns the responses that a check can judge, with what each is about. */
export async function answersTo<About>(
  run: Run,
  asked: readonly (readonly [about: About, probe: Probe])[],
  isJudged?: (exchange: Exchange) => boolean,
): Promise<[About, Reply][]> {
  const sent = asked.map(async ([about, probe]) => [about, await run.send(probe, isJudged)] as const);
  return (await Promise.all(sent)).flatMap(([about, each]): [About, Reply][] =>
    isPlain(each) ? [[about, each]] : [],
  );
}
