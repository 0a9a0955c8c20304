import { basename } from "node:path";
import { compareDocument } from "../verify/compare/compare.ts";
import { readDocument } from "../verify/compare/document.ts";
import { readContract } from "../verify/contracts.ts";
import { verdictOf } from "../verify/verdict.ts";
import type { Io } from "./io.ts";
import { reportUnusable } from "./run-command.ts";
import { readFlags, UsageError } from "./usage.ts";
import { openReports, printJson, printVerdict } from "./verify.ts";

const HELP = `shiftpact compare FILE: compares a provider's OpenAPI document with the platform's contracts, without running anything.

  FILE           OpenAPI 3 or Swagger 2, YAML or JSON; $refs into files beside it are followed
  --report DIR   writes report.html, junit.xml and report.json there
  --json         one finding a line, the summary last

It detects which of the contract's forms the document describes, and compares only those. What a document cannot express
(authentication, meaning, other organisations) is what shiftpact verify is for.
Exit code 0: the document fits the contracts; 1: it does not; 2: it could not be read.

Examples:
  shiftpact compare openapi.yaml
  shiftpact compare openapi.json --json`;

/** @returns the exit code: 0 conforms, 1 does not, 2 could not run. */
export async function compare(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = flagsOf(argv);
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError("give one FILE (see --help)");
    const document = await readDocument(file);
    const writeReports = openReports(values.report);
    const verdict = verdictOf(await compareDocument(document, await readContract("provider")));
    writeReports(verdict, `compare: ${basename(file)}`);
    (values.json ? printJson : printVerdict)(verdict, io);
    return verdict.summary.verdict === "conforms" ? 0 : 1;
  } catch (error) {
    return reportUnusable("compare", error, io);
  }
}

function flagsOf(args: string[]) {
  return readFlags({
    args,
    allowPositionals: true,
    options: {
      report: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
}
