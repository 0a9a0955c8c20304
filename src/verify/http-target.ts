import { createHash, randomUUID } from "node:crypto";
import { operationsTable } from "../../generated/provider/server.ts";
import type { Allowance, ProviderFetch } from "../clients/provider/global-fetch.ts";
import { LONGEST_REGISTRY, ProviderHttpError } from "../clients/provider/http-error.ts";
import { withoutTrailingSlashes } from "../contract/base-url.ts";
import { traceHeaders } from "../contract/trace.ts";
import { isTooDeep } from "../runtime/json.ts";
import { pathFiller } from "../runtime/path.ts";
import { unanswered } from "./connection-errors.ts";
import type { Answered, Exchange, Probe, Sent, Unanswered } from "./exchange.ts";
import { createQueue } from "./request-queue.ts";

export interface TargetOptions {
  baseUrl: string;
  providerId: string;
  token: string;
  fetch: ProviderFetch;
  /** The same on a new connection. */
  freshFetch?: ProviderFetch | undefined;
  /** The time limit of `fetch`, for findings. Milliseconds; undefined if unknown. */
  timeoutMs?: number | undefined;
  wait: (ms: number) => Promise<void>;
  /** Concurrent requests; 1 by default. Fewer when the provider is slow or limits its rate. */
  concurrency?: number | undefined;
  /** Requests a second; unlimited by default. */
  rate?: number | undefined;
}

export interface Target {
  readonly options: TargetOptions;
  /** How the organisation is sent; detected first. */
  routing: "path" | "header";
  /**
   * @param urgency requests with a higher urgency are sent first
   * @param before called right before sending; an exception prevents the request
   */
  send(probe: Probe, urgency?: number, before?: () => void): Promise<Exchange>;
  idle(): Promise<void>;
  /** Number of sent requests and of waits after a 429, and the current concurrency. */
  readonly count: { readonly requests: number; readonly waits: number; readonly atOnce: number };
}

const METHODS = new Map(operationsTable.map((operation) => [operation.operationId, operation]));
const ORGANISATION = "/providers/{providerId}";
const fillPath = pathFiller([ORGANISATION, ...operationsTable.map(({ path }) => path)]);
/** For one request. */
const MOST_WAITS = 10;
/** Total of all waits in a run. After it, a 429 is returned like any other response. */
const TOTAL_WAIT_MS = 120_000;

export function createTarget(options: TargetOptions): Target {
  const { wait, timeoutMs, rate } = options;
  const queue = createQueue(options.concurrency ?? 1, { wait, timeoutMs, rate });
  const count = {
    requests: 0,
    waits: 0,
    get atOnce() {
      return queue.most;
    },
  };
  let waitLeft = TOTAL_WAIT_MS;
  const target: Target = { options, routing: "path", count, send, idle: queue.idle };

  async function send(probe: Probe, urgency = 0, before = () => {}): Promise<Exchange> {
    for (let waits = 0; ; waits += 1) {
      const request = async () => {
        before();
        count.requests += 1;
        // Not from the seed: a provider may take a repeated id for a retry.
        const traceId = randomUUID();
        const { request, ...made } = requestOf(probe, target, traceId);
        return { ...made, answer: await exchange(request, options, allowanceOf(probe)) };
      };
      const { sent, answer } = await queue.run(urgency, request, (made) => !isLimited(made.answer));
      const pauseMs = answer.kind === "answer" ? waitOf(answer) : undefined;
      if (pauseMs === undefined || pauseMs > waitLeft || waits === MOST_WAITS) return { probe, sent, answer };
      // Concurrent 429 responses cause one wait.
      if (!queue.isPaused) waitLeft -= pauseMs;
      count.waits += 1;
      await queue.slowDown(pauseMs);
    }
  }

  return target;
}

/** Returns a UUID that depends only on the text. */
export function uuidFrom(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}

const isLimited = (answer: Answered | Unanswered) => answer.kind === "answer" && answer.status === 429;

/** Returns how long to wait after a 429, as the platform does (contract 5). */
function waitOf({ status, headers }: Answered): number | undefined {
  if (status !== 429) return undefined;
  const seconds = Number(headers["retry-after"] ?? "1");
  return Number.isFinite(seconds) ? Math.max(seconds * 1_000, 100) : 1_000;
}

