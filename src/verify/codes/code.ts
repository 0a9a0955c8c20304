/** One kind of finding. Codes are never renamed; adding is fine. */
export interface CodeEntry {
  severity: "error" | "warning" | "skipped";
  /** What is wrong, in one short line. */
  title: string;
  /** Of spec/contract.md. */
  section: string;
  /** How to fix it: what an engineer of the provider changes. */
  fix: string;
}

export type CodeEntries = Readonly<Record<string, CodeEntry>>;
