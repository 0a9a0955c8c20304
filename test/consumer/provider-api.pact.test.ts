import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operationsTable } from "../../generated/provider/server.ts";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp, type ProviderHttp } from "../../src/clients/provider/http.ts";
import { recordContract } from "../harness/pact/contract-file.ts";
import { addExchange, type Exchange, type Row, routed } from "../harness/pact/exchange.ts";
import { EXAMPLES, filled } from "../harness/pact/matching.ts";
import { assignmentRows } from "./provider-assignments.ts";
import { candidateRows } from "./provider-candidates.ts";
import { organisationRows } from "./provider-organisation.ts";
import { shiftRows } from "./provider-shifts.ts";

const rows = [...shiftRows, ...assignmentRows, ...candidateRows, ...organisationRows];
const contract = recordContract("http");
let http: ProviderHttp;
beforeAll(() => {
  http = createProviderHttp({ allowInsecure: true });
});
afterAll(() => http.close());

/** Method and path of each request, in the order of the real client. */
async function callsOf(row: Row, baseUrl: string, routing: "path" | "header") {
  const requests: string[] = [];
  const client = createProviderClient({
    baseUrl,
    routing,
    providerId: EXAMPLES.providerId,
    token: "provider-token",
    ...(row.seen && { seen: row.seen }),
    fetch: (request) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`);
      return http.fetch(request);
    },
  });
  return { outcome: await row.call(client), requests };
}

describe.each(["path", "header"] as const)("the platform calls a provider with %s routing", (routing) => {
  for (const row of rows) {
    contract.it(row.calls, async (pact) => {
      const added = row.exchanges.map((exchange) => addExchange(pact, exchange, routing));
      await added.at(-1)?.executeTest(async ({ url }) => {
        const { outcome, requests } = await callsOf(row, url, routing);
        expect(outcome).toMatchObject(row.gives);
        expect(requests).toEqual(row.exchanges.map((exchange) => requestOf(exchange, routing)));
      });
    });
  }
});

it("the platform's tests call every operation of the document", () => {
  const called = rows.flatMap(({ exchanges }) => exchanges.map(operationOf));
  const offered = operationsTable.map(({ method, path }) => `${method} ${path}`);
  expect([...new Set(called)].sort()).toEqual(offered.sort());
});

const requestOf = (exchange: Exchange, routing: "path" | "header") =>
  `${exchange.method} ${filled(routed(exchange, routing))}`;

const operationOf = ({ method, path }: Exchange) =>
  `${method} ${path.replace("{assignedCandidateId}", "{candidateId}")}`;
