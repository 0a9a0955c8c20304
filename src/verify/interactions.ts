import type { Dialect } from "../contract/dialect.ts";

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
