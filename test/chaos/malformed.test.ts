import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { sendMalformed } from "../../scripts/chaos/malformed.ts";
import { randomOf } from "../harness/random.ts";

/** Sends 100 requests to a server that treats the n-th as given. */
async function reportOf(respond: (response: ServerResponse, index: number) => void) {
  let index = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      index += 1;
      respond(response, index);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = { providerId: crypto.randomUUID(), platformToken: "token", operationsToken: "token" };
  try {
    return await sendMalformed({ url, count: 100, random: randomOf(1), ...names });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const later = { "retry-after": "0" };

it("a malformed request that gets a 500 is reported, with the body", async () => {
  const { failures } = await reportOf((response, index) =>
    response.writeHead(index === 9 ? 500 : 400).end("why"),
  );
  expect(failures).toEqual([expect.stringMatching(/^500 to .*: why$/s)]);
});

it("a malformed request that always gets 503 is reported", async () => {
  const { failures, answers } = await reportOf((response) => response.writeHead(503, later).end());
  expect(failures.length).toBeGreaterThan(80);
  expect(answers.get("503, sent again")).toBeGreaterThan(160);
});

it("a 503 that does not say when to try again is reported", async () => {
  const { failures } = await reportOf((response, index) => response.writeHead(index === 9 ? 503 : 400).end());
  expect(failures).toHaveLength(1);
});

it("a 503 of a moment, as the database fails over, is counted and not reported", async () => {
  const { failures, answers } = await reportOf((response, index) =>
    response.writeHead(index <= 3 ? 503 : 400, later).end(),
  );
  expect(failures).toEqual([]);
  expect(answers.get("503, sent again")).toBe(3);
});
