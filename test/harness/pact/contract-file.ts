import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PactV4 } from "@pact-foundation/pact";
import { afterAll, it } from "vitest";

const PLATFORM = "shiftpact-platform";
const PROVIDER = "scheduling-provider";

/** Two files for each direction, `CONSUMER--PROVIDER.WHAT.json`. */
export const CONTRACTS = {
  http: `${PLATFORM}--${PROVIDER}.http.json`,
  events: `${PLATFORM}--${PROVIDER}.events.json`,
  integrationWebhook: `${PROVIDER}--${PLATFORM}.integration-webhook.json`,
  schedulingProviderWebhook: `${PROVIDER}--${PLATFORM}.scheduling-provider-webhook.json`,
} as const;

export const FOLDER = fileURLToPath(new URL("../../../contracts/", import.meta.url));
const FIX = "npm run contracts:write";

// Disables the telemetry of Pact's native library.
process.env.PACT_DO_NOT_TRACK = "true";

export interface PactFile {
  provider: { name: string };
  interactions: Interaction[];
}

export interface Interaction {
  description: string;
  providerStates?: { name: string }[];
  response?: { status: number; body?: unknown };
}

export function readContract(name: keyof typeof CONTRACTS): PactFile {
  return JSON.parse(readFileSync(join(FOLDER, CONTRACTS[name]), "utf8"));
}

/**
 * Records the interactions of one test file in a contract and, when all of them have passed, compares it with the one in
 * `contracts/`. With CONTRACTS=write in the environment it is written there instead.
 */
export function recordContract(name: keyof typeof CONTRACTS) {
  const dir = mkdtempSync(join(tmpdir(), "shiftpact-contract-"));
  const [consumer = "", provider = ""] = CONTRACTS[name].split(".")[0]?.split("--") ?? [];
  let promised = 0;
  let kept = 0;
  afterAll(() => {
    try {
      // After a failure or with a filter the contract is incomplete, and is not compared.
      if (kept === promised) settle(CONTRACTS[name], normalised(dir));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
  return {
    it: (title: string, run: (pact: PactV4) => Promise<void>) => {
      promised += 1;
      it(title, async () => {
        await run(new PactV4({ dir, consumer, provider, logLevel: "error" }));
        kept += 1;
      });
    },
  };
}

function settle(file: string, text: string): void {
  const path = join(FOLDER, file);
  if (process.env.CONTRACTS === "write") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const committed = existsSync(path) ? readFileSync(path, "utf8") : '{"interactions":[]}';
  const complaint = complaintOf(file, committed, text);
  if (complaint !== undefined) throw new Error(complaint);
}

/**
 * Returns the difference from a committed contract, and the fix. Names only the interactions: the difference itself is long,
 * and git shows it once the contract is written again.
 */
export function complaintOf(file: string, committed: string, written: string): string | undefined {
  if (committed === written) return undefined;
  const [before, after] = [interactionsOf(committed), interactionsOf(written)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const differing = names.filter((name) => before.get(name) !== after.get(name));
  const what = differing.length === 0 ? "its layout" : differing.map((name) => `"${name}"`).join(", ");
  return `contracts/${file} differs from its tests (${what}). Fix it with: ${FIX}`;
}

function interactionsOf(text: string): Map<string, string> {
  const { interactions }: PactFile = JSON.parse(text);
  return new Map(interactions.map((each) => [each.description, JSON.stringify(each)]));
}

/** Returns text that does not depend on the order of the tests or the version of Pact. */
function normalised(dir: string): string {
  const [file = ""] = readdirSync(dir);
  const { consumer, provider, interactions, metadata } = JSON.parse(readFileSync(join(dir, file), "utf8"));
  const contract = {
    consumer,
    provider,
    interactions: interactions.map(sorted).sort(byDescription),
    metadata: { pactSpecification: metadata.pactSpecification },
  };
  return `${JSON.stringify(contract, undefined, 2)}\n`;
}

const byDescription = (one: Interaction, other: Interaction) =>
  one.description < other.description ? -1 : 1;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
