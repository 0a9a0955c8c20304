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

const entryOf = (severity: CodeEntry["severity"]) => (section: string, title: string) => ({
  fix: (fix: string): CodeEntry => ({ severity, title, section, fix }),
});

export const error = entryOf("error");
export const warning = entryOf("warning");
export const skip = entryOf("skipped");
