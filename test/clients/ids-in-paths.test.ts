import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { schemas } from "../../generated/provider/validators.js";
import { createProviderClient, type ProviderClient } from "../../src/clients/provider/client.ts";
import { createProviderHttp } from "../../src/clients/provider/http.ts";
import { CALL } from "../harness/provider-sandbox.ts";

const providerId = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
/** Starts a server that records the raw targets of the requests. */
const targets: string[] = [];
const server = createServer((request, response) => {
  targets.push(`${request.method} ${request.url}`);
  response.writeHead(204).end();
});
const http = createProviderHttp({ allowInsecure: true });
let client: ProviderClient;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createProviderClient({ baseUrl, providerId, token: "provider-token", fetch: http.fetch });
});
afterAll(async () => {
  await http.close();
  server.close();
});

/** Valid ids of shifts and people that a path could misread. */
const PARTS = [
  "..",
  ".",
  "/",
  "\\",
  "%2f",
  "%2e",
  "?",
  "#",
  ";",
  "\n",
  "\r\n",
  "\u0001",
  " ",
  "a",
  "å",
  "😀",
];
const awkward = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));
const ids = awkward.filter((text) => schemas.ShiftId(text));

it("an id keeps its own path, whatever it holds", async () => {
  await fc.assert(
    fc.asyncProperty(ids, ids, async (shiftId, candidateId) => {
      targets.length = 0;
      await client.assign({ shiftId, candidateId }, CALL);
      await client.cancelShift(shiftId, CALL);
      const [assigned = "", cancelled = ""] = targets;
      const path = `/providers/${providerId}/shifts`;
      expect(segmentsOf(assigned, `PUT ${path}`)).toEqual([shiftId, "assign", candidateId]);
      expect(segmentsOf(cancelled, `DELETE ${path}`)).toEqual([shiftId]);
    }),
  );
});

/** Returns the decoded rest of the target behind its prefix. */
function segmentsOf(target: string, beginning: string): string[] {
  expect(target.slice(0, beginning.length + 1)).toBe(`${beginning}/`);
  return target
    .slice(beginning.length + 1)
    .split("/")
    .map(decodeURIComponent);
}
