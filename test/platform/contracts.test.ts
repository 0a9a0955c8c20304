import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makePlatformToken } from "../../src/platform/integrations/tokens.ts";
import { engines } from "../harness/engines.ts";
import { readContract } from "../harness/pact/contract-file.ts";
import { useVerifier } from "../harness/pact/verifier.ts";
import { KIND, storedEvents, type TenantHarness, useTenants } from "../harness/tenants.ts";

interface Parameters {
  token: "its own" | "unknown" | "of another";
}

describe.each(engines)("the running platform on %s", (engine) => {
  const verify = useVerifier();
  const harness = useTenants(engine);

  it.each(["integrationWebhook", "schedulingProviderWebhook"] as const)(
    "honours the provider's contract of the path %s, and has stored each event that it accepted",
    async (name) => {
      const contract = readContract(name);
      const { states, traceIds } = statesOf(harness());
      const verdict = await verify({ contracts: [contract], baseUrl: harness().platform.url, states });
      expect(verdict).toEqual({
        honoured: contract.interactions.map(({ description }) => description),
        broken: {},
      });
      const taken = contract.interactions.filter(({ response }) => response?.status === 200);
      const stored = (await storedEvents(harness())).filter(({ traceId }) => traceIds.includes(traceId));
      expect(stored).toHaveLength(taken.length);
    },
  );
});

/** The provider's states, and the traceIds that they have given. */
function statesOf({ tenant, other }: TenantHarness) {
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
