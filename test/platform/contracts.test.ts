import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makePlatformToken } from "../../src/platform/integrations/tokens.ts";
import { readContract } from "../consumer/contract-file.ts";
import { useVerifier } from "../consumer/pact/verifier.ts";
import { engines } from "../engines.ts";
import { type Edge, KIND, storedEvents, useEdge } from "./http/edge.ts";

interface Parameters {
  token: "its own" | "unknown" | "of another";
}

describe.each(engines)("the running platform on %s", (engine) => {
  const verify = useVerifier();
  const edge = useEdge(engine);

  it.each(["integrationWebhook", "schedulingProviderWebhook"] as const)(
    "honours the provider's contract of the path %s, and has stored each event that it took",
    async (name) => {
      const contract = readContract(name);
      const { states, traceIds } = statesOf(edge());
      const verdict = await verify({ contracts: [contract], baseUrl: edge().platform.url, states });
      expect(verdict).toEqual({
        honoured: contract.interactions.map(({ description }) => description),
        broken: {},
      });
      const taken = contract.interactions.filter(({ response }) => response?.status === 200);
      const stored = (await storedEvents(edge())).filter(({ traceId }) => traceIds.includes(traceId));
      expect(stored).toHaveLength(taken.length);
    },
  );

  it("is told which interaction a wrong token breaks", async () => {
    const contract = readContract("schedulingProviderWebhook");
    const { states } = statesOf(edge());
    const headers = { Authorization: `Bearer ${makePlatformToken()}` };
    const { honoured, broken } = await verify({
      ...{ contracts: [contract], baseUrl: edge().platform.url, states, headers },
    });
    expect(honoured).toEqual(["sends a token that nobody has"]);
    expect(broken["tells of a new shift"]).toEqual(["expected 200 but was 401"]);
  });
});

/** The provider's states, and the traceIds that they have given. */
function statesOf({ tenant, other }: Edge) {
  const traceIds: string[] = [];
  const tokens = {
    "its own": tenant.platformToken,
    "of another": other.platformToken,
    unknown: makePlatformToken(),
  };
  const states = {
    "an integration": ({ token }: Parameters = { token: "its own" }) => {
      const traceId = randomUUID();
      traceIds.push(traceId);
      const { providerId } = tenant;
      return { providerId, kind: KIND, platformToken: tokens[token], shiftId: randomUUID(), traceId };
    },
  };
  return { states, traceIds };
}
