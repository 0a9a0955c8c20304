import { once } from "node:events";
import { connect } from "node:net";

/** What a caller can make expensive: the parts of a request that hold `size` bytes of it. */
export interface Worst {
  name: string;
  /** After the path, which ends in no slash. */
  tail?: (size: number) => string;
  headers?: (size: number) => string;
  body?: { type: string; text: (size: number) => string };
}

const repeat = (unit: string) => (size: number) => unit.repeat(Math.floor(size / unit.length));

/** Units that differ by their number, in base 36. */
const numbered = (make: (nth: string) => string) => (size: number) => {
  const units: string[] = [];
  for (let [nth, length] = [0, 0]; length < size; nth += 1) {
    units.push(make(nth.toString(36)));
    length += units.at(-1)?.length ?? 0;
  }
  return units.join("").slice(0, size);
};

/** Whole numbers that a table of 65,536 places would hold at one. */
const alike = (make: (name: string) => string) => (size: number) =>
  Array.from({ length: Math.floor(size / make("4294901760").length) }, (_, nth) =>
    make(`${nth * 65_536}`),
  ).join("");

type Texts = Record<string, (size: number) => string>;

const FORMS: Texts = {
  "distinct names": numbered((nth) => `${nth}&`),
  "distinct names with values": numbered((nth) => `${nth}=${nth}&`),
  "one name": repeat("a&"),
  "one name, which the form has": repeat("answer=accept&"),
  "names that are numbers": alike((name) => `${name}&`),
  "a long value": (size) => `answer=${"x".repeat(size)}`,
  escapes: repeat("%C3%A5"),
  "wrong escapes": repeat("%"),
  "pluses and signs": repeat("+=&;"),
};

const enclosed = (open: string, close: string) => (size: number) => {
  const half = Math.floor(size / (open.length + close.length));
  return `${open.repeat(half)}${close.repeat(half)}`;
};

const inMember = (make: (size: number) => string) => (size: number) => `{"answer":${make(size)}}`;

const listOf = (unit: string) => inMember((size) => `[${repeat(`${unit},`)(size)}${unit}]`);

const JSON_TEXTS: Texts = {
  "lists in lists": enclosed("[", "]"),
  "lists in lists of a member": inMember(enclosed("[", "]")),
  "objects in objects": enclosed(`{"a":`, "}"),
  "lists without an end": repeat("["),
  commas: repeat(","),
  "empty lists": listOf("[]"),
  "short numbers": listOf("1"),
  "a long number": inMember((size) => "9".repeat(size)),
  "a long fraction": inMember((size) => `0.${"9".repeat(size)}`),
  "long exponents": listOf("1e-307"),
  escapes: inMember((size) => `"${repeat("\\u00e5")(size)}"`),
  "short escapes": inMember((size) => `"${repeat('\\"')(size)}"`),
  quotes: repeat('"'),
  backslashes: (size) => `"${"\\".repeat(size)}`,
  "distinct names": (size) =>
    `{${numbered((nth) => `"${nth}":0,`)(size - 20).replace(/[^,]*$/, "")}"answer":1}`,
  "one name": (size) => `{${repeat('"answer":0,')(size)}"answer":1}`,
  "names that are numbers": (size) => `{${alike((name) => `"${name}":0,`)(size)}"answer":1}`,
  "blank space": (size) => `${" ".repeat(size)}{}`,
  "letters of two bytes": inMember((size) => `"${"å".repeat(size / 2)}"`),
  "bytes that are not UTF-8": (size) => `"${"\u0000".repeat(size)}`,
};

const bodies = (type: string, texts: Texts): Worst[] =>
  Object.entries(texts).map(([name, text]) => ({ name: `${type}: ${name}`, body: { type, text } }));

const FORM = "application/x-www-form-urlencoded";

export const FORM_BODIES = bodies(FORM, FORMS);
export const JSON_BODIES = bodies("application/json", JSON_TEXTS);

const header = (name: string, text: (size: number) => string): Worst => ({
  name: `${name}: ${text(24)}`,
  headers: (size) => `${name}: ${text(size)}\r\n`,
});

