import type { Party } from "./parties.ts";

/** One difference between two revisions of a document, and the parties that it breaks. */
export interface Change {
  /** `advice`: what a provider should send without being refused. `notice`: breaks no party, but concerns all. */
  kind: "breaking" | "addition" | "advice" | "notice" | "wording";
  /** The parties on the old document that fail with a partner on the new one. */
  breaks: readonly Party[];
  /** The first operation, channel or other part with the change. */
  place: string;
  message: string;
  /** The alternative to a breaking change. */
  advice?: string;
  /** Relative to the spec folder; in the old document if the part was removed. */
  file: string;
  line: number;
  pointer: string;
}

export interface ComparedDocument {
  document: string;
  version: { base?: string; revision?: string };
  changes: readonly Change[];
}
