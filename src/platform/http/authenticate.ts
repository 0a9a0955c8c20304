import type { Request } from "express";
import { rateLimit, type Store } from "express-rate-limit";
import type { ProblemError } from "../../../generated/runtime/problem.ts";
import { problem } from "../../contract/problem.ts";
import type { Log } from "../db/database.ts";
import { bearerToken, isSameToken, type TokenOwner, type TokenOwners } from "../integrations/tokens.ts";

const MINUTE_MS = 60_000;

/**
 * Checks PLATFORM_TOKEN before the body is read, and keeps abuse out. `limit`: events a minute of each providerId, which `counts` counts; 0: no
 * limit.
 */
export function webhookAuthentication(owners: TokenOwners, limit: number, log: Log, counts: Store) {
  const slowDown = limit > 0 ? rateLimiter(limit, counts) : undefined;
  return async (request: Request): Promise<TokenOwner> => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw unauthorized("Send `Authorization: Bearer <PLATFORM_TOKEN>`.");
    const owner = await findOwner(owners, token, log);
    if (!owner) throw unauthorized("The token is unknown or no longer valid.");
    await slowDown?.(request, owner.providerId);
    return owner;
  };
}

async function findOwner(owners: TokenOwners, token: string, log: Log): Promise<TokenOwner | undefined> {
  try {
    return await owners.find(token);
  } catch (error) {
    log.error({ err: error }, "could not look up a platform token");
    throw storeUnavailable();
  }
}

export function operationsAuthentication(operationsToken: string) {
  return (request: Request): undefined => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw unauthorized("Send `Authorization: Bearer <OPERATIONS_TOKEN>`.");
    if (!isSameToken(token, operationsToken)) throw unauthorized("This is not the operations token.");
  };
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
function rateLimiter(limit: number, store: Store) {
  const keys = new WeakMap<Request, string>();
  const limiter = rateLimit({
    windowMs: MINUTE_MS,
    ...{ limit, store },
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
