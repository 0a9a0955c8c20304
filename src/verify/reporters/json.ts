import type { Reporter, Verification } from "../events.ts";
import type { Finding } from "../finding.ts";

/** One finding a line, each once, and the summary last. All at the end: how often each was seen is known only then. */
export function jsonLines(write: (line: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    const { verification } = event;
    for (const finding of verification.findings) write(JSON.stringify(memberOrder(finding)));
    write(JSON.stringify({ summary: wholeSummary(verification) }));
  };
}

/** The members that scripts read stand first. */
function memberOrder(finding: Finding): Finding {
  const { code, severity, operation, title, expected, actual, section, reproduce, ...rest } = finding;
  return { code, severity, operation, title, expected, actual, section, reproduce, ...rest };
}

function wholeSummary({ summary, forms, ...rest }: Verification) {
  const { verdict, errors, warnings, skipped, checks } = summary;
  const counts = { verdict, errors, warnings, skipped, checks };
  const { seed, requests, duration, baseUrl, providerId, startedAt, version, command } = rest;
  const { unseen, readOnly, limited } = rest;
  const state = { unseen, readOnly, limited };
  return {
    ...counts,
    ...state,
    seed,
    requests,
    duration,
    baseUrl,
    providerId,
    startedAt,
    version,
    command,
    forms,
  };
}

/** The whole verification as one JSON document. */
export function jsonReport(write: (text: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    // What was found stands in the findings.
    const checks = event.verification.checks.map(({ finding: _, ...check }) => check);
    write(`${JSON.stringify({ ...event.verification, checks }, undefined, 2)}\n`);
  };
}
