import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CouldNotRun } from "../verify/connection-errors.ts";
import {
  contractNames,
  type PactFile,
  type PactInteraction,
  readContract,
  selectInteractions,
} from "../verify/contracts.ts";
import type { ProviderForms } from "../verify/index.ts";
import { codeOf } from "./io.ts";

/** One Pact file for a provider. */
export interface ProviderContract {
  name: string;
  text: string;
  selected: number;
  /** Of the contract for every provider. */
  total: number;
}

/** The two contracts that a provider verifies: the calls that it serves, and the events that it sends. */
export async function contractsFor(forms: ProviderForms): Promise<ProviderContract[]> {
  const both = (["provider", "events"] as const).map(async (name) => {
    const whole = await readContract(name);
    const selected = selectInteractions(whole, forms);
    if (selected.interactions.length === 0)
      throw new CouldNotRun(`no interaction of ${contractNames[name]} fits`);
    const file = { ...selected, metadata: { ...whole.metadata, shiftpact: { forms } } };
    return {
      name: contractNames[name],
      text: `${JSON.stringify(file, null, 2)}\n`,
      selected: selected.interactions.length,
      total: whole.interactions.length,
    };
  });
  return Promise.all(both);
}

/**
 * Keeps one interaction for each request of a provider, the served one: a stub server has no states that separate them.
 */
export async function stubFor(forms: ProviderForms): Promise<ProviderContract> {
  const whole = await readContract("provider");
  const { interactions } = selectInteractions(whole, forms);
  const served = new Map<string, PactInteraction>();
  for (const interaction of [...interactions].sort((left, right) => rank(left) - rank(right))) {
    const key = requestKey(interaction);
    if (!served.has(key)) served.set(key, interaction);
  }
  const selected = interactions.filter((each) => served.get(requestKey(each)) === each);
  const file = { ...whole, interactions: selected, metadata: { ...whole.metadata, shiftpact: { forms } } };
  return {
    name: STUB,
    text: `${JSON.stringify(file, null, 2)}\n`,
    selected: selected.length,
    total: whole.interactions.length,
  };
}

const STUB = "scheduling-provider.stub.json";

/** Returns what identifies a request, without its example values. */
function requestKey({ request }: PactInteraction): string {
  const { method, query = {}, body, matchingRules } = request ?? {};
  const fields = Object.keys((body?.content ?? {}) as object).sort();
  return JSON.stringify([method, matchingRules?.path, matchingRules?.query, Object.keys(query), fields]);
}

/** Successful responses come before refusals, and the fullest one comes first. */
function rank({ response }: PactInteraction): number {
  const isServed = (response?.status ?? 500) < 300;
  return (isServed ? 0 : 1_000_000) - JSON.stringify(response?.body?.content ?? "").length;
}

/**
 * Writes the files; files that this function wrote before are replaced.
 * @throws CouldNotRun, before anything is written, when another file has one of the names or the folder is not writable
 */
export function writeContracts(folder: string, contracts: readonly ProviderContract[]): void {
  for (const { name } of contracts) refuseForeign(join(folder, name));
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of contracts) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw new CouldNotRun(`--out ${folder}: the folder is not writable (${codeOf(error)})`);
  }
}

function refuseForeign(file: string): void {
  const text = textOf(file);
  if (text === undefined || isOwn(text)) return;
  throw new CouldNotRun(
    `${file} was not written by this command and is kept: give another folder with --out, or remove the file`,
  );
}

/** Returns undefined when the file does not exist. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    // Without a folder of that name the write fails and reports the reason.
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CouldNotRun(`${file} cannot be read (${code}): give another folder with --out`);
  }
}

function isOwn(text: string): boolean {
  try {
    const { metadata } = JSON.parse(text) as { metadata?: PactFile["metadata"] & { shiftpact?: unknown } };
    return metadata?.shiftpact !== undefined;
  } catch {
    return false;
  }
}
