import type { Dialect } from "../contract/dialect.ts";

/** Every choice that a contract leaves to the provider: its dialect, and those that spec/decisions.md adds. */
export interface ProviderForms extends Omit<Dialect, "acknowledgement"> {
  /** `none`: 204. */
  acknowledgement: Dialect["acknowledgement"] | "none";
  /** What PUT /shifts/{id} returns; `none`: 204. */
  updated: "shift" | "none";
  /** What GET answers for a deleted shift; `cancelled`: the shift with that status. */
  deleted: "404" | "410" | "cancelled";
  /** Under which form of the personal number a candidate is found first. */
  numbers: "digits" | "hyphenated";
  /** Whether a lookup under the hyphenated form is answered at all; `refused`: 400 or 422. */
  hyphen: "read" | "refused";
  /** Whether the optional `GET /candidates/registry` is there. */
  registry: "offered" | "absent";
  /** Whether one more is assigned to a shift whose positions are all taken. */
  full: "refused" | "accepted";
}

/** What is known of a provider; what is not known is left out. */
export type KnownForms = Partial<ProviderForms>;

/** As much of a Pact file as is needed to choose from it. */
export interface Contract {
  interactions: readonly { description: string }[];
}

const TAG = / \[((?:[a-z]+=[a-z0-9]+ ?)+)\]$/i;

/**
 * An interaction's description: what it does, and for which providers only, as in `reads a shift [routing=path variant=a]`.
 * The forms stand in the description, because it is what every Pact verifier, in any language, can filter by.
 */
export function describeInteraction(does: string, forms: KnownForms): string {
  const pairs = Object.entries(forms).map(([form, value]) => `${form}=${value}`);
  return pairs.length === 0 ? does : `${does} [${pairs.join(" ")}]`;
}

/** What an interaction does, without the forms that it holds for. */
export function doesOf({ description }: Contract["interactions"][number]): string {
  return description.replace(TAG, "");
}

/** The forms that a description names; none when it holds for every provider. */
export function formsOfInteraction(description: string): KnownForms {
  const pairs = TAG.exec(description)?.[1]?.split(" ") ?? [];
  return Object.fromEntries(pairs.map((pair) => pair.split("=")));
}

/** Whether a provider of these forms has to honour the interaction. One that names a form not known of the provider does not fit. */
export function fitsForms(description: string, forms: KnownForms): boolean {
  const wanted = Object.entries(formsOfInteraction(description));
  return wanted.every(([form, value]) => forms[form as keyof KnownForms] === value);
}

/** The contract with only the interactions that fit. */
export function selectInteractions<C extends Contract>(contract: C, forms: KnownForms): C {
  const interactions = contract.interactions.filter(({ description }) => fitsForms(description, forms));
  return { ...contract, interactions };
}
