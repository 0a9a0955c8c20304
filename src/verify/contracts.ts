import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Contract } from "./interactions.ts";

/** The folder of the Pact files: beside `src/` in a checkout, beside `dist/` in the installed package. */
const FOLDER = "contracts";
const LOWEST = dirname(fileURLToPath(import.meta.url));

/** The platform's HTTP contract with a provider (contract 4.2), and its events; the two contracts of its webhook endpoints. */
export const contractNames = {
  provider: "shiftpact-platform--scheduling-provider.http.json",
  events: "shiftpact-platform--scheduling-provider.events.json",
  integrationWebhook: "scheduling-provider--shiftpact-platform.integration-webhook.json",
  schedulingProviderWebhook: "scheduling-provider--shiftpact-platform.scheduling-provider-webhook.json",
} as const;

export type ContractName = keyof typeof contractNames;

/** A Pact file (specification 4), as far as anything here reads it. */
export interface PactFile extends Contract {
  consumer: { name: string };
  provider: { name: string };
  interactions: readonly PactInteraction[];
  metadata: { pactSpecification: { version: string } };
}

/** One interaction of a Pact file. */
export interface PactInteraction {
  type: string;
  description: string;
  /** Of HTTP interactions. */
  request?: {
    method: string;
    path: string;
    headers?: Readonly<Record<string, readonly string[]>>;
    /** Where values of the provider state go. */
    generators?: unknown;
  };
  providerStates?: readonly { name: string; params?: Readonly<Record<string, unknown>> }[];
  response?: { status: number; matchingRules?: { status?: StatusRule } };
}

/** Other statuses that the consumer takes as well. */
interface StatusRule {
  $?: { matchers: readonly { match: string; status?: readonly number[] | string }[] };
}

/** @throws Error when the package is not complete */
export async function readContract(name: ContractName): Promise<PactFile> {
  return JSON.parse(await readFile(join(contractFolder(), contractNames[name]), "utf8"));
}

/** The nearest one upwards: this file is at another depth once it is built. */
function contractFolder(): string {
  for (let folder = LOWEST; ; folder = dirname(folder)) {
    if (existsSync(join(folder, FOLDER, contractNames.provider))) return join(folder, FOLDER);
    if (folder === dirname(folder))
      throw new Error(`there is no folder ${FOLDER}/ above ${LOWEST}: install shiftpact again`);
  }
}
