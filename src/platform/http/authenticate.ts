import { isIP } from "node:net";
import type { Request } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { problem } from "../../contract/problem.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import { bearerToken, isSameToken } from "../../runtime/bearer-token.ts";
import type { OperationInfo } from "../../runtime/operation.ts";
import { ProblemError } from "../../runtime/problem.ts";
import type { AddressLimit } from "../access/address-limit.ts";
import { FIRST_ADMIN, type Identity, missingRole, type Operator } from "../access/audit.ts";
import type { OperatorTokens } from "../access/operators.ts";
import type { Sessions } from "../access/sessions.ts";
import type { Log } from "../db/database.ts";
import type { TokenOwner, TokenOwners } from "../integrations/tokens.ts";

/**
 * The session of a request's cookie. The platform is reached over https, or over http on a machine or a network of its own; browsers keep
 * cookies of all ports of a host together, so that over http the name has the port.
 */
export function sessionOf(request: Request): string | undefined {
  const name = nameOf(request);
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined;
}

/** The header that gives a browser its session, until it is closed. */
export const setCookie = (request: Request, session: string): { "Set-Cookie": string } =>
  header(request, session, "");

export const clearCookie = (request: Request): { "Set-Cookie": string } => header(request, "", "; Max-Age=0");

function header(request: Request, value: string, end: string) {
  const secure = request.secure ? "; Secure" : "";
  return { "Set-Cookie": `${nameOf(request)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${end}` };
}

function nameOf(request: Request): string {
  // The prefix makes a browser refuse the cookie from another host, or without `Secure`.
  if (request.secure) return "__Host-shiftpact";
  const [, port = "80"] = /:(\d{1,5})$/.exec(request.host) ?? [];
  return `shiftpact-${port}`;
}

/**
 * Whether a page of the platform itself sent the request. `SameSite` alone lets the pages of other ports and subdomains send the cookie.
 * Browsers name the site of every request over https, and to their own machine; over plain http they send the origin of what is not a GET.
 */
function isFromOwnPage(request: Request): boolean {
  const { "sec-fetch-site": site, origin } = request.headers;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (site !== undefined) return site === "same-origin" || (isRead && site === "none");
  if (origin === undefined) return isRead;
  return URL.parse(origin)?.host === request.host;
}

/**
 * Checks PLATFORM_TOKEN before the body is read, and keeps abuse out. `limit`: events a minute of each providerId at this process; 0: no limit.
 */
export function webhookAuthentication(owners: TokenOwners, limit: number, log: Log) {
  const slowDown = limit > 0 ? rateLimiter(limit) : undefined;
  return async (request: Request): Promise<TokenOwner> => {
    arrivals.set(request, performance.now());
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw unauthorized("Send `Authorization: Bearer <PLATFORM_TOKEN>`.");
    const owner = await findOwner(() => owners.find(token, limitedBy(request)), log);
    if (!owner) throw unauthorized("The token is unknown or no longer valid.");
    owned.set(request, owner.providerId);
    await slowDown?.(request, owner.providerId);
    return owner;
  };
}

const arrivals = new WeakMap<object, number>();
const owned = new WeakMap<object, string>();

/** The organisation of a webhook's token, if that is known. */
export const webhookOwnerOf = (request: object): string | undefined => owned.get(request);

/** When a webhook came, by `performance.now`. */
export const arrivalOf = (request: object): number | undefined => arrivals.get(request);

async function findOwner<Owner>(find: () => Promise<Owner>, log: Log): Promise<Owner> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    log.error({ err: error }, "could not look up a token");
    throw storeUnavailable();
  }
}

/** Returns the operator of a request, who has the roles that the operation requires. */
export type OperatorAuthentication = (
  request: Request,
  operation: Pick<OperationInfo, "scopes">,
) => Promise<Identity>;

const ADDRESSES_AT_MOST = 10_000;

const FOREIGN_PAGE =
  "The cookie of a session is accepted from the console's own pages alone. Send `Authorization: Bearer <TOKEN>`.";

