import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contractNames, type PactFile, readContract } from "../verify/contracts.ts";
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
