import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CannotPublish } from "./cannot-publish.ts";

interface Interaction {
  description: string;
  providerStates?: unknown;
}

export interface Contract {
  consumer: { name: string };
  provider: { name: string };
  interactions: Interaction[];
  metadata: unknown;
}

interface Part {
  /** The part that distinguishes files of the same pair: `http` of `consumer--provider.http.json`. */
  form: string;
  contract: Contract;
}

/**
 * Returns one contract for each pair of consumer and provider. A broker holds one for a pair and a version, while contracts/ has separate
 * files for calls and events, and for the two webhook paths.
 * @throws CannotPublish when the folder holds no contract
 */
export function mergedContracts(folder: string): Contract[] {
  const parts = readParts(folder);
  if (parts.length === 0) {
    throw new CannotPublish(`There is no contract in ${folder}: run npm run contracts:write`);
  }
  const pairs = Map.groupBy(parts, ({ contract }) => pairOf(contract));
  return [...pairs.values()].map(mergeParts);
}

export function pairOf({ consumer, provider }: Contract): string {
  return `${consumer.name} -> ${provider.name}`;
}

function readParts(folder: string): Part[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  return names.map((name) => {
    const [, ...forms] = name.replace(/\.json$/, "").split(".");
    return {
      form: forms.join("."),
      contract: JSON.parse(readFileSync(join(folder, name), "utf8")) as Contract,
    };
  });
}

/** A broker identifies an interaction by its description and states, so duplicates in two files get the form of their file. */
function mergeParts(parts: readonly Part[]): Contract {
  const [first] = parts as [Part];
  const all = parts.flatMap(({ form, contract }) =>
    contract.interactions.map((interaction) => ({ form, interaction })),
  );
  const times = Map.groupBy(all, ({ interaction }) => keyOf(interaction));
  const interactions = all.map(({ form, interaction }) => {
    const alone = times.get(keyOf(interaction))?.length === 1;
    return alone ? interaction : { ...interaction, description: `${interaction.description} [${form}]` };
  });
  return { ...first.contract, interactions };
}

function keyOf({ description, providerStates }: Interaction): string {
  return JSON.stringify([description, providerStates]);
}
