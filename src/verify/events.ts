import type { CheckResult } from "./check-results.ts";
import type { OperationId } from "./exchange.ts";
import type { Finding, Passed } from "./finding.ts";
import type { Group } from "./groups.ts";
import type { KnownForms } from "./interactions.ts";

export interface Summary {
  /** `incomplete`: nothing is wrong, and a required operation was never seen to succeed. */
  verdict: "conforms" | "incomplete" | "fails";
  errors: number;
  warnings: number;
  skipped: number;
  /** Checks that were made, whatever came of them: each has one result at each operation. */
  checks: number;
}

/** How often an operation was answered with a status. */
export type Coverage = Readonly<Record<OperationId, Readonly<Record<string, number>>>>;

/** What a verification found, in the order in which it was found. */
export interface Verification {
  summary: Summary;
  findings: readonly Finding[];
  /** Every check and what came of it; the summary counts these. */
  checks: readonly CheckResult[];
  /** Statements that hold, in the order in which they were found to. */
  passed: readonly (Passed & { group: Group })[];
  /** What was found out of the provider's forms. */
  forms: KnownForms;
  coverage: Coverage;
  /** Required operations that were never seen to succeed. */
  unseen: readonly OperationId[];
  /** Whether nothing but GET was called. */
  readOnly: boolean;
  requests: number;
  /** How often the provider asked to wait (429), and how many requests were made at the same time after that. */
  limited: { waits: number; atOnce: number };
  /** Milliseconds. */
  duration: number;
  seed: number;
  baseUrl: string;
  providerId: string;
  /** ISO 8601, in UTC. */
  startedAt: string;
  /** Of the kit. */
  version: string;
  /** What was typed, without tokens; undefined when the kit was called as a library. */
  command?: string;
}

/** What happens while a verification runs, in order. */
export type RunEvent =
  /** Before the first request: operations that will be called and change data; none when read-only. */
  | { type: "plan"; changes: readonly OperationId[]; baseUrl: string; providerId: string; seed: number }
  | { type: "group"; group: Group }
  /** One check was made, whatever came of it; as many of these come as the summary counts. */
  | { type: "check"; group: Group }
  | { type: "passed"; group: Group; passed: Passed }
  /** Once for each finding, when it is first seen. */
  | { type: "finding"; group: Group; finding: Finding }
  /** The groups are over; what was changed is put back. */
  | { type: "restore" }
  | { type: "end"; verification: Verification };

/** Receives every event of a run as it happens. */
export type Reporter = (event: RunEvent) => void;

/** Combines several reporters. */
export function everyReporter(reporters: readonly Reporter[]): Reporter {
  return (event) => {
    for (const report of reporters) report(event);
  };
}
