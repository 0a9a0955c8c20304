import type { CodeEntries } from "./code.ts";

/** Violations of access rules: tokens (contract 5) and organisations (contract 2.1). */
export const accessCodes = {
  auth_missing: {
    severity: "error",
    title: "A request without a token is served",
    section: "5",
    fix: "Validate the bearer token on this operation before anything else, and return 401.",
  },
  auth_any_token: {
    severity: "error",
    title: "An unknown token is accepted",
    section: "5",
    fix: "Compare the whole token with the exchanged PROVIDER_TOKEN, and return 401 for any other token.",
  },
  auth_wrong_scheme: {
    severity: "error",
    title: "The token is accepted under a scheme other than Bearer",
    section: "5",
    fix: "Accept only `Authorization: Bearer <PROVIDER_TOKEN>`.",
  },
  auth_status: {
    severity: "warning",
    title: "A missing or wrong token is refused with a status other than 401",
    section: "5",
    fix: "Return 401 for a request without a valid token, before any other check.",
  },
  auth_after_lookup: {
    severity: "warning",
    title: "Requests without a token reveal which shifts exist",
    section: "5",
    fix: "Check the token before anything else: return 401 whether the id exists or not.",
  },
  tenant_conflict: {
    severity: "error",
    title: "Two headers that name different organisations are accepted",
    section: "4.1",
    fix: "Return 400 when X-Provider-Id and X-Platform-Provider-Id differ, or read only one of them.",
  },
  tenant_ignored: {
    severity: "error",
    title: "An unknown providerId is served",
    section: "5",
    fix: "On every operation, verify that providerId is an active integration that the token belongs to; return 403 or 404 otherwise.",
  },
  tenant_status: {
    severity: "warning",
    title: "An unknown providerId is refused with an unusual status",
    section: "5",
    fix: "Return 404 for an unknown providerId, and 403 for one that the token does not belong to.",
  },
  tenant_shared: {
    severity: "error",
    title: "An organisation sees or changes the data of another",
    section: "5",
    fix: "Restrict every query to the organisation of the request, and verify that the token belongs to it.",
  },
} as const satisfies CodeEntries;
