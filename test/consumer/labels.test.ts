import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { readContract } from "../harness/pact/contract-file.ts";
import { useVerifier } from "../harness/pact/verifier.ts";

const verify = useVerifier();
const http = readContract("http");
const outlets = http.interactions.filter(
  ({ description }) => description === "lists the outlets [routing=path]",
);

let label = "";
const provider = createServer((_, response) => {
  response.writeHead(200, { "Content-Type": label }).end('[{"id":"1","name":"Restaurang Stureplan"}]');
});
await once(provider.listen(0, "127.0.0.1"), "listening");
afterAll(() => provider.close().closeAllConnections());

describe("Pact's verifier", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/hal+json",
    "application/vnd.tempo.v1+json",
  ])("accepts a body that is labelled %s, as the platform does", async (type) => {
    label = type;
    const verdict = await verify({
      contracts: [{ ...http, interactions: outlets }],
      baseUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      states: { "an organisation": () => ({ providerId: "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11" }) },
    });
    expect(verdict).toEqual({ honoured: outlets.map(({ description }) => description), broken: {} });
  });
});