/**
 * A request has a token, or the cookie of a session. OPERATIONS_TOKEN is the first admin's, and needs no database. Unlike an issued token it may have been chosen by hand: from an address that
 * has used up its failures it is refused like any guess, unless it was accepted from there before.
 */
export function operationsAuthentication(
  tokens: Pick<OperatorTokens, "find">,
  sessions: Pick<Sessions, "find">,
  limit: AddressLimit,
  operationsToken: string,
  log: Log,
): OperatorAuthentication {
  const accepted = new Set<string>();
  const firstAdmin = async (address: string): Promise<Operator> => {
    if (accepted.has(address)) return FIRST_ADMIN;
    await limit.run(address, async () => FIRST_ADMIN);
    if (accepted.size >= ADDRESSES_AT_MOST) accepted.clear();
    accepted.add(address);
    return FIRST_ADMIN;
  };
  const operatorOf = async (token: string, request: Request): Promise<Operator> => {
    if (isSameToken(token, operationsToken)) return firstAdmin(limitedBy(request));
    const operator = await findOwner(() => tokens.find(token, limitedBy(request)), log);
    if (!operator) throw unauthorized("The token is unknown or no longer valid.");
    return operator;
  };
  const signedIn = async (request: Request): Promise<Operator> => {
    const session = sessionOf(request);
    if (session === undefined)
      throw unauthorized("Send `Authorization: Bearer <TOKEN>`, with the token of an operator.");
    if (!isFromOwnPage(request)) throw problem("forbidden", { detail: FOREIGN_PAGE });
    const operator = await findOwner(() => sessions.find(session, limitedBy(request)), log);
    if (!operator) throw unauthorized("The session has ended. Sign in again.");
    return operator;
  };
  return async (request, { scopes }) => {
    const token = bearerToken(request.headers.authorization);
    const operator = await (token === undefined ? signedIn(request) : operatorOf(token, request));
    const identity = { ...operator, address: addressOf(request) };
    identities.set(request, identity);
    const missing = missingRole(operator, scopes);
    if (missing === undefined) return identity;
    const detail = `This needs the role ${missing}; the operator ${operator.name} has the role ${operator.role}.`;
    throw problem("forbidden", { detail });
  };
}

const identities = new WeakMap<object, Identity>();

/** The operator of a request to the operations API, once the token is checked. */
export const identityOf = (request: object): Identity | undefined => identities.get(request);

const addressOf = (request: Request) => clientAddress(request) ?? "unknown";

/** An IPv6 address counts with its /56, which is one client's. */
export function limitedBy(request: Request): string {
  const address = clientAddress(request);
  return address === undefined ? "unknown" : ipKeyGenerator(address);
}

function unauthorized(detail: string): ProblemError {
  return problem("unauthorized", { detail }, { "WWW-Authenticate": "Bearer" });
}

/** Nothing was stored, and the caller has to retry. */
export function storeUnavailable(): ProblemError {
  const detail = "Nothing could be stored. Send it again after `Retry-After`.";
  return problem("store_unavailable", { detail }, { "Retry-After": "5" });
}

/** express-rate-limit as a function that throws: only after authentication the request's organisation is known. */
function rateLimiter(limit: number) {
  const keys = new WeakMap<Request, string>();
  const limiter = rateLimit({
    windowMs: MINUTE_MS,
    limit,
    standardHeaders: "draft-8",
    legacyHeaders: false,
    keyGenerator: (request) => keys.get(request) ?? "",
    handler: (_request, _response, next) => {
      next(problem("rate_limited", { detail: `At most ${limit} events a minute for each providerId.` }));
    },
  });
  return (request: Request, key: string): Promise<void> => {
    keys.set(request, key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { res } = request;
    if (!res) throw new Error("a request without its response");
    void limiter(request, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    return promise;
  };
}

/**
 * Returns the address of the client: what a trusted proxy says, if it is an address, and otherwise the other end of the connection.
 * Undefined once the client has closed the connection.
 */
export function clientAddress({ ip, socket }: Pick<Request, "ip" | "socket">): string | undefined {
  return ip !== undefined && isIP(ip) !== 0 ? ip : socket.remoteAddress;
}
