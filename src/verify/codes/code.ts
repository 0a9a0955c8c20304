/** One kind of finding. Codes are never renamed; adding is fine. */
export interface CodeEntry {
  severity: "error" | "warning" | "skipped";
  /** A noun phrase or a short statement. */
  title: string;
  /** Section of spec/contract.md. */
  section: string;
  /** What an engineer of the provider changes. */
  fix: string;
}

export type CodeEntries = Readonly<Record<string, CodeEntry>>;
