import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { visibleLine } from "../contract/storable-text.ts";
import { SECOND_MS } from "../contract/timestamp.ts";
import { type Listener, type ListenerOptions, startListener } from "../verify/listen/listener.ts";
import { type EventName, RETRY_AFTER_S } from "../verify/listen/retry-scenario.ts";
import { eventNames, HOLD_MS, isEventName, type Seen } from "../verify/listen/webhook-receiver.ts";
import { painter } from "../verify/reporters/terminal.ts";
import { codeOf, type Io, reportOutput } from "./io.ts";
import { reportUnusable, untilStopped } from "./run-command.ts";
import { numberFlag, readFlags, UsageError, visibleToken } from "./usage.ts";
import { openReports, printJson, printVerdict } from "./verify.ts";
import { webAddress } from "./verify-options.ts";

/** Appends each received webhook to a file, as one line of JSON. @throws UsageError when the file cannot be written */
export function recordTo(file: string): (seen: Seen) => void {
  append(file, "");
  return ({ event, answer }) => {
    if (event && answer !== "held")
      append(file, `${JSON.stringify({ at: new Date().toISOString(), answer, event })}\n`);
  };
}

function append(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--record ${file}: cannot be written (${codeOf(error)})`);
  }
}

export interface Forwarding {
  url: string;
  token: string;
  print: (line: string) => void;
}

/** Sends each acknowledged webhook to another address, such as the integration of a platform. */
export function forwardTo({ url, token, print }: Forwarding): (seen: Seen) => Promise<void> | undefined {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return ({ number, event, answer }) => {
    if (!event || answer !== 200) return undefined;
    const sent = fetch(url, { method: "POST", headers, body: JSON.stringify(event), redirect: "manual" });
    return sent.then(
      ({ status }) => print(`  ${number} forwarded: ${status}`),
      () => print(`  ${number} not forwarded: no response from ${url}`),
    );
  };
}

const DEFAULT_PORT = 3000;
const DEFAULT_SECONDS = 120;

const HELP = `shiftpact listen: a platform stand-in that checks the webhooks of a provider.

  --port N        ${DEFAULT_PORT} unless given; 0: any free one
  --token T       PLATFORM_TOKEN; generated and printed unless given
  --expect E,..   the expected events; ${eventNames.join(",")} unless given
  --timeout S     how long to wait for them, in seconds; ${DEFAULT_SECONDS} unless given
  --record FILE   appends every webhook to the file, as a line of JSON
  --forward URL   sends every acknowledged webhook there too, with the same token
  --report DIR    writes report.html, junit.xml and report.json there
  --json          one finding a line, the summary last; everything else goes to stderr

It answers the first webhook with 500, a later one only after ${HOLD_MS / SECOND_MS} s, and if three events are expected another one with 429,
all on purpose, and expects the same webhook again.
It ends as soon as it has seen everything. Exit code 0: the webhooks conform to the contract; 1: they do not; 2: it could not run.

Examples:
  shiftpact listen --port 3000 --token T
  shiftpact listen --expect shift.create,shift.update --timeout 600 --json`;

/** Clock and timers; tests shorten them. */
export type Wait = ListenerOptions["wait"];

/** @returns the exit code: 0 conforms, 1 does not, 2 could not run. */
export async function listen(argv: string[], io: Io, wait: Wait = waitFor): Promise<number> {
  try {
    const flags = flagsOf(argv);
    if (flags.help) {
      io.stdout(HELP);
      return 0;
    }
    return await run(flags, io, wait);
  } catch (error) {
    return reportUnusable("listen", error, io);
  }
}

type Flags = ReturnType<typeof flagsOf>;

function flagsOf(args: string[]) {
  return readFlags({
    args,
    options: {
      port: { type: "string" },
      token: { type: "string" },
      expect: { type: "string" },
      timeout: { type: "string" },
      record: { type: "string" },
      forward: { type: "string" },
      report: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}

async function run(flags: Flags, io: Io, wait: Wait): Promise<number> {
  const { json, token = newToken() } = flags;
  const { write, isInteractive } = reportOutput(io);
  const print = json ? io.stderr : write;
  const paint = painter(!json && isInteractive);
  const expect = eventsOf(flags.expect);
  const writeReports = openReports(flags.report);
  const { record, forward } = flags;
  const pending: unknown[] = [];
  const observers = [
    ...(record === undefined ? [] : [recordTo(record)]),
    ...(forward === undefined
      ? []
      : [forwardTo({ url: webAddress("--forward", forward).href, token, print })]),
  ];
  const listener = await startListener({
    token: visibleToken("--token", token),
    expect,
    wait,
    port: numberFlag("port", flags.port ?? String(DEFAULT_PORT), 0, 65_535),
    timeoutMs: numberFlag("timeout", flags.timeout ?? String(DEFAULT_SECONDS), 1, 86_400) * SECOND_MS,
    onSeen: (seen) => {
      print(paint(seen.found.length > 0 ? "red" : "reset", lineOf(seen)));
      pending.push(...observers.map((observe) => observe(seen)));
    },
  });
  for (const line of greeting(listener, token, expect)) print(line);
  const verdict = await untilFinished(listener);
  await Promise.all(pending);
  writeReports(verdict, "listen: the webhooks of a provider");
  if (!json) io.stdout("");
  (json ? printJson : printVerdict)(verdict, io);
  return verdict.summary.verdict === "conforms" ? 0 : 1;
}

/** A signal ends the run early: the verdict covers what was seen until then. */
async function untilFinished({ finished, stop }: Listener) {
  const enough = new AbortController();
  const stopped = untilStopped(enough.signal).then(stop);
  const verdict = await finished;
  enough.abort();
  await stopped;
  return verdict;
}

function eventsOf(text: string | undefined): EventName[] {
  if (text === undefined) return eventNames;
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  const events = names.filter(isEventName);
  if (events.length === names.length) return events;
  throw new UsageError(
    `--expect must name ${eventNames.join(", ")}, with commas, not ${JSON.stringify(text)}`,
  );
}

/** 32 random bytes; the prefix distinguishes it from a provider's token. */
const newToken = (): string => `spp_${randomBytes(32).toString("base64url")}`;

function greeting({ url }: Listener, token: string, expect: readonly EventName[]): string[] {
  const [example = "shift.create"] = expect;
  return [
    `The platform stand-in listens on ${url}. Configure the provider with:`,
    `  webhook URL     ${url}/webhooks/scheduling-provider (or ${url}/api/v3/integrations/KIND/webhook)`,
    `  PLATFORM_TOKEN  ${token}`,
    `It waits for ${expect.join(", ")}. Without a provider, try:`,
    `  shiftpact trigger ${example} --retry --url ${url} --token ${token} --provider-id 5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11 --shift-id 0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3`,
    "",
  ];
}

function lineOf({ number, event, answer, note, found }: Seen): string {
  const what = event
    ? `${event.event} shift ${visibleLine(event.content.shiftId)} trace ${event.traceId}`
    : "a rejected webhook";
  const remarks = [
    ...(note === undefined ? [] : [note]),
    ...found.map(({ code, actual }) => `${code}: ${visibleLine(actual)}`),
  ];
  const mark = found.length > 0 ? "✗" : "✓";
  const remark = remarks.length === 0 ? "" : ` (${remarks.join("; ")})`;
  return `${mark} ${String(number).padStart(3)}  ${what}: ${answerText(answer)}${remark}`;
}

function answerText(answer: Seen["answer"]): string {
  switch (answer) {
    case "held":
      return `held for ${HOLD_MS / SECOND_MS} s, on purpose`;
    case "given up":
      return "the sender gave up; a retry should follow";
    case 500:
      return "answered 500, on purpose; a retry should follow";
    case 429:
      return `answered 429, on purpose; a retry should follow after ${RETRY_AFTER_S} s`;
    default:
      return `answered ${answer}`;
  }
}

/** Ends early when the signal aborts. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
