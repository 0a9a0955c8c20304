import { isPlain, type Probe } from "../exchange.ts";
import { type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import type { ValidRequest } from "../valid-requests.ts";
import { checkCreations, checkUpdates } from "./each-operation.ts";
import { refusalOf, sendAll, wasRefused } from "./wrong-requests.ts";

/** Bodies that are not JSON, or not an object. The judge reports a 5xx; this check reports a success. */
export const malformedBodies = [checkUpdates, checkCreations].map((checkBodies) =>
  checkBodies("errors", "a malformed body is refused", sendTo),
);

/** By their name in findings. */
const UNREADABLE: Readonly<Record<string, string>> = {
  "a body that is not JSON": "startTime=tomorrow&personalNumber=unknown",
  "half of a JSON object": '{"startTime": "2030-01-01T08:00:00Z", "firstName": "Ve',
  "an empty body": "",
};
const NO_OBJECT: Readonly<Record<string, string>> = {
  "an array as the body": "[]",
  "a string as the body": '"text"',
  "null as the body": "null",
};

async function* sendTo(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const { operation, probe } = request;
  const bodies = Object.entries({ ...UNREADABLE, ...NO_OBJECT });
  const answered = await sendAll(run, request, bodies, ([, text]) => ({
    ...bodiless(probe),
    raw: { text, contentType: "application/json" },
  }));
  for (const [[name], exchange] of answered) {
    if (!isPlain(exchange)) continue;
    // The contract does not define the body of an update: readable JSON may mean "change nothing".
    const isRead = operation === "updateShift" && name in NO_OBJECT;
    const code = isRead ? "invalid_tolerated" : "malformed_accepted";
    yield refusalOf(exchange, name, code);
  }
  yield* sendAsText(run, request);
}

/** Sends valid JSON as text/plain. The provider may accept or refuse it, so only the judge checks the response. */
async function* sendAsText(run: Run, { operation, probe, unchanged }: ValidRequest): AsyncGenerator<Outcome> {
  const raw = { text: JSON.stringify(unchanged ?? probe.json), contentType: "text/plain" };
  const exchange = await run.send({ ...bodiless(probe), raw }, wasRefused);
  if (isPlain(exchange)) yield passed(operation, "a body with another Content-Type causes no server error");
}

function bodiless({ json: _, ...rest }: Probe): Probe {
  return rest;
}
