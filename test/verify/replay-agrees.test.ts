import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, it } from "vitest";
import { type PactInteraction, type PactResponse, readContract } from "../../src/verify/contracts.ts";
import { mismatchesOf } from "../../src/verify/pact/mismatches.ts";
import { useVerifier } from "../harness/pact/verifier.ts";

const verify = useVerifier();
const contract = await readContract("provider");

interface Answer {
  status: number;
  /** Undefined: none. */
  json: unknown;
}

/** Values that replace the value of a field. */
const OTHERS: readonly unknown[] = [
  null,
  true,
  0,
  2.5,
  -3,
  "",
  "text",
  "2027-03-27T22:00:00Z",
  "18900116-9813",
  [],
  [null],
  [{}],
  {},
  { id: "x" },
];

/** Yields the example of the contract and its variations: a missing field, an additional one, another value or another status. */
function* answersTo({ status, body }: PactResponse): Generator<Answer> {
  yield { status, json: body?.content };
  for (const other of [200, 201, 204, 400, 404, 409, 410, 422]) yield { status: other, json: body?.content };
  if (!body) return;
  yield { status, json: undefined };
  for (const json of changed(body.content)) yield { status, json };
}

function* changed(value: unknown): Generator<unknown> {
  yield* OTHERS;
  if (Array.isArray(value)) {
    yield [...value, ...value];
    yield [...value, null];
    for (const entry of changed(value[0] ?? null)) yield [entry];
    for (const entry of changed(value[0] ?? null)) yield [value[0], entry];
  } else if (typeof value === "object" && value !== null) {
    yield { ...value, another: 1 };
    for (const [name, own] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      for (const each of changed(own)) yield { ...rest, [name]: each };
    }
  }
}

/** Returns one interaction for each response, which the two routings share. */
function onceEach(interactions: readonly PactInteraction[]): PactInteraction[] {
  return [...new Map(interactions.map((each) => [JSON.stringify(each.response), each])).values()];
}

let next: Answer = { status: 500, json: undefined };
const stub = createServer((_, response) => {
  const text = next.json === undefined ? undefined : JSON.stringify(next.json);
  response.writeHead(next.status, text === undefined ? {} : { "Content-Type": "application/json" });
  response.end(next.status === 204 ? undefined : text);
});
await once(stub.listen(0, "127.0.0.1"), "listening");
afterAll(() => stub.close().closeAllConnections());

it("the replay refuses exactly the responses that Pact's verifier refuses", async () => {
  const cases = onceEach(contract.interactions).flatMap((interaction) =>
    [...answersTo(interaction.response as PactResponse)].map((answer, index) => ({
      interaction: {
        ...interaction,
        description: `${interaction.description} #${index}`,
        // Pact sets it up right before the request.
        providerStates: [
          { name: "it answers", params: { description: `${interaction.description} #${index}` } },
        ],
      },
      answer: answer.status === 204 ? { ...answer, json: undefined } : answer,
    })),
  );
  const answers = new Map(cases.map(({ interaction, answer }) => [interaction.description, answer]));
  const broken: string[] = [];
  for (let start = 0; start < cases.length; start += BATCH) {
    const verdict = await verify({
      contracts: [
        {
          ...contract,
          interactions: cases.slice(start, start + BATCH).map(({ interaction }) => interaction),
        },
      ],
      baseUrl: `http://127.0.0.1:${(stub.address() as AddressInfo).port}`,
      states: {
        "it answers": ({ description }: { description: string } = { description: "" }) => {
          next = answers.get(description) ?? next;
          return VALUES;
        },
      },
    });
    broken.push(...Object.keys(verdict.broken));
  }
  const refused = cases.filter(
    ({ interaction, answer }) => mismatchesOf(interaction.response as PactResponse, answer).length > 0,
  );
  expect(cases.length).toBeGreaterThan(1_000);
  expect(refused.map(({ interaction }) => interaction.description).sort()).toEqual(broken.sort());
}, 120_000);

/** Pact's verifier takes longer for each interaction when there are more of them. */
const BATCH = 50;

const VALUES = {
  providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11",
  shiftId: "s",
  candidateId: "c",
  assignedCandidateId: "a",
  personalNumber: "189001169813",
  hyphenatedNumber: "18900116-9813",
  startTime: "2027-03-27T22:00:00+01:00",
  endTime: "2027-03-28T06:00:00+02:00",
};
