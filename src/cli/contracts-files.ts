import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractNames, type PactFile, type PactInteraction, readContract } from "../verify/contracts.ts";
import { CouldNotRun } from "../verify/could-not-run.ts";
import type { ProviderForms } from "../verify/index.ts";
import { selectInteractions } from "../verify/interactions.ts";

/** One Pact file for a provider. */
export interface ProviderContract {
  name: string;
  text: string;
  selected: number;
  /** Of the contract for every provider. */
  total: number;
}

/** The two contracts that a provider verifies: the calls that it answers, and the events that it sends. */
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
 * The calls of a provider with one interaction for each request, the one that is served: a stub server has no states to tell the others
 * apart by.
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

/** What a request says, without its example values. */
function requestKey({ request }: PactInteraction): string {
  const { method, query = {}, body, matchingRules } = request ?? {};
  const fields = Object.keys((body?.content ?? {}) as object).sort();
  return JSON.stringify([method, matchingRules?.path, matchingRules?.query, Object.keys(query), fields]);
}

/** Served before refused, and with most in it first. */
function rank({ response }: PactInteraction): number {
  const isServed = (response?.status ?? 500) < 300;
  return (isServed ? 0 : 1_000_000) - JSON.stringify(response?.body?.content ?? "").length;
}

/**
 * Writes the files; files that this function wrote before are replaced.
 * @throws CouldNotRun before anything is written when another file has one of the names, or nothing can be written
 */
export function writeContracts(folder: string, contracts: readonly ProviderContract[]): void {
  for (const { name } of contracts) refuseForeign(join(folder, name));
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of contracts) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw new CouldNotRun(`--out ${folder}: nothing can be written there (${codeOf(error)})`);
  }
}

function refuseForeign(file: string): void {
  const text = textOf(file);
  if (text === undefined || isOwn(text)) return;
  throw new CouldNotRun(
    `${file} was not written by this command, and is left as it is: give another folder with --out, or remove the file`,
  );
}

/** Undefined when there is no such file. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    // Without a folder of that name the writing fails by itself, and says so.
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

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown reason";
