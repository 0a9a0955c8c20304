import type { CheckResult } from "./check-results.ts";
import type { KnownForms } from "./contracts.ts";
import type { OperationId } from "./exchange.ts";
import type { Finding, Passed } from "./finding.ts";
import type { Group } from "./groups.ts";

export interface Summary {
  /** `incomplete`: no errors, but a required operation never succeeded. */
  verdict: "conforms" | "incomplete" | "fails";
  errors: number;
  warnings: number;
  skipped: number;
  /** Checks that were made, passed or not. Each check has one result for each operation. */
  checks: number;
}

/** Number of responses by operation and status. */
export type Coverage = Readonly<Record<OperationId, Readonly<Record<string, number>>>>;

/** The result of a verification. Lists are in the order of the run. */
export interface Verification {
  summary: Summary;
  findings: readonly Finding[];
  /** Every check with its outcome; the summary counts these. */
  checks: readonly CheckResult[];
  passed: readonly (Passed & { group: Group })[];
  forms: KnownForms;
  coverage: Coverage;
  /** Required operations that never succeeded. */
  unseen: readonly OperationId[];
  readOnly: boolean;
  requests: number;
  /** New test candidates that stay at the provider. */
  candidates: number;
  /** About how many more runs find a number for a new candidate; undefined if none was needed, or a provider state removes candidates. */
  runsLeft?: number;
  /** The number of waits after a 429, and the concurrency after the last one. */
  limited: { waits: number; atOnce: number };
  /** Milliseconds. */
  duration: number;
  seed: number;
  baseUrl: string;
  providerId: string;
  /** ISO 8601, in UTC. */
  startedAt: string;
  /** Of this package. */
  version: string;
  /** The command line, without tokens; undefined when the package was used as a library. */
  command?: string;
}

export type RunEvent =
  /** Before the first request: the operations that may change data; none when read-only. */
  | { type: "plan"; changes: readonly OperationId[]; baseUrl: string; providerId: string; seed: number }
  | { type: "group"; group: Group }
  /** One check was made, passed or not. The number of these events is the summary's count. */
  | { type: "check"; group: Group }
  | { type: "passed"; group: Group; passed: Passed }
  /** Once for each finding, at its first occurrence. */
  | { type: "finding"; group: Group; finding: Finding }
  /** The groups are finished; changes are restored. */
  | { type: "restore" }
  | { type: "end"; verification: Verification };

/** Receives every event of a run immediately. */
export type Reporter = (event: RunEvent) => void;

export function everyReporter(reporters: readonly Reporter[]): Reporter {
  return (event) => {
    for (const report of reporters) report(event);
  };
}
