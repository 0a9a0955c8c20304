import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { CannotCompare } from "./cannot-compare.ts";

interface Side {
  /** Relative to the folder in which redocly ran. */
  file: string;
  pointer: string;
  line: number;
  value?: unknown;
}

export interface Difference {
  /** A JSON pointer with every reference followed: the first place of a shared schema in the document. */
  path: string;
  typeName: string;
  kind: "added" | "removed" | "modified";
  impact: "major" | "minor" | "patch";
  property?: string;
  verdicts: { ruleId: string; impact: string; message: string }[];
  base?: Side;
  revision?: Side;
}

export interface DiffReport {
  infoVersions: { base?: string; revision?: string };
  changes: Difference[];
}

/**
 * Returns redocly's differences between two documents, from the view of a client of the first.
 * @throws CannotCompare when it cannot read one of them
 */
export async function redoclyDiff(cwd: string, base: string, revision: string): Promise<DiffReport> {
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  const options = [
    "--config",
    join(import.meta.dirname, "redocly.yaml"),
    "--format",
    "json",
    "--fail-on",
    "none",
  ];
  const redocly = spawn(process.execPath, [cli, "diff", base, revision, ...options], {
    cwd,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    redocly.once("close", resolve).once("error", reject),
  );
  const [report, log, code] = await Promise.all([text(redocly.stdout), text(redocly.stderr), ended]);
  if (code === 0) return JSON.parse(report) as DiffReport;
  throw new CannotCompare(
    `redocly could not compare ${base} with ${revision}: run npm run lint for the reason\n${log}`,
  );
}
