/** The longest response to any call but that of the registry (decisions, "size of a provider's responses"). Bytes. */
export const LONGEST_RESPONSE = 1_000_000;

/** The longest page of a registry, for the platform and the kit: some 20,000 people of a provider that does not support pages. Bytes. */
export const LONGEST_REGISTRY = 10_000_000;

/** The most entries of a registry, in one response or in all pages together. */
export const MOST_REGISTERED = 100_000;

/** The most entries of any other list. */
export const MOST_ENTRIES = 10_000;

/** A list that is too long, of which no entry was judged. */
export const tooMany = (most: number) => `must have at most ${most} items`;
