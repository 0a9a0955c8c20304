import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Dialect, everyDialect } from "../../src/contract/dialect.ts";
import { providerStates } from "../../src/sandbox/provider-states.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import {
  fitsForms,
  type KnownForms,
  type ProviderForms,
  selectInteractions,
} from "../../src/verify/contracts.ts";
import { readContract } from "../harness/pact/contract-file.ts";
import { useVerifier } from "../harness/pact/verifier.ts";
import { startPlatform } from "../harness/platform-stand-in.ts";

const http = readContract("http");
const events = readContract("events");
const verify = useVerifier();
const running: Sandbox[] = [];
let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});
afterAll(() => platform.close());

const PLAIN: ProviderForms = {
  routing: "path",
  variant: "a",
  notFound: "empty",
  unassign: "put",
  acknowledgement: "minimal",
  updated: "shift",
  deleted: "404",
  numbers: "digits",
  registry: "offered",
  hyphen: "read",
  full: "refused",
};

/** Providers with the less common choices of spec/decisions.md. */
const OTHERS: readonly KnownForms[] = [
  { acknowledgement: "none", updated: "none", deleted: "410", numbers: "hyphenated", registry: "absent" },
  { variant: "b", notFound: "404", deleted: "cancelled", numbers: "hyphenated" },
];

/** A replay takes half a second of CPU time: only `npm run test:proofs` replays in all 32 dialects. */
const dialects = process.env.PROOFS === undefined ? everyDialect().filter(isOfQuarter) : everyDialect();

/** Selects eight of the 32 dialects that contain every combination of every two choices. */
function isOfQuarter({ routing, variant, notFound, unassign, acknowledgement }: Dialect): boolean {
  const [byHeader, isB, is404] = [routing === "header", variant === "b", notFound === "404"];
  return (
    (byHeader !== isB) === (unassign === "delete") && (byHeader !== is404) === (acknowledgement === "full")
  );
}

const providers: readonly ProviderForms[] = [
  ...dialects.map((dialect) => ({ ...PLAIN, ...dialect })),
  ...OTHERS.map((others) => ({ ...PLAIN, ...others })),
  ...OTHERS.map((others) => ({ ...PLAIN, ...others, routing: "header" as const })),
];

async function startProvider(forms: ProviderForms): Promise<Sandbox> {
  const { acknowledgement, updated, numbers, registry, hyphen, full, ...dialect } = forms;
  const sandbox = await startSandbox({
    dialect: {
      ...dialect,
      ...(acknowledgement !== "none" && { acknowledgement }),
      updateAnswer: updated === "shift" ? 200 : 204,
      createAnswer: updated === "shift" ? 201 : 200,
      personalNumbers: numbers,
      registry: registry === "offered",
    },
    // Not a fault to the platform: 204 is one of the acknowledgements.
    faults: acknowledgement === "none" ? ["assign-no-content"] : [],
    platform: { url: platform.url, token: "platform-token" },
  });
  running.push(sandbox);
  return sandbox;
}

/** Triggers each event by its cause, and returns the body of the sent webhook. */
function messagesOf(sandbox: Sandbox) {
  const sentBy = async (change: () => { traceId: string }) => {
    const { traceId } = change();
    await sandbox.delivered(traceId);
    return platform.received
      .map(({ body }) => body)
      .find((body) => (body as { traceId: string }).traceId === traceId);
  };
  const newShift = () => sandbox.createShift().shiftId;
  return {
    "shift.create": () => sentBy(() => sandbox.createShift()),
    "shift.update": () => sentBy(() => sandbox.updateShift(newShift(), { positions: 2 })),
    "shift.delete": () => sentBy(() => sandbox.deleteShift(newShift())),
  };
}

/** Replays the interactions that fit the forms, and returns their descriptions. */
async function replay(sandbox: Sandbox, forms: ProviderForms, token = sandbox.token) {
  const contracts = [selectInteractions(http, forms), events];
  const verdict = await verify({
    contracts,
    baseUrl: sandbox.url,
    headers: { Authorization: `Bearer ${token}` },
    states: providerStates(sandbox),
    messages: messagesOf(sandbox),
  });
  const replayed = contracts.flatMap(({ interactions }) =>
    interactions.map(({ description }) => description),
  );
  return { ...verdict, replayed: replayed.sort() };
}

describe("the platform's contracts", () => {
  it.each(providers.map((forms) => [Object.values(forms).join(" "), forms] as const))(
    "are honoured by the sandbox: %s",
    async (_, forms) => {
      const { honoured, broken, replayed } = await replay(await startProvider(forms), forms);
      expect(broken).toEqual({});
      expect(honoured).toEqual(replayed);
    },
  );

  it("contain no interaction that fits none of these providers", () => {
    const isReplayed = ({ description }: { description: string }) =>
      providers.some((forms) => fitsForms(description, forms));
    expect(http.interactions.filter((each) => !isReplayed(each))).toEqual([]);
  });

  it("use exactly the states that the sandbox knows", async () => {
    const known = Object.keys(providerStates(await startProvider(PLAIN)));
    const asked = http.interactions.flatMap(({ providerStates: states = [] }) =>
      states.map(({ name }) => name),
    );
    expect([...new Set(asked)].sort()).toEqual(known.sort());
  });
});
