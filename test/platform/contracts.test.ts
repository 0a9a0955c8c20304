import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
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

const HANDLERS = "src/platform/http/operations/";
const { tags, paths } = parse(readFileSync("spec/operations.openapi.yaml", "utf8"));
const operations: { operationId: string; tags: string[] }[] = Object.values<object>(paths)
  .flatMap((path) => Object.values(path))
  .filter(({ operationId }) => operationId !== undefined);

describe("the handlers of the operations API", () => {
  it("are in one file per tag of the document", () => {
    const files = tags.map(({ name }: { name: string }) => `${name}.ts`);
    expect(readdirSync(HANDLERS)).toEqual(files.toSorted());
  });

  it.each(operations)("has $operationId in the file of its tag", ({ operationId, tags: [tag] }) => {
    const source = readFileSync(`${HANDLERS}${tag}.ts`, "utf8");
    expect(source).toMatch(new RegExp(`^    ${operationId}: `, "m"));
  });
});
