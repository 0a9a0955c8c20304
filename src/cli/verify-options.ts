import { randomInt } from "node:crypto";
import { operationsTable } from "../../generated/provider/server.ts";
import { schemas } from "../../generated/provider/validators.js";
import { withoutTrailingSlashes } from "../contract/base-url.ts";
import { isStorable } from "../contract/storable-text.ts";
import {
  type Fixtures,
  type Group,
  groups,
  type OtherTenant,
  type VerifyOptions,
} from "../verify/options.ts";
import { createShift } from "./create-shift.ts";
import type { Io } from "./io.ts";
import { choice, numberFlag, readFlags, tokenFlag, UsageError, uuidFlag } from "./usage.ts";
import { readFixtures, readNumbers } from "./verify-fixtures.ts";

/** Returns the text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The parsed command line. */
export interface CommandLine {
  options: VerifyOptions;
  json: boolean;
  /** Folder of the report files. */
  report: string | undefined;
  /** A run that never saw a required operation succeed does not fail. */
  allowsIncomplete: boolean;
  /** What the command line names and the kit no longer has. */
  notices: readonly string[];
}

/** Former groups, with the one that has their checks. */
const FORMER_GROUPS: Readonly<Record<string, Group>> = { generated: "errors" };

const OPERATIONS = operationsTable.map(({ operationId }) => operationId);

export const VERIFY_FLAGS = {
  "provider-id": { type: "string" },
  token: { type: "string" },
  routing: { type: "string", default: "auto" },
  fixtures: { type: "string" },
  "shift-id": { type: "string" },
  "cancellable-shift-id": { type: "string", multiple: true },
  "create-shift": { type: "string" },
  concurrency: { type: "string" },
  rate: { type: "string" },
  "allow-incomplete": { type: "boolean", default: false },
  "states-url": { type: "string" },
  only: { type: "string", multiple: true },
  operation: { type: "string", multiple: true },
  skip: { type: "string", multiple: true },
  report: { type: "string" },
  json: { type: "boolean", default: false },
  numbers: { type: "string" },
  "fail-on": { type: "string", default: "error" },
  seed: { type: "string" },
  "read-only": { type: "boolean", default: false },
  "other-provider-id": { type: "string" },
  "other-token": { type: "string" },
  timeout: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

const parse = (args: string[]) => readFlags({ args, options: VERIFY_FLAGS, allowPositionals: true });
type Flags = ReturnType<typeof parse>["values"];

/**
 * Returns the command line and the tokens of the environment; undefined when help is requested.
 * @throws UsageError in one line with the fix
 */
export function readCommandLine(argv: string[], env: Io["env"]): CommandLine | undefined {
  const { values: flags, positionals } = parse(argv);
  if (flags.help) return undefined;
  if (flags.report === "") throw new UsageError("--report must name a folder");
  const options: VerifyOptions = {
    baseUrl: baseUrlOf(positionals),
    providerId: uuidFlag("provider-id", flags["provider-id"]),
    token: tokenFlag("token", flags.token, "PROVIDER_TOKEN", env),
    routing: choice("routing", flags.routing, ["auto", "path", "header"]),
    failOn: choice("fail-on", flags["fail-on"], ["error", "warning"]),
    readOnly: flags["read-only"],
    fixtures: fixturesOf(flags),
    ...given("other", otherOf(flags, env), asIs),
    ...given("statesUrl", flags["states-url"], (text) => webAddress("--states-url", text).href),
    ...given("createShift", flags["create-shift"], (source) => () => createShift(source)),
    ...given("concurrency", flags.concurrency, (text) => numberFlag("concurrency", text, 1, 64)),
    ...given("rate", flags.rate, (text) => numberFlag("rate", text, 1, 1_000)),
    ...given("operations", flags.operation, (lists) => namesIn("operation", lists, "operation", OPERATIONS)),
    command: commandOf(argv, flags),
    ...given("only", flags.only, (lists) => groupsIn("only", lists)),
    ...given("skip", flags.skip, (lists) => groupsIn("skip", lists)),
    ...given("seed", flags.seed, seedOf),
    ...given("numbers", flags.numbers, readNumbers),
    ...given("timeoutMs", flags.timeout, (text) => numberFlag("timeout", text, 1, 600) * 1_000),
  };
  const allowsIncomplete = flags["allow-incomplete"] || flags["read-only"];
  const notices = itemsOf([...(flags.only ?? []), ...(flags.skip ?? [])]).flatMap((name) => {
    const now = FORMER_GROUPS[name];
    return now ? [`there is no group ${name} any more: the fixed inputs of ${now} are in its place`] : [];
  });
  return { options, json: flags.json, report: flags.report, allowsIncomplete, notices };
}

/** Returns an option that is omitted when its flag is. */
function given<Name extends string, Text, Value>(
  name: Name,
  text: Text | undefined,
  read: (text: Text) => Value,
): { [name in Name]?: Value } {
  return text === undefined ? {} : ({ [name]: read(text) } as { [name in Name]: Value });
}

const asIs = <Text>(text: Text): Text => text;

export function baseUrlOf([text, ...more]: string[]): string {
  if (text === undefined)
    throw new UsageError("BASE_URL is missing: give the URL of the provider's API (see --help)");
  if (more.length > 0) throw new UsageError(`there is one BASE_URL, not ${JSON.stringify([text, ...more])}`);
  const url = webAddress("BASE_URL", text);
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("BASE_URL must hold no user and no password: give the token with --token");
  }
  if (url.search !== "" || url.hash !== "") throw new UsageError("BASE_URL must have no ? and no #");
  if (/\/providers\/[^/]{0,99}\/?$/.test(url.pathname)) {
    throw new UsageError("BASE_URL must end before /providers/{providerId}: the kit adds it");
  }
  return withoutTrailingSlashes(url.href);
}

