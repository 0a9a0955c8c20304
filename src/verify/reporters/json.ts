import type { Reporter, Verification } from "../events.ts";

/** One finding a line, each once, and the summary last. All at the end: how often each was seen is known only then. */
export function jsonLines(write: (line: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    const { verification } = event;
    for (const finding of verification.findings) write(JSON.stringify(finding));
    write(JSON.stringify({ summary: wholeSummary(verification) }));
  };
}

function wholeSummary({ summary, ...verification }: Verification) {
  const { findings: _, checks: __, passed: ___, coverage: ____, ...facts } = verification;
  return { ...summary, ...facts };
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
