import { createHash, timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { problem } from "../contract/problem.ts";
import type { Organisation, Organisations } from "./organisation.ts";

/** Contract 4.1: one description writes the header one way, the other the other way. */
const PROVIDER_HEADERS = ["x-provider-id", "x-platform-provider-id"];

/**
 * The router's hook: whose organisation a call is for (contract 5, "Provider obligations").
 * Throws 401 for no token or one that nobody has, 400 when the call names no organisation or two, 404 for one that is
 * not known, and 403 when the token speaks for another.
 */
export function authenticator(organisations: Organisations): (request: Request) => Organisation {
  return (request) => {
    const token = bearerToken(request.headers.authorization);
    // Every token is compared, so that the time tells nothing about which one came close.
    const known = [...organisations.values()].filter((each) => isSame(each.token, token ?? ""));
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

/** RFC 6750: the scheme's name is read in any case. */
function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The path's and the headers' values must agree; with header routing one header is enough. */
function providerIdOf(request: Request): string {
  const named = [request.params.providerId, ...PROVIDER_HEADERS.map((name) => request.headers[name])];
  const ids = new Set(named.filter((id) => typeof id === "string").map((id) => id.toLowerCase()));
  const [id] = ids;
  if (id !== undefined && ids.size === 1) return id;
  const message = id === undefined ? "is missing" : "must be one providerId, the same wherever it is sent";
  throw problem("validation_failed", {
    detail: "The request must name one organisation.",
    errors: [{ pointer: "#/headers/X-Provider-Id", message }],
  });
}
