import { readFile } from "node:fs/promises";
import type { Contract } from "./interactions.ts";
import { packageFile } from "./package-files.ts";

/** File names of the platform's contracts with a provider (contract 4.2, events) and with its webhook endpoints. */
export const contractNames = {
  provider: "shiftpact-platform--scheduling-provider.http.json",
  events: "shiftpact-platform--scheduling-provider.events.json",
  integrationWebhook: "scheduling-provider--shiftpact-platform.integration-webhook.json",
  schedulingProviderWebhook: "scheduling-provider--shiftpact-platform.scheduling-provider-webhook.json",
} as const;

export type ContractName = keyof typeof contractNames;

/** A Pact file (specification 4), with the members that are read here. */
export interface PactFile extends Contract {
  consumer: { name: string };
  provider: { name: string };
  interactions: readonly PactInteraction[];
  metadata: { pactSpecification: { version: string } };
}

export interface PactInteraction {
  type: string;
  description: string;
  /** Only for HTTP interactions. */
  request?: {
    method: string;
    path: string;
    headers?: Readonly<Record<string, readonly string[]>>;
    query?: Readonly<Record<string, readonly string[]>>;
    body?: { content: unknown };
    matchingRules?: { path?: unknown; query?: unknown };
    /** Places that take values of the provider state. */
    generators?: {
      path?: PactGenerator;
      query?: Readonly<Record<string, PactGenerator>>;
      body?: Readonly<Record<string, PactGenerator>>;
    };
  };
  providerStates?: readonly { name: string; params?: Readonly<Record<string, unknown>> }[];
  response?: PactResponse;
}

/** A template with names of values in braces: `/shifts/${shiftId}`. */
interface PactGenerator {
  expression: string;
}

export interface PactResponse {
  status: number;
  body?: { content: unknown };
  matchingRules?: { status?: PactRules; body?: PactRules };
}

/** Rules by place, such as `$.assignedCandidates[*].id`. */
export type PactRules = Readonly<Record<string, { matchers: readonly PactRule[] }>>;

export interface PactRule {
  match: string;
  regex?: string;
  /** Minimum number of entries, for `type`. */
  min?: number;
  /** Accepted statuses or their class, for `statusCode`. */
  status?: readonly number[] | string;
}

/** Reads a contract of the package. @throws Error when the package is not complete */
export async function readContract(name: ContractName): Promise<PactFile> {
  return JSON.parse(await readFile(packageFile(`contracts/${contractNames[name]}`), "utf8"));
}
