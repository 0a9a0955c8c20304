import type { Reporter, Verification } from "../events.ts";

/** Writes one line for each finding, and the summary last. Everything is written at the end, because only then the counts are final. */
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

export function jsonReport(write: (text: string) => void): Reporter {
  return (event) => {
    if (event.type !== "end") return;
    // The findings are a separate member.
    const checks = event.verification.checks.map(({ finding: _, ...check }) => check);
    write(`${JSON.stringify({ ...event.verification, checks }, undefined, 2)}\n`);
  };
}