const SESSION = "Cookie: __Host-shiftpact=x; shiftpact-80=x\r\n";
const ORIGINS = ["xn--", "xn--a.", "å.", "a.", "1.", "[::", "%61", "@", ":", "xn--0ca"].flatMap(
  (unit): Worst[] =>
    [`http://${unit}`, "http://xn--"].map((start) => ({
      name: `Origin: ${start}${unit}...`,
      headers: (size) => `${SESSION}Origin: ${start}${repeat(unit)(size)}\r\n`,
    })),
);

const HEADERS: Worst[] = [
  { name: "distinct headers", headers: numbered((nth) => `x-${nth}:\r\n`) },
  { name: "one header", headers: repeat("x:\r\n") },
  { name: "cookies in one header each", headers: repeat("cookie:a\r\n") },
  header("Authorization", (size) => `Bearer ${"x".repeat(size)}`),
  header("Authorization", (size) => `Bearer ${" ".repeat(size)}`),
  header("Authorization", (size) => `Bearer ${repeat("x ")(size)}`),
  header("Authorization", repeat("Bearer ")),
  header(
    "Cookie",
    numbered((nth) => `${nth}=;`),
  ),
  header("Cookie", repeat("shiftpact-80=;")),
  header("Cookie", repeat(";")),
  header("Cookie", (size) => `shiftpact-80=${"x".repeat(size)}`),
  header("Cookie", (size) => `__Host-shiftpact=${"x".repeat(size)}`),
  ...ORIGINS,
  header("X-Forwarded-For", repeat(",")),
  header("X-Forwarded-For", repeat(" ")),
  header("X-Forwarded-For", repeat("::1,")),
  header("X-Forwarded-For", repeat("127.0.0.1,")),
  header("X-Forwarded-For", repeat("10.0.0.1, ")),
  header("X-Forwarded-For", repeat("::ffff:7f00:1,")),
  header("X-Forwarded-For", repeat("1")),
  header("X-Forwarded-For", repeat(":")),
  header("X-Forwarded-Host", repeat(",")),
  header("X-Forwarded-Host", repeat(":1")),
  header("X-Forwarded-Proto", repeat(",")),
  header("Forwarded", repeat("for=1,")),
  header("traceparent", repeat("00-")),
  header(
    "tracestate",
    numbered((nth) => `${nth}=1,`),
  ),
  header(
    "baggage",
    numbered((nth) => `${nth}=1,`),
  ),
  header("X-Trace-Id", repeat("a")),
  header("Content-Type", repeat("application/json;")),
  header("Content-Type", (size) => `application/json${repeat(";charset=utf-8")(size)}`),
  header("Content-Type", (size) => `application/json; charset=${" ".repeat(size)}x`),
  header("Content-Encoding", repeat("gzip,")),
  header("Transfer-Encoding", repeat("chunked,")),
  header("Accept", repeat("*/*;q=0.1,")),
  header("Accept-Encoding", repeat("gzip;q=1,")),
  header("Accept-Language", repeat("sv;q=1,")),
  header("Cache-Control", repeat(" ,")),
  header("If-None-Match", repeat('W/"a",')),
  header("If-Modified-Since", repeat("1 ")),
  header("Range", (size) => `bytes=${repeat("0-0,")(size)}`),
  header("Sec-Fetch-Site", repeat("same-origin")),
];

const QUERIES: Worst[] = Object.entries({
  ...FORMS,
  "the page's own parameter": repeat("language=en&"),
  "brackets in brackets": repeat("[a]"),
  "lists by name": repeat("a[]=1&"),
  "question marks": repeat("?"),
}).map(([name, text]) => ({ name: `query: ${name}`, tail: (size) => `?${text(size).replaceAll(" ", "+")}` }));

const PATHS: Worst[] = Object.entries({
  "a long segment": repeat("a"),
  slashes: repeat("/"),
  "short segments": repeat("a/"),
  "dot segments": repeat("../"),
  "escaped dot segments": repeat("%2e%2e/"),
  backslashes: repeat("..\\"),
  escapes: repeat("%C3%A5"),
  "wrong escapes": repeat("%"),
  "incomplete letters": repeat("%C3"),
  "escaped zeros": repeat("%00"),
  semicolons: repeat(";a=b"),
  colons: repeat(":a"),
  "a link's letters": repeat("zmY55XZARyCo-7NT9ie7igGWvRrNpHkAj8TkAQGKm0cAAAAA8zuHkGB4b2lQ0Zf6H2Kqaw"),
}).map(([name, text]) => ({ name: `path: ${name}`, tail: (size) => `/${text(size)}` }));

