import type { Party } from "./parties.ts";

/** One difference between two revisions of a document, and whom it hurts. */
export interface Change {
  /** `advice`: what a provider should send, and is not refused for. `notice`: breaks nobody, and everybody should know. */
  kind: "breaking" | "addition" | "advice" | "notice" | "wording";
  /** Who was built for the old document and fails with a partner that was built for the new one. */
  breaks: readonly Party[];
  /** The operation, channel or other part in which the change is met first. */
  place: string;
  message: string;
  /** What to do instead, for a breaking change. */
  advice?: string;
  /** Relative to the spec folder; of the old document where nothing is left in the new one. */
  file: string;
  line: number;
  pointer: string;
}

export interface ComparedDocument {
  document: string;
  version: { base?: string; revision?: string };
  changes: readonly Change[];
}
