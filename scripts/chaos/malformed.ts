import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import { operationsTable } from "../../generated/operations/server.ts";
import type { Random } from "../../test/harness/random.ts";

/** A stream does not end. */
const OPERATIONS = operationsTable.filter(({ operationId }) => operationId !== "readStream");

/** Values that make a request malformed; `{}` marks the place. */
const VALUES: readonly string[] = [
  "null",
  "true",
  "-1",
  "1e999",
  "[]",
  "{}",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  `"${"x".repeat(5_000)}"`,
  '"not-a-uuid"',
  '{"__proto__":{"a":1}}',
  "[".repeat(3_000),
  "0x10",
  "NaN",
  "'x'",
  "",
  "9".repeat(400),
];
const TYPES: readonly string[] = [
  "application/json",
  "application/json",
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "application/json;;;",
  "*/*",
];
const RAW: readonly string[] = [
  "GARBAGE\r\n\r\n",
  "POST / HTTP/9.9\r\n\r\n",
  "GET  /  HTTP/1.1\r\nHost: x\r\n\r\n",
  "\0\0\0\0\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
  "POST /webhooks/scheduling-provider HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "POST /webhooks/scheduling-provider HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
  "POST /webhooks/scheduling-provider HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
];
const SEGMENTS: readonly string[] = [
  "%00",
  "%c0%ae",
  "..%2f..",
  "%",
  "a".repeat(3_000),
  "%F0%9F%92%A9",
  "-1",
  "null",
  "%22",
  "%2500",
];
const QUERIES: readonly string[] = [
  "limit=0",
  "limit=abc",
  "limit=1e9",
  "cursor=%00",
  "providerId=x",
  "status=odd",
  "shiftId=%ff",
  "traceId=",
  "limit=1&limit=2",
  "since=yesterday",
  "minutes=-1",
  "%",
  "__proto__=1",
  "limit[]=3",
];
const AT_ONCE = 48;
const ONE_IN_RAW = 20;
const REPEATS = 2;
/** Characters of a 5xx in the report. */
const MOST_SHOWN = 400;

export interface MalformedOptions {
  url: string;
  count: number;
  random: Random;
  providerId: string;
  platformToken: string;
  operationsToken: string;
  /** Called after each twentieth of the requests. */
  onPart?: () => void;
}

export interface MalformedReport {
  sent: number;
  /** By status; `closed`: the connection was ended without a response, as invalid HTTP deserves. */
  answers: Map<string, number>;
  /** Each 5xx that a repeated request gets too, with the request and its body. */
  failures: string[];
}

