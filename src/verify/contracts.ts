import { readFile } from "node:fs/promises";
import type { Contract } from "./interactions.ts";
import { packageFile } from "./package-files.ts";

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
    query?: Readonly<Record<string, readonly string[]>>;
    body?: { content: unknown };
    matchingRules?: { path?: unknown; query?: unknown };
    /** Where values of the provider state go. */
    generators?: {
      path?: PactGenerator;
      query?: Readonly<Record<string, PactGenerator>>;
      body?: Readonly<Record<string, PactGenerator>>;
    };
  };
  providerStates?: readonly { name: string; params?: Readonly<Record<string, unknown>> }[];
  response?: PactResponse;
}

/** `/shifts/${shiftId}`: names of values stand in braces. */
interface PactGenerator {
  expression: string;
}

export interface PactResponse {
  status: number;
  body?: { content: unknown };
  matchingRules?: { status?: PactRules; body?: PactRules };
}

/** By their place, as in `$.assignedCandidates[*].id`. */
export type PactRules = Readonly<Record<string, { matchers: readonly PactRule[] }>>;

export interface PactRule {
  match: string;
  /** Of `regex`. */
  regex?: string;
  /** Entries of a list at least; of `type`. */
  min?: number;
  /** Of `statusCode`: all that are taken, or the class of them. */
  status?: readonly number[] | string;
}

/** @throws Error when the package is not complete */
export async function readContract(name: ContractName): Promise<PactFile> {
  return JSON.parse(await readFile(packageFile(`contracts/${contractNames[name]}`), "utf8"));
}
