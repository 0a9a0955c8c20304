import type { Request } from "express";
import { problem } from "../contract/problem.ts";
import { bearerToken, isSameToken } from "../runtime/bearer-token.ts";
import type { Organisation, Organisations } from "./organisation.ts";

/** Contract 4.1: each of its two sources uses one of these names. */
const PROVIDER_HEADERS = ["x-provider-id", "x-platform-provider-id"];

/**
 * Returns the router's hook, which finds the organisation of a call (contract 5, "Provider obligations"). It throws 401 for a missing or
 * unknown token, 400 if the call names no organisation or two, 404 for an unknown one, and 403 if the token belongs to another one.
 */
export function authenticator(organisations: Organisations): (request: Request) => Organisation {
  return (request) => {
    const token = bearerToken(request.headers.authorization);
    // Compares every token: the duration must not reveal a partial match.
    const known = [...organisations.values()].filter((each) => isSameToken(each.token, token ?? ""));
    if (token === undefined || known.length === 0) throw unauthorized();
    const organisation = organisations.get(providerIdOf(request));
    if (!organisation) throw problem("provider_not_found");
    if (!known.includes(organisation)) throw problem("forbidden");
    return organisation;
  };
}

function unauthorized() {
  const detail = "Send `Authorization: Bearer <PROVIDER_TOKEN>`.";
  return problem("unauthorized", { detail }, { "WWW-Authenticate": "Bearer" });
}

/** Returns the providerId; path and headers must agree, and one of them is enough. */
function providerIdOf(request: Request): string {
  const named = [request.params.providerId, ...PROVIDER_HEADERS.map((name) => request.headers[name])];
  const ids = new Set(named.filter((id) => typeof id === "string").map((id) => id.toLowerCase()));
  const [id] = ids;
  if (id !== undefined && ids.size === 1) return id;
  const message =
    id === undefined ? "is missing" : "must be the same providerId in the path and in every header";
  throw problem("validation_failed", {
    detail: "The request must name one organisation.",
    errors: [{ pointer: "#/headers/X-Provider-Id", message }],
  });
}
