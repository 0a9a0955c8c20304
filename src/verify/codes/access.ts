import { type CodeEntries, error, warning } from "./code.ts";

/** Violations of access rules: tokens (contract 5) and organisations (contract 2.1). */
export const accessCodes = {
  auth_missing: error("5", "A request without a token is served").fix(
    "Validate the bearer token on this operation before anything else, and return 401.",
  ),
  auth_any_token: error("5", "An unknown token is accepted").fix(
    "Compare the whole token with the exchanged PROVIDER_TOKEN, and return 401 for any other token.",
  ),
  auth_wrong_scheme: error("5", "The token is accepted under a scheme other than Bearer").fix(
    "Accept only `Authorization: Bearer <PROVIDER_TOKEN>`.",
  ),
  auth_status: warning("5", "A missing or wrong token is refused with a status other than 401").fix(
    "Return 401 for a request without a valid token, before any other check.",
  ),
  auth_after_lookup: warning("5", "Requests without a token reveal which shifts exist").fix(
    "Check the token before anything else: return 401 whether the id exists or not.",
  ),
  tenant_conflict: error("4.1", "Two headers that name different organisations are accepted").fix(
    "Return 400 when X-Provider-Id and X-Platform-Provider-Id differ, or read only one of them.",
  ),
  tenant_ignored: error("5", "An unknown providerId is served").fix(
    "On every operation, verify that providerId is an active integration that the token belongs to; return 403 or 404 otherwise.",
  ),
  tenant_status: warning("5", "An unknown providerId is refused with an unusual status").fix(
    "Return 404 for an unknown providerId, and 403 for one that the token does not belong to.",
  ),
  tenant_shared: error("5", "An organisation sees or changes the data of another").fix(
    "Restrict every query to the organisation of the request, and verify that the token belongs to it.",
  ),
} as const satisfies CodeEntries;
