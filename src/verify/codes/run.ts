import type { CodeEntries } from "./code.ts";

/** What can be said of the run itself, and why something was not checked. */
export const runCodes = {
  nothing_checked: {
    severity: "error",
    title: "Nothing was checked",
    section: "4.2",
    fix: "Give what the skipped checks need with --fixtures or --states-url, or leave out --only, --skip or --read-only.",
  },
  https_missing: {
    severity: "warning",
    title: "The provider is called without TLS",
    section: "5",
    fix: "Serve the API over HTTPS: the token and personal numbers travel with every call, and the platform refuses plain http.",
  },
  skipped_read_only: {
    severity: "skipped",
    title: "Not checked: it would change data",
    section: "4.2",
    fix: "Run without --read-only, against a provider whose data may be changed.",
  },
  skipped_not_prepared: {
    severity: "skipped",
    title: "Not checked: it needs data that was not given",
    section: "4.2",
    fix: "Give it with --fixtures or --states-url.",
  },
  skipped_not_offered: {
    severity: "skipped",
    title: "Not checked: the provider does not offer it, and need not",
    section: "4.2",
    fix: "Nothing, unless you want to offer it.",
  },
  skipped_by_choice: {
    severity: "skipped",
    title: "Not checked: left out by --only or --skip",
    section: "4.2",
    fix: "Run without them.",
  },
  skipped_after_failure: {
    severity: "skipped",
    title: "Not checked: something before it failed",
    section: "4.2",
    fix: "Fix the errors above it first.",
  },
  skipped_not_visible: {
    severity: "skipped",
    title: "Not checked: it cannot be seen from outside",
    section: "5",
    fix: "Check it on your side.",
  },
} as const satisfies CodeEntries;
