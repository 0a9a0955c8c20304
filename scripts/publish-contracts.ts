import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

/** Pact's own tool merges the files of a pair, and takes the commit and the branch from git or the CI system. */
const ARGS = ["publish", "contracts", "--auto-detect-version-properties", ...process.argv.slice(2)];

if (process.env.PACT_BROKER_BASE_URL) {
  const tool = createRequire(import.meta.url).resolve("@pact-foundation/pact-cli/bin/pact-broker.js");
  const env = { PACT_DO_NOT_TRACK: "true", ...process.env };
  process.exitCode = spawnSync(process.execPath, [tool, ...ARGS], { stdio: "inherit", env }).status ?? 1;
} else {
  console.error(
    "PACT_BROKER_BASE_URL is not set: give the URL of the Pact Broker, and its token in PACT_BROKER_TOKEN",
  );
  process.exitCode = 2;
}
