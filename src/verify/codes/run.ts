import { type CodeEntries, error, skip, warning } from "./code.ts";

/** Findings about the run itself, and reasons why a check was skipped. */
export const runCodes = {
  nothing_checked: error("4.2", "Nothing was checked").fix(
    "Provide what the skipped checks need with --fixtures or --states-url, or omit --only, --skip or --read-only.",
  ),
  https_missing: warning("5", "The provider is called without TLS").fix(
    "Serve the API over HTTPS: the token and personal numbers travel with every call, and the platform refuses plain http.",
  ),
  skipped_rate_limited: skip("8", "Could not be checked: 429 after every wait").fix(
    "Allow at least 10 calls a second and 500 a minute from the platform, and send Retry-After with a 429; or run with --rate.",
  ),
  skipped_read_only: skip("4.2", "Not checked: it would change data").fix(
    "Run without --read-only, against a provider whose data may be changed.",
  ),
  skipped_not_prepared: skip("4.2", "Not checked: required data is missing").fix(
    "Provide it with --fixtures or --states-url.",
  ),
  skipped_not_offered: skip("4.2", "Not checked: an optional feature that the provider does not offer").fix(
    "Nothing, unless you want to offer it.",
  ),
  skipped_by_choice: skip("4.2", "Not checked: excluded by --only or --skip").fix("Run without them."),
  skipped_after_failure: skip("4.2", "Not checked: an earlier step failed").fix(
    "Fix the preceding errors first.",
  ),
  skipped_not_visible: skip("5", "Not checked: not observable by a client").fix("Check it on your side."),
} as const satisfies CodeEntries;