export function webAddress(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(
    `${name} must be an http or https URL like https://provider.example/api, not ${JSON.stringify(text)}`,
  );
}

const isShiftId = (id: string) => isStorable(id) && schemas.ShiftId(id);
const isCandidateId = (id: string) => isStorable(id) && schemas.ProviderCandidateId(id);

/** Flags for single members override the file. */
function fixturesOf(flags: Flags): Fixtures {
  const fixtures: Fixtures = {
    ...(flags.fixtures === undefined ? {} : readFixtures(flags.fixtures)),
    ...given("shiftId", flags["shift-id"], asIs),
    ...given("cancellableShiftId", flags["cancellable-shift-id"], asIs),
  };
  const cancellable = [fixtures.cancellableShiftId ?? []].flat();
  const shifts = [fixtures.shiftId ?? [], cancellable].flat();
  const candidates = [fixtures.knownCandidateId ?? []].flat();
  if (!shifts.every(isShiftId) || !candidates.every(isCandidateId)) {
    throw new UsageError(
      'the ids of shifts and candidates have 1 to 200 characters, and are not "." or ".."',
    );
  }
  if (fixtures.shiftId !== undefined && cancellable.includes(fixtures.shiftId)) {
    throw new UsageError(
      "shiftId and cancellableShiftId must be two shifts: the second is cancelled permanently",
    );
  }
  return fixtures;
}

const itemsOf = (lists: readonly string[]) =>
  lists.flatMap((list) => list.split(",")).map((name) => name.trim());

/** A former group runs as the one in its place, and to skip it skips nothing. */
function groupsIn(flag: "only" | "skip", lists: readonly string[]): Group[] {
  const names = itemsOf(lists).flatMap((name) => {
    const now = FORMER_GROUPS[name];
    if (now === undefined) return [name];
    return flag === "only" ? [now] : [];
  });
  return namesIn(flag, names, "group", groups);
}

/** @param kind what the flag names, for the message */
function namesIn<Name extends string>(
  flag: string,
  lists: readonly string[],
  kind: string,
  known: readonly Name[],
): Name[] {
  return itemsOf(lists).map((name) => {
    const found = known.find((each) => each === name);
    if (found !== undefined) return found;
    throw new UsageError(
      `--${flag}: there is no ${kind} ${JSON.stringify(name)}; there are ${known.join(", ")}`,
    );
  });
}

/** For the reports: a typed token is shown as its variable. */
function commandOf(argv: readonly string[], flags: Flags): string {
  const secrets = { PROVIDER_TOKEN: flags.token, OTHER_PROVIDER_TOKEN: flags["other-token"] };
  const words = argv.map((word) => {
    for (const [variable, token] of Object.entries(secrets)) {
      if (token === undefined) continue;
      if (word === token) return `"$${variable}"`;
      if (/^--(other-)?token=/.test(word) && word.endsWith(`=${token}`)) {
        return `${word.slice(0, word.length - token.length)}"$${variable}"`;
      }
    }
    return shellWord(word);
  });
  return ["shiftpact", "verify", ...words].join(" ");
}

function seedOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (text === "random") return randomInt(2 ** 31);
  throw new UsageError(`--seed must be a whole number or random, not ${JSON.stringify(text)}`);
}

function otherOf(flags: Flags, env: Io["env"]): OtherTenant | undefined {
  const id = flags["other-provider-id"];
  const token = flags["other-token"];
  if (id === undefined && token === undefined) return undefined;
  if (id === undefined) throw new UsageError("--other-token needs --other-provider-id");
  const providerId = uuidFlag("other-provider-id", id);
  if (providerId.toLowerCase() === flags["provider-id"]?.toLowerCase()) {
    throw new UsageError("--other-provider-id must differ from --provider-id");
  }
  return { providerId, token: tokenFlag("other-token", token, "OTHER_PROVIDER_TOKEN", env) };
}
