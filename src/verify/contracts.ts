import { readFile } from "node:fs/promises";
import type { Dialect } from "../contract/dialect.ts";
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

/** Every choice that the contract leaves to the provider: the dialect, and the additions of spec/decisions.md. */
export interface ProviderForms extends Omit<Dialect, "acknowledgement"> {
  /** `none`: 204. */
  acknowledgement: Dialect["acknowledgement"] | "none";
  /** What PUT /shifts/{id} returns; `none`: 204. */
  updated: "shift" | "none";
  /** Response to GET for a deleted shift; `cancelled`: the shift with that status. */
  deleted: "404" | "410" | "cancelled";
  /** The form of the personal number that finds a candidate first. */
  numbers: "digits" | "hyphenated";
  /** Whether a lookup accepts the hyphenated form; `refused`: 400 or 422. */
  hyphen: "read" | "refused";
  /** Whether the provider offers `GET /candidates/registry`. */
  registry: "offered" | "absent";
  /** Whether a full shift accepts another candidate. */
  full: "refused" | "accepted";
}

/** The known forms of a provider; unknown forms are omitted. */
export interface KnownForms extends Partial<ProviderForms> {
  /** The form of the personal number in responses. No interaction depends on it. */
  returned?: ProviderForms["numbers"];
}

export interface Contract {
  interactions: readonly { description: string }[];
}

const TAG = / \[([a-z]{1,99}=[a-z0-9 =]{1,999})\]$/i;

export function doesOf({ description }: Contract["interactions"][number]): string {
  return description.replace(TAG, "");
}

/** Returns the forms in a description; none if it applies to every provider. */
export function formsOfInteraction(description: string): KnownForms {
  const pairs = TAG.exec(description)?.[1]?.split(" ") ?? [];
  return Object.fromEntries(pairs.map((pair) => pair.split("=")));
}

/** Whether the interaction applies to a provider with these forms. A form that is not known does not fit. */
export function fitsForms(description: string, forms: KnownForms): boolean {
  const wanted = Object.entries(formsOfInteraction(description));
  return wanted.every(([form, value]) => forms[form as keyof KnownForms] === value);
}

export function selectInteractions<C extends Contract>(contract: C, forms: KnownForms): C {
  const interactions = contract.interactions.filter(({ description }) => fitsForms(description, forms));
  return { ...contract, interactions };
}
