import type { CodeEntries } from "./code.ts";

/** Findings about the run itself, and reasons why a check was skipped. */
export const runCodes = {
  nothing_checked: {
    severity: "error",
    title: "Nothing was checked",
    section: "4.2",
    fix: "Provide what the skipped checks need with --fixtures or --states-url, or omit --only, --skip or --read-only.",
  },
  https_missing: {
    severity: "warning",
    title: "The provider is called without TLS",
    section: "5",
    fix: "Serve the API over HTTPS: the token and personal numbers travel with every call, and the platform refuses plain http.",
  },
  skipped_rate_limited: {
    severity: "skipped",
    title: "Could not be checked: 429 after every wait",
    section: "8",
    fix: "Allow at least 10 calls a second and 500 a minute from the platform, and send Retry-After with a 429; or run with --rate.",
  },
  skipped_read_only: {
    severity: "skipped",
    title: "Not checked: it would change data",
    section: "4.2",
    fix: "Run without --read-only, against a provider whose data may be changed.",
  },
  skipped_not_prepared: {
    severity: "skipped",
    title: "Not checked: required data is missing",
    section: "4.2",
    fix: "Provide it with --fixtures or --states-url.",
  },
  skipped_not_offered: {
    severity: "skipped",
    title: "Not checked: an optional feature that the provider does not offer",
    section: "4.2",
    fix: "Nothing, unless you want to offer it.",
  },
  skipped_by_choice: {
    severity: "skipped",
    title: "Not checked: excluded by --only or --skip",
    section: "4.2",
    fix: "Run without them.",
  },
  skipped_after_failure: {
    severity: "skipped",
    title: "Not checked: an earlier step failed",
    section: "4.2",
    fix: "Fix the preceding errors first.",
  },
  skipped_not_visible: {
    severity: "skipped",
    title: "Not checked: not observable by a client",
    section: "5",
    fix: "Check it on your side.",
  },
} as const satisfies CodeEntries;
