import { isPlain, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { creating, type Exercise, ifServed, updating } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { sendAll, wasRefused } from "./wrong-requests.ts";

/** Bodies that are no JSON, or no object: the judge sees a 5xx; here a success is what is wrong. */
export const malformedBodies: readonly Check[] = [
  { group: "errors", needs: ["update", "settled"], tries: true, run: (run) => sendMalformed(run, updating) },
  {
    group: "errors",
    needs: ["person"],
    holds: { people: "adds" },
    run: (run) => sendMalformed(run, creating),
  },
];

const TITLE = "a malformed body is refused";

/** By what they are called in a finding. */
const UNREADABLE: Readonly<Record<string, string>> = {
  "a body that is no JSON": "startTime=tomorrow&personalNumber=unknown",
  "half of a JSON object": '{"startTime": "2030-01-01T08:00:00Z", "firstName": "Ve',
  "an empty body": "",
};
const NO_OBJECT: Readonly<Record<string, string>> = {
  "an array for a body": "[]",
  "a text for a body": '"text"',
  "null for a body": "null",
};

async function* sendMalformed(run: Run, exercising: typeof updating): AsyncGenerator<Outcome> {
  yield* ifServed(TITLE, await exercising(run), (served) => sendTo(run, served));
}

async function* sendTo(run: Run, exercise: Exercise): AsyncGenerator<Outcome> {
  const { operation, probe } = exercise;
  const bodies = Object.entries({ ...UNREADABLE, ...NO_OBJECT });
  const answered = await sendAll(run, exercise, bodies, ([, text]) => ({
    ...bodiless(probe),
    raw: { text, contentType: "application/json" },
  }));
  for (const [[name], exchange] of answered) {
    if (!isPlain(exchange)) continue;
    const { status } = exchange.answer;
    if (status >= 400) {
      yield passed(operation, `${name} is refused`);
      continue;
    }
    // The contract does not show the body of an update: what can be read may be taken for "change nothing".
    const isRead = operation === "updateShift" && name in NO_OBJECT;
    const code = isRead ? "invalid_tolerated" : "malformed_accepted";
    yield found(code, { exchange, expected: `4xx to ${name}`, actual: `status ${status}` });
  }
  yield* sendAsText(run, exercise);
}

/** Right JSON under another label: taking it is as right as refusing it, so that only the judge has a say. */
async function* sendAsText(run: Run, { operation, probe, unchanged }: Exercise): AsyncGenerator<Outcome> {
  const raw = { text: JSON.stringify(unchanged ?? probe.json), contentType: "text/plain" };
  const exchange = await run.send({ ...bodiless(probe), raw }, wasRefused);
  if (isPlain(exchange)) yield passed(operation, "a body of another type does no harm");
}

function bodiless({ json: _, ...rest }: Probe): Probe {
  return rest;
}
