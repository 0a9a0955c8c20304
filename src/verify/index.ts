/** Public API of `shiftpact/verify`: the verification of a running provider, its findings and its reports. */

export type { CodeEntry } from "./codes/code.ts";
export { type AnyCode, type Code, codes, entryOf, type SkipCode } from "./codes/codes.ts";
export { CouldNotRun } from "./could-not-run.ts";
export type { Coverage, RunEvent, Summary, Verification } from "./events.ts";
export { everyReporter, type Reporter } from "./events.ts";
export type { OperationId } from "./exchange.ts";
export type { Finding, Passed, Place } from "./finding.ts";
export type { KnownForms, ProviderForms } from "./interactions.ts";
export { type Fixtures, type Group, groups, type OtherTenant, type VerifyOptions } from "./options.ts";
export { htmlReport } from "./reporters/html.ts";
export { jsonLines, jsonReport } from "./reporters/json.ts";
export { type JunitOptions, junitReport } from "./reporters/junit.ts";
export { type TerminalOptions, terminalReport } from "./reporters/terminal-report.ts";
export { verify } from "./verify.ts";
