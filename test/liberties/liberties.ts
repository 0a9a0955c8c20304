import type { ProxiedCall, ProxiedResponse } from "../harness/provider-proxy.ts";
import { type Random, randomOf } from "../harness/random.ts";

type Respond = (call: ProxiedCall, passed: ProxiedResponse) => ProxiedResponse;

/** Members whose values are times, and personal numbers. */
const TIMES = ["startTime", "endTime", "assignedAt", "createdAt", "updatedAt"];
/** Fields of one variant only are optional (contract 2.2). The number of positions is kept, because the shift needs it. */
const OPTIONAL = [
  "outletName",
  "roleName",
  "breakMinutes",
  "status",
  "description",
  "createdAt",
  "updatedAt",
];

/**
 * Uses the liberties of the contract at random: unknown members, any order of members, any ISO 8601 form of a time, either form of a
 * personal number, any body where the contract shows none, any body of an error. The set of members is drawn once for a provider, and
 * their form for each response.
 */
export function liberties(seed: number): Respond {
  const random = randomOf(seed);
  const lacking = OPTIONAL.filter(() => isDrawn(random, 4));
  const hasNoAddresses = isDrawn(random, 2);
  const updated = random.pick(["shift", "nothing", "empty", "other"] as const);
  const speak = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(speak);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).flatMap(([name, below]): [string, unknown][] => {
      if (lacking.includes(name) && "assignedCandidates" in value) return [];
      if (name === "address" && hasNoAddresses && !("city" in value)) return [[name, null]];
      return [[name, said(name, below)]];
    });
    return Object.fromEntries(shuffled(random, [...members, ...extras(random)]));
  };
  const said = (name: string, value: unknown): unknown => {
    if (typeof value !== "string") return speak(value);
    if (TIMES.includes(name)) return timeIn(random, value);
    return name === "personalNumber" ? numberIn(random, value) : value;
  };
  return (call, passed) => {
    if (passed.status >= 400) return { ...passed, ...errorIn(random, passed) };
    const { status, text } = successIn(random, call, passed, updated);
    if (text === "") return { status, text, headers: without(passed.headers, "content-type") };
    const spoken = JSON.stringify(speak(JSON.parse(text)), undefined, random.pick([0, 0, 2, "\t"]));
    return {
      status,
      text: spoken,
      headers: { ...passed.headers, "content-type": random.pick(JSON_TYPES), ...noise(random) },
    };
  };
}

const JSON_TYPES = ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"];

const isDrawn = (random: Random, of: number): boolean => random.between(0, of) === 0;

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function shuffled<T>(random: Random, all: readonly T[]): T[] {
  return all
    .map((each) => [random.between(0, 1_000_000), each] as const)
    .sort(([left], [right]) => left - right)
    .map(([, each]) => each);
}

/** Additions are free (contract 9). */
function extras(random: Random): [string, unknown][] {
  const all: [string, unknown][] = [
    ["_links", { self: { href: "/here" } }],
    ["version", 7],
    ["costCentre", null],
    ["tags", ["evening", { deep: [1] }]],
    ["x", "ö\u2028"],
  ];
  return all.filter(() => isDrawn(random, 5));
}

const noise = (random: Random): Record<string, string> =>
  random.pick([
    {},
    { server: "scheduler", etag: '"7"' },
    { "cache-control": "no-store", vary: "Authorization" },
  ]);

/** Returns the same time in another form of ISO 8601, with an offset. */
function timeIn(random: Random, text: string): string {
  const ms = Date.parse(text);
  const minutes = random.pick([0, 0, 60, 120, -330, 345]);
  const local = new Date(ms + minutes * 60_000).toISOString();
  const whole = local.slice(0, 19);
  const fraction = local.slice(19, 23);
  const isRound = fraction === ".000";
  const [sign, hours, rest] = [
    minutes < 0 ? "-" : "+",
    Math.floor(Math.abs(minutes) / 60),
    Math.abs(minutes) % 60,
  ];
  const two = (count: number) => String(count).padStart(2, "0");
  const offset = minutes === 0 ? random.pick(["Z", "+00:00"]) : `${sign}${two(hours)}:${two(rest)}`;
  const seconds = [`${whole}${fraction}`, `${whole}${fraction}000`, ...(isRound ? [whole] : [])];
  const short = isRound && whole.endsWith(":00") ? [whole.slice(0, 16)] : [];
  return `${random.pick([...seconds, ...short])}${offset}`;
}

/** Both forms appear in the contract (2.8). */
function numberIn(random: Random, text: string): string {
  const digits = text.replace("-", "");
  return isDrawn(random, 2) || !/^\d{12}$/.test(digits) ? text : `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

type Updated = "shift" | "nothing" | "empty" | "other";

/** Returns a successful response where the contract shows no form, or two. */
function successIn(random: Random, { method, path }: ProxiedCall, passed: ProxiedResponse, updated: Updated) {
  const kept = { status: passed.status, text: passed.text };
  const nothing = { status: 204, text: "" };
  const ok = (text: string) => ({ status: 200, text });
  if (method === "PUT" && /^\/shifts\/[^/]+$/.test(path)) {
    return { shift: kept, nothing, empty: ok(""), other: ok('{"updated":true}') }[updated];
  }
  if (/\/(un)?assign\//.test(path) && (method === "DELETE" || path.includes("/unassign/"))) {
    return random.pick([kept, nothing, ok('{"success":true}')]);
  }
  return method === "POST" ? { ...kept, status: random.pick([200, 201]) } : kept;
}

/** Returns any body of an error, because the contract shows none (contract 7.5). */
function errorIn(
  random: Random,
  { status, text, headers }: ProxiedResponse,
): Pick<ProxiedResponse, "text" | "headers"> {
  const labelled = (type: string, body: string) => ({
    text: body,
    headers: { ...headers, "content-type": type },
  });
  return random.pick([
    { text, headers },
    labelled("application/json", JSON.stringify({ error: { message: "no", status } })),
    labelled("application/json", JSON.stringify(["no"])),
    labelled("text/plain; charset=utf-8", "No."),
    labelled("application/xml", "<error/>"),
    { text: "", headers: without(headers, "content-type") },
  ]);
}
