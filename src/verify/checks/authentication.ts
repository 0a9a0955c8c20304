import { noteCancelled } from "../cancellable-shift.ts";
import { isPlain, isReply, type OperationId, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { type Run, wasServed } from "../run.ts";
import { idUnlike, otherCase, tokenUnlike } from "../test-numbers.ts";
import { ifServed, type Missing, skippedAs, type ValidRequest, validRequestFor } from "../valid-requests.ts";
import { BY_SHIFT, type Check, UNASSIGNMENTS } from "./check.ts";
import { answersTo, checkEach } from "./each-operation.ts";
import { sendWrong, type Wrong, wasRefusedHere } from "./wrong-requests.ts";

/** Every operation requires the whole token under the scheme Bearer (contract 5, provider obligation 1). */
export const authentication = checkEach("authentication", async function* (run, operation) {
  const request = await validRequestFor(run, operation);
  if ("reason" in request) yield* tryWithoutData(run, request);
  else yield* ifServed(TITLE, request, (served) => tryTokens(run, served));
});

const TITLE = "only the provider's own token is accepted";

/** A request without a token does not reveal whether a shift exists. */
export const unknownWithoutToken: Check = {
  group: "authentication",
  needs: ["shift", "assign"],
  run: askWithoutToken,
};

async function* askWithoutToken(run: Run): AsyncGenerator<Outcome> {
  if (run.isPolite) return;
  const path = {
    shiftId: idUnlike(run.fixtures.shiftId ?? run.madeUp("form"), run, "shift without token"),
    candidateId: run.madeUp("candidate"),
  };
  const offered = BY_SHIFT.filter((each) => each === "getShift" || (run.mayChange && isOffered(run, each)));
  const without = { path, authorization: null };
  const asked = offered.map((each) => [each, { ...harmless(run, each), ...without }] as const);
  for (const [, exchange] of await answersTo(run, asked, wasRefusedHere)) {
    const { status } = exchange.answer;
    const name = "a request without a token for an unknown shift";
    const details = { exchange, expected: `401 for ${name}`, actual: `status ${status}` };
    if (status === 404 || status === 410) yield found("auth_after_lookup", details);
    else if (status >= 400) yield passed(exchange.probe.operation, `${name} is refused`);
  }
}

const isOffered = ({ known }: Run, operation: OperationId) =>
  !UNASSIGNMENTS.some((each) => each === operation) || known.offered.has(operation);

async function* tryTokens(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  try {
    const refused = yield* sendWrong(run, request, wrongTokens(run, request.operation));
    if (refused !== undefined) yield* judgeEffect(run, request, refused);
  } finally {
    await request.undo();
  }
}

type Kind = "auth_missing" | "auth_any_token" | "auth_wrong_scheme";

/** Operations with more variations: their requests are cheap, and most providers share the token check. */
const CLOSELY: readonly OperationId[] = ["getShift", "listOutlets"];

function wrongTokens(run: Run, operation: OperationId): Wrong[] {
  const { token } = run.target.options;
  if (run.isPolite) return [wrongToken(["auth_missing", "a request without a token", null])];
  const close: [Kind, string, string][] = [
    ["auth_missing", "an empty bearer token", "Bearer"],
    ["auth_any_token", "the token with one more character", `Bearer ${token}~`],
    ["auth_any_token", "the token without its last character", `Bearer ${token.slice(0, -1)}`],
    ["auth_any_token", "the token with the case of its letters swapped", `Bearer ${otherCase(token)}`],
    ["auth_wrong_scheme", "the token under the scheme Token", `Token ${token}`],
    ["auth_wrong_scheme", "the token without a scheme", token],
  ];
  const wrongs: [Kind, string, string | null][] = [
    ["auth_missing", "a request without a token", null],
    ["auth_any_token", "an unknown token", `Bearer ${tokenUnlike(token, run.madeUp("token"))}`],
    ["auth_wrong_scheme", "the token under the scheme Basic", `Basic ${token}`],
    ...(CLOSELY.includes(operation) ? close.filter(([, , text]) => text !== `Bearer ${token}`) : []),
  ];
  return wrongs.map(wrongToken);
}

const wrongToken = ([kind, name, authorization]: [Kind, string, string | null]): Wrong => ({
  change: { authorization },
  verdict: (reply) => verdictOf(kind, name, reply),
});

const LOGIN = "Return 401 for a request without a valid token, in place of the redirect to a login page.";
const isLogin = (status: number) => status >= 300 && status < 400;

function verdictOf(kind: Kind, name: string, exchange: Reply): Outcome {
  const { status } = exchange.answer;
  const expected = `401 for ${name}`;
  if (status === 401) return passed(exchange.probe.operation, `${name} is refused`);
  // A 409 for a creation reveals that the candidate exists.
  const isConflict = wasServed(exchange) && status === 409;
  const actual = `status ${status}${isConflict ? ": the request was processed" : ""}`;
  const details = { exchange, expected, actual, ...(isLogin(status) && { fix: LOGIN }) };
  return found(wasServed(exchange) ? kind : "auth_status", details);
}

async function* judgeEffect(
  run: Run,
  request: ValidRequest,
  refused: readonly Reply[],
): AsyncGenerator<Outcome> {
  const [exchange] = refused;
  if (!request.hasEffect || !exchange) return;
  const hasEffect = await request.hasEffect();
  if (!hasEffect) return yield passed(request.operation, "a call without the right token has no effect");
  noteCancelled(run, exchange);
  const expected = "no effect of a call without the right token";
  const actual = `status ${exchange.answer.status}, but it was applied`;
  yield found("auth_missing", { exchange, expected, actual });
}

/** Tests the operation without a valid request to compare with: a 401 still differs from a 404. */
async function* tryWithoutData(run: Run, missing: Missing): AsyncGenerator<Outcome> {
  const { operation, code } = missing;
  if (code === "skipped_not_offered" || code === "skipped_read_only") return yield skippedAs(TITLE, missing);
  const exchange = await run.send({ ...harmless(run, operation), authorization: null }, wasRefusedHere);
  const name = "a request without a token";
  if (!isReply(exchange)) return;
  const { status } = exchange.answer;
  if (wasServed(exchange) || isLogin(status)) return yield verdictOf("auth_missing", name, exchange);
  if (!isPlain(exchange)) return;
  if (status === 401 || status === 403) return yield passed(operation, `${name} is refused`);
  const reason = `${missing.reason}; the provider returns ${status} for unknown ids`;
  yield skipped("skipped_not_prepared", operation, TITLE, reason);
}

/** Returns a request with unknown ids, and a body that creates no candidate. */
function harmless(run: Run, operation: OperationId): Probe {
  const path = { shiftId: run.madeUp("shift"), candidateId: run.madeUp("candidate") };
  const takesBody = operation === "updateShift" || operation === "createCandidate";
  return { operation, path, ...(takesBody && { json: {} }) };
}
