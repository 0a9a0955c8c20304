import { once } from "node:events";
import { Agent, createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { operationsTable } from "../../generated/provider/server.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { OperationId } from "../../src/verify/exchange.ts";
import type { Finding } from "../../src/verify/finding.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { untilReset } from "./http.ts";

/** A request to the sandbox. Hooks may change every member except the operation. */
export interface Call {
  /** Undefined for a path outside the contract. */
  readonly operation: OperationId | undefined;
  method: string;
  /** As received, with prefix and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Reply {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string;
}

/** Faults of a provider. */
export interface Faults {
  /** Changes the request to the sandbox, or replies in its place. */
  before?: (call: Call, sandbox: Sandbox) => Reply | undefined;
  /** Changes the reply; `sent` is the request as the sandbox received it. */
  after?: (reply: Reply, sent: Call, sandbox: Sandbox) => Reply | undefined;
}

export const jsonReply = (status: number, body: unknown): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Starts a proxy that adds faults to the sandbox. */
export async function startFaultyProvider(sandbox: Sandbox, faults: Faults) {
  // Shorter than the sandbox keeps an idle connection: one that it is about to close would break the next request.
  const agent = new Agent({ keepAlive: true, timeout: 1_000 });
  const listener = untilReset(async (incoming, response) => {
    const { method = "GET", url = "/", headers } = incoming;
    let body = "";
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk;
    const call: Call = { operation: operationOf(method, url), method, url, headers: { ...headers }, body };
    const early = faults.before?.(call, sandbox);
    const reply = early ?? (await forward(sandbox, call, agent));
    const { status, headers: sent, body: text } = faults.after?.(reply, call, sandbox) ?? reply;
    const { "content-length": _, "transfer-encoding": __, connection: ___, ...rest } = sent;
    response.writeHead(status, rest).end(text);
  });
  const server = createServer(listener);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  const close = async () => {
    const closed = once(server.close(), "close");
    server.closeAllConnections();
    agent.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}

/** Forwards with http, because fetch would normalise the path. */
async function forward(
  { port }: Sandbox,
  { method, url, headers, body }: Call,
  agent: Agent,
): Promise<Reply> {
  const { "content-length": _, "transfer-encoding": __, connection: ___, ...rest } = headers;
  const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  const options = {
    host: "127.0.0.1",
    port,
    method,
    path: url,
    headers: { ...rest, ...length },
    agent,
  };
  const forwarded = request(options).end(body);
  const [response] = await once(forwarded, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: text };
}

/** Routes with an optional organisation prefix, concrete paths first. */
const ROUTES = [...operationsTable]
  .sort((one, other) => one.path.split("{").length - other.path.split("{").length)
  .map(({ operationId, method, path }) => {
    const pattern = path.replaceAll(/\{\w+\}/g, "[^/]+");
    return { operationId, method, pattern: new RegExp(`^(?:/providers/[^/]+)?${pattern}/?(?:\\?.*)?$`) };
  });

function operationOf(method: string, url: string): OperationId | undefined {
  return ROUTES.find((route) => route.method === method && route.pattern.test(url))?.operationId;
}

export interface Setup {
  dialect?: Partial<Forms>;
  faults?: Faults;
  /** Options of the verification in addition to address, token and fixtures. */
  options?: Partial<VerifyOptions>;
  /** Changes the sandbox before the verification, or returns more options. */
  prepare?: (sandbox: Sandbox) => Partial<VerifyOptions> | undefined | Promise<Partial<VerifyOptions>>;
}

export interface Verified {
  verification: Verification;
  sandbox: Sandbox;
  shiftId: string;
}

/** Personal number of the known candidate. */
export const KNOWN_NUMBER = "189001169813";

/** Verifies a sandbox with two shifts and a known candidate, through the faults, and closes it afterwards. */
export async function run({ dialect = {}, faults, options, prepare }: Setup): Promise<Verified> {
  const sandbox = await startSandbox({ dialect });
  const { shiftId } = sandbox.createShift({ positions: 2 });
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  const more = (await prepare?.(sandbox)) ?? {};
  const provider = faults && (await startFaultyProvider(sandbox, faults));
  try {
    const { url: baseUrl, providerId, token } = { ...sandbox, ...provider };
    const known = { knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
    const fixtures = { shiftId, cancellableShiftId, ...known };
    // Waits for a rate limit or a lagging replica take no time.
    const wait = () => Promise.resolve();
    const given = { baseUrl, providerId, token, fixtures, seed: 1, wait, ...options, ...more };
    return { verification: await verify(given), sandbox, shiftId };
  } finally {
    await provider?.close();
    await sandbox.close();
  }
}

/** Returns `code operation` of each finding with that severity, sorted. */
export function codesOf({ findings }: Verification, severity: Finding["severity"] = "error"): string[] {
  const chosen = findings.filter((each) => each.severity === severity);
  return [...new Set(chosen.map(({ code, operation }) => `${code} ${operation}`))].sort();
}
