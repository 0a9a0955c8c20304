import type { CodeEntries } from "./code.ts";

/** Who may ask for what: tokens (contract 5) and organisations (contract 2.1). */
export const accessCodes = {
  auth_missing: {
    severity: "error",
    title: "A call without a token is served",
    section: "5",
    fix: "Validate the bearer token on this operation too, before anything else, and answer 401.",
  },
  auth_any_token: {
    severity: "error",
    title: "A token that nobody has is accepted",
    section: "5",
    fix: "Compare the whole token with the PROVIDER_TOKEN that was exchanged, and answer 401 to any other.",
  },
  auth_wrong_scheme: {
    severity: "error",
    title: "The token is accepted under another scheme than Bearer",
    section: "5",
    fix: "Accept `Authorization: Bearer <PROVIDER_TOKEN>` only.",
  },
  auth_status: {
    severity: "warning",
    title: "A missing or wrong token is refused with another status than 401",
    section: "5",
    fix: "Answer 401 to a request without a valid token, before looking at anything else.",
  },
  auth_after_lookup: {
    severity: "warning",
    title: "Without a token it can be found out which shifts there are",
    section: "5",
    fix: "Look at the token before anything else: answer 401 whether the id is known or not.",
  },
  tenant_conflict: {
    severity: "error",
    title: "Two headers that name different organisations are accepted",
    section: "4.1",
    fix: "Answer 400 when X-Provider-Id and X-Platform-Provider-Id differ, or read one of them only.",
  },
  tenant_ignored: {
    severity: "error",
    title: "A providerId that nobody has is served",
    section: "5",
    fix: "Validate on every operation that providerId is an active integration which the token speaks for; answer 403 or 404.",
  },
  tenant_status: {
    severity: "warning",
    title: "An unknown providerId is refused with an unusual status",
    section: "5",
    fix: "Answer 404 to a providerId that is not known, 403 to one that the token does not speak for.",
  },
  tenant_shared: {
    severity: "error",
    title: "One organisation sees another's data",
    section: "5",
    fix: "Keep every query to the organisation of the request, and validate that its token speaks for it.",
  },
} as const satisfies CodeEntries;
