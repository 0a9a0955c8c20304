/** Public API of `shiftpact/verify`: the verification of a running provider, its findings and its reports. */

export { type AnyCode, type Code, codes, entryOf, type SkipCode } from "./codes/codes.ts";
export type { CodeEntry } from "./codes/meaning.ts";
export { CouldNotRun } from "./connection-errors.ts";
export type { KnownForms, ProviderForms } from "./contracts.ts";
export type { Coverage, RunEvent, Summary, Verification } from "./events.ts";
export { everyReporter, type Reporter } from "./events.ts";
export type { OperationId } from "./exchange.ts";
export type { Finding, Passed, Place } from "./finding.ts";
export { type Fixtures, type Group, groups, type OtherTenant, type VerifyOptions } from "./options.ts";
export { htmlReport } from "./reporters/html.ts";
export { type TerminalOptions, terminalReport } from "./reporters/terminal-report.ts";
export { type JunitOptions, jsonLines, jsonReport, junitReport } from "./reporters/verdict-files.ts";
export { verify } from "./verify.ts";