/** In the head of a request, of which Node reads no more than 16 kB. */
export const HEADS: readonly Worst[] = [...HEADERS, ...QUERIES, ...PATHS];

export interface Route {
  port: number;
  method: string;
  path: string;
}

function bytesOf({ method, path }: Route, { tail, headers, body }: Worst, size: number): Buffer {
  const text = body?.text(size) ?? "";
  const content = Buffer.from(text, "latin1");
  const about = body || method !== "GET" ? `Content-Length: ${content.length}\r\n` : "";
  const type = body ? `Content-Type: ${body.type}\r\n` : "";
  const target = path.replace(/(?<=.)\/$/, "") + (tail?.(size) ?? "");
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: close\r\n${about}${type}`;
  return Buffer.concat([Buffer.from(`${head}${headers?.(size) ?? ""}\r\n`, "latin1"), content]);
}

/** Sends a request, and resolves with the status of its response once the server has closed the connection. */
async function exchange(port: number, bytes: Buffer): Promise<number> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A server that refuses a long request may close before it has read all of it.
  socket.on("error", () => undefined);
  socket.write(bytes);
  await once(socket, "close");
  return Number(Buffer.concat(chunks).toString("latin1").split(" ", 2)[1] ?? 0);
}

export interface Cost {
  /** Of the last response. */
  status: number;
  /** Of the main thread for one request, client included. Milliseconds. */
  cpuMs: number;
}

async function costOf(route: Route, worst: Worst, size: number, requests: number): Promise<Cost> {
  const bytes = bytesOf(route, worst, size);
  let status = 0;
  const start = process.threadCpuUsage();
  for (let left = requests; left > 0; left -= 1) status = await exchange(route.port, bytes);
  const { user, system } = process.threadCpuUsage(start);
  return { status, cpuMs: (user + system) / 1_000 / requests };
}

/** The least of some: what the request itself needs, whatever else the process does. The clock of a thread may have ticks of 4 ms. */
async function leastOf(route: Route, worst: Worst, size: number): Promise<Cost> {
  let least: Cost = { status: 0, cpuMs: Number.POSITIVE_INFINITY };
  for (let left = 3; left > 0; left -= 1) {
    const cost = await costOf(route, worst, size, 4);
    if (cost.cpuMs < least.cpuMs) least = cost;
  }
  return least;
}

/** What a request of 64 kB may cost, and how many times as much as one of half the size. */
const MOST_MS = 10;
const MOST_TIMES = 2.5;
/** One tick and more: below it no ratio can be measured. */
const SMALL_MS = 5;

/** What parsing the text of `slowness` once takes on a quiet machine of 2026. */
const QUIET_PARSE_MS = 4.2;

/** How much slower than a quiet machine this one does what no server can avoid: others use its cores and its memory, too. */
function slowness(): number {
  const text = JSON_TEXTS["distinct names"]?.(64 * 1024) ?? "";
  const parse = () => {
    const start = process.threadCpuUsage();
    for (let left = 10; left > 0; left -= 1) JSON.parse(text);
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000 / 10;
  };
  return Math.max(1, Math.min(parse(), parse(), parse()) / QUIET_PARSE_MS);
}

/** Sends a request of a kind, and returns what is wrong with its response or its cost. */
export async function faultOf(route: Route, worst: Worst, size: number): Promise<unknown> {
  const { method, path } = route;
  const first = await costOf(route, worst, size, 1);
  if (first.status >= 500) return { method, path, kind: worst.name, ...first };
  if (first.cpuMs <= SMALL_MS) return undefined;
  let costs: { half: Cost; whole: Cost } | undefined;
  // What costs too much does so each time; a neighbour on the machine does not.
  for (let left = 4; left > 0; left -= 1) {
    const [half, whole] = [await leastOf(route, worst, size / 2), await leastOf(route, worst, size)];
    const isCheap =
      whole.cpuMs <= MOST_MS * slowness() && whole.cpuMs <= MOST_TIMES * half.cpuMs + SMALL_MS / 2;
    if (isCheap) return undefined;
    costs = { half, whole };
  }
  return { method, path, kind: worst.name, ...costs };
}