/** Sends malformed requests of every kind to all endpoints of the platform, with valid tokens. */
export async function sendMalformed(options: MalformedOptions): Promise<MalformedReport> {
  const { url, count, random, onPart } = options;
  const pool = new Pool(url, { connections: AT_ONCE, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const report: MalformedReport = { sent: 0, answers: new Map(), failures: [] };
  const part = Math.max(1, Math.floor(count / 20));
  const one = async () => {
    const asked = random.between(0, ONE_IN_RAW) === 0 ? raw(options) : malformed(pool, options);
    const { what, status, text = "", repeated = 0 } = await asked;
    countIn(report.answers, status);
    if (repeated > 0) countIn(report.answers, REPEATED, repeated);
    if (status.startsWith("5")) report.failures.push(`${status} to ${what}: ${text.slice(0, MOST_SHOWN)}`);
  };
  const worker = async () => {
    while (report.sent < count) {
      report.sent += 1;
      if (report.sent % part === 0) onPart?.();
      await one();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await pool.destroy();
  return report;
}

interface Answered {
  what: string;
  status: string;
  /** The body. */
  text?: string;
  /** How often it was sent again. */
  repeated?: number;
}

const REPEATED = "503, sent again";

const countIn = (counts: Map<string, number>, what: string, more = 1) =>
  counts.set(what, (counts.get(what) ?? 0) + more);

async function malformed(pool: Pool, options: MalformedOptions): Promise<Answered> {
  const request = options.random.pick([webhook, webhook, operation])(options);
  const what = `${request.method} ${request.path.slice(0, 120)} ${String(request.body).slice(0, 200)}`;
  for (let repeated = 0; ; repeated += 1) {
    const { afterMs, ...answer } = await send(pool, request);
    if (afterMs === undefined || repeated === REPEATS) return { what, repeated, ...answer };
    await sleep(afterMs);
  }
}

/** `afterMs`: a 503 with Retry-After is about the database: a provider sends the request again, and the last answer counts. */
async function send(pool: Pool, request: Bad): Promise<Omit<Answered, "what"> & { afterMs?: number }> {
  try {
    const { statusCode, headers, body } = await pool.request(request);
    const answer = { status: String(statusCode), text: await body.text() };
    const after = statusCode === 503 ? headers["retry-after"] : undefined;
    return { ...answer, ...(after !== undefined && { afterMs: Number(after) * 1_000 }) };
  } catch (error) {
    return { status: isRefusedHere(error) ? "not sent" : "closed" };
  }
}

/** Returns whether the client itself refuses the request. */
const isRefusedHere = (error: unknown) =>
  String((error as NodeJS.ErrnoException).code).startsWith("UND_ERR_INVALID");

type Bad = Dispatcher.RequestOptions;

function webhook({ random, providerId, platformToken }: MalformedOptions): Bad {
  const content = { shiftId: crypto.randomUUID() };
  const event = { event: "shift.update", providerId, content, traceId: crypto.randomUUID() };
  const path = random.pick(["/webhooks/scheduling-provider", "/api/v3/integrations/tempo/webhook"]);
  return {
    path,
    method: "POST",
    headers: { authorization: `Bearer ${platformToken}`, "content-type": random.pick(TYPES) },
    body: spoil(JSON.stringify(event), random),
  };
}

function operation({ random, operationsToken }: MalformedOptions): Bad {
  const { method, path } = random.pick(OPERATIONS);
  const filled = path.replaceAll(/\{[^}]+\}/g, () => random.pick(SEGMENTS));
  const query = random.pick(["", `?${random.pick(QUERIES)}`]);
  return {
    path: `/operations/v1${filled}${query}`,
    method,
    headers: { authorization: `Bearer ${operationsToken}`, "content-type": random.pick(TYPES) },
    ...(method !== "GET" && { body: spoil('{"name":"x","direction":"platform","reason":"why"}', random) }),
  };
}

/** Changes a JSON text in one place; the result may be invalid JSON. */
function spoil(text: string, random: Random): string | Buffer {
  const at = random.between(0, text.length);
  const kind = random.between(1, 6);
  if (kind === 1) return text.slice(0, at);
  if (kind === 2)
    return Buffer.concat([
      Buffer.from(text.slice(0, at)),
      Buffer.from([0xff, 0xc0, 0x00]),
      Buffer.from(text.slice(at)),
    ]);
  if (kind === 3)
    return `${text.slice(0, at)}${random.pick(['"', "{", "}", ",", ":", "\\", "\u0000"])}${text.slice(at + 1)}`;
  if (kind === 4) return random.pick(VALUES);
  const members = [...text.matchAll(/:(?:"[^"]*"|\{[^}]*\})/g)];
  const member = random.pick(members);
  if (!member) return "";
  const value = `:${random.pick(VALUES)}`;
  return text.slice(0, member.index) + value + text.slice(member.index + member[0].length);
}

/** Sends invalid HTTP. */
async function raw({ url, random }: MalformedOptions): Promise<Answered> {
  const text = random.pick(RAW);
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.setTimeout(5_000, () => socket.destroy());
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  socket.on("error", () => undefined);
  socket.end(text);
  await once(socket, "close").catch(() => undefined);
  return {
    what: JSON.stringify(text.slice(0, 120)),
    status: /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? "closed",
  };
}
