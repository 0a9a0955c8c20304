import { ReadableStream } from "node:stream/web";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { checkProviderUrl, guardedLookup, type ResolveAll } from "../address-guard.ts";
import { CALL_TIMEOUT_MS } from "../retry-policy.ts";
import type { ProviderFetch } from "./global-fetch.ts";
import { BodyBrokenOff, codeOf, failureOf, LONGEST_RESPONSE, ProviderHttpError } from "./http-error.ts";

/** How calls to one provider are made (decisions, "retries to a provider" and "Calls to a provider"). */
export interface ProviderHttpOptions {
  /** Disables the guard: permits plain http and private addresses, for development. */
  allowInsecure?: boolean;
  /** From the call to the last byte of the response. Milliseconds. */
  timeoutMs?: number;
  /** A longer response is refused. Bytes. */
  maxBytes?: number;
  /** The most connections to the provider. */
  connections?: number;
  /** An idle connection is not used again after this time. Milliseconds; by default what the provider says, or 4 s; 0: never. */
  idleMs?: number;
  /** Resolves the addresses of a name; the system does unless given. */
  resolve?: ResolveAll;
}

export interface ProviderHttp {
  fetch: ProviderFetch;
  close(): Promise<void>;
}

/** Creates one undici agent with its own connections, so a slow provider never delays another. */
export function createProviderHttp(options: ProviderHttpOptions = {}): ProviderHttp {
  const {
    allowInsecure = false,
    timeoutMs = CALL_TIMEOUT_MS,
    maxBytes = LONGEST_RESPONSE,
    connections = 10,
    idleMs,
  } = options;
  const lookup = guardedLookup({ allowInsecure }, options.resolve);
  const kept = idleMs === undefined ? {} : { keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs };
  const idle = idleMs === 0 ? { pipelining: 0 } : kept;
  const agent = new Agent({ connections, connect: { lookup }, ...idle });
  return {
    fetch: async (request, allowance = {}) => {
      const checked = checkProviderUrl(request.url, { allowInsecure });
      if (!checked.ok) throw new ProviderHttpError("address_blocked", checked.reason);
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return await exchange(request, agent, signal, (isOk) => (isOk && allowance.maxBytes) || maxBytes);
      } catch (error) {
        throw error instanceof ProviderHttpError ? error : failureOf(error, request.signal.aborted);
      }
    },
    close: () => agent.destroy(),
  };
}

async function exchange(
  request: Request,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  limitOf: (isOk: boolean) => number,
): Promise<Response> {
  const { origin, pathname, search } = new URL(request.url);
  const { statusCode, headers, body } = await dispatcher.request({
    origin,
    path: pathname + search,
    method: request.method as Dispatcher.HttpMethod,
    signal,
    headers: { ...Object.fromEntries(request.headers), ...HEADERS },
    body: request.body === null ? null : await request.text(),
  });
  // The error of an unusually long response is no longer than others.
  const maxBytes = limitOf(statusCode < 300);
  const announced = Number(headers["content-length"] ?? Number.NaN);
  const answer = await readAtMost(body, { maxBytes, announced, status: statusCode });
  const chunks = await decoded(answer, headers["content-encoding"], maxBytes);
  // Not joined: to copy a whole registry at once would stop everything else.
  return new Response(chunks.length > 0 ? streamOf(chunks) : null, {
    status: statusCode,
    headers: Object.entries(headers).flatMap(([name, value = []]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  });
}

/** The same class, whose type in the browsers' library lacks `from`. */
const streamOf = (chunks: readonly Uint8Array[]) => ReadableStream.from(chunks) as BodyInit;

const HEADERS = { accept: "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "shiftpact" };

const DECODERS = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** @throws ProviderHttpError when it is too long, or does not match its encoding */
async function decoded(
  chunks: Uint8Array[],
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Uint8Array[]> {
  const decode = DECODERS[String(encoding).toLowerCase() as keyof typeof DECODERS];
  if (!decode || chunks.length === 0) return chunks;
  try {
    const bytes = await decode(Buffer.concat(chunks), { maxOutputLength: maxBytes });
    return bytes.byteLength > 0 ? [bytes] : [];
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLong(maxBytes, error);
    throw new ProviderHttpError("connection_failed", `the response is not ${encoding}`, { cause: error });
  }
}

const tooLong = (maxBytes: number, cause?: unknown) =>
  new ProviderHttpError("response_too_long", `the response is longer than ${maxBytes} bytes`, { cause });

async function readAtMost(
  stream: AsyncIterable<Uint8Array>,
  { maxBytes, announced, status }: { maxBytes: number; announced: number; status: number },
): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  let received = 0;
  try {
    for await (const chunk of stream) {
      received += chunk.byteLength;
      if (received > maxBytes) throw tooLong(maxBytes);
      if (chunk.byteLength > 0) chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ProviderHttpError) throw error;
    throw new BodyBrokenOff({ status, received, ...(Number.isFinite(announced) && { announced }) }, error);
  }
  return chunks;
}