function requestOf(probe: Probe, target: Target, traceId: string): { request: Request; sent: Sent } {
  const { options } = target;
  const method = METHODS.get(probe.operation)?.method ?? "GET";
  const url = urlOf(probe, target);
  const body = probe.raw?.text ?? (probe.json === undefined ? undefined : JSON.stringify(probe.json));
  const contentType = probe.raw?.contentType ?? (body === undefined ? undefined : "application/json");
  const headers: Record<string, string> = {
    ...tenantHeaders(probe, target),
    ...(contentType !== undefined && { "Content-Type": contentType }),
    Accept: "application/json, application/problem+json",
    ...probe.headers,
    ...traceHeaders(traceId, () => traceId.replaceAll("-", "").slice(0, 16)),
  };
  const authorization = probe.authorization === undefined ? `Bearer ${options.token}` : probe.authorization;
  const withToken = authorization === null ? headers : { Authorization: authorization, ...headers };
  const init = { method, headers: withToken, ...(body !== undefined && { body }) };
  return { request: new Request(url, init), sent: { method, url, headers: withToken, body } };
}

function urlOf(probe: Probe, { options, routing }: Target): string {
  const base = withoutTrailingSlashes(options.baseUrl);
  const providerId = probe.providerId === undefined ? options.providerId : probe.providerId;
  const isPrefixed = (probe.routing ?? routing) === "path" && providerId !== null;
  const prefix = isPrefixed ? fillPath(ORGANISATION, { providerId }) : "";
  const path = probe.rawPath ?? fillPath(METHODS.get(probe.operation)?.path ?? "", probe.path);
  const query = new URLSearchParams(probe.query);
  return `${base}${prefix}${path}${query.size === 0 ? "" : `?${query}`}`;
}

/** Returns both header names of the contract for header routing, as the platform sends them. */
function tenantHeaders(probe: Probe, { options, routing }: Target): Record<string, string> {
  const providerId = probe.providerId === undefined ? options.providerId : probe.providerId;
  if ((probe.routing ?? routing) === "path" || providerId === null) return {};
  return { "X-Provider-Id": providerId, "X-Platform-Provider-Id": providerId };
}

/** A provider without pages returns the whole registry: the kit reads as much of it as the platform does. */
const allowanceOf = ({ operation }: Probe): Allowance =>
  operation === "getCandidateRegistry" ? { maxBytes: LONGEST_REGISTRY } : {};

/** Reads on new connections after one that closed: a fault that occurs now and then occurs again. */
const MOST_READS = 5;

/** Sends the request, and again on a new connection after one that closed before the first byte: it may have been idle for too long. */
async function exchange(
  request: Request,
  options: TargetOptions,
  allowance: Allowance,
): Promise<Answered | Unanswered> {
  const { fetch, freshFetch } = options;
  const first = await attempt(() => fetch(request.clone(), allowance), options);
  if (first.kind !== "broken" || !first.isUnbegun || !freshFetch) return first;
  for (let left = request.method === "GET" ? MOST_READS : 1; ; left -= 1) {
    const again = await attempt(() => freshFetch(request.clone(), allowance), options);
    if (again.kind !== "answer" || left === 1) return again;
  }
}

async function attempt(
  send: () => Promise<Response>,
  { timeoutMs }: TargetOptions,
): Promise<Answered | Unanswered> {
  try {
    const response = await send();
    const decoded = DECODER.decode(await response.arrayBuffer());
    const text = decoded.replace(/^\uFEFF/, "");
    const headers = Object.fromEntries(response.headers);
    const mark = text === decoded ? {} : ({ hasMark: true } as const);
    return { kind: "answer", status: response.status, headers, text, json: jsonOf(text), ...mark };
  } catch (error) {
    if (!(error instanceof ProviderHttpError)) throw error;
    return { kind: error.isTimeout ? "hung" : "broken", ...unanswered(error, timeoutMs) };
  }
}

/** Keeps a byte order mark. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the value of a body; undefined for what the platform does not read: text that is not JSON, or is nested too deeply. */
export function jsonOf(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
