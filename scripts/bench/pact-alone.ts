import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dialect } from "../../src/contract/dialect.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type ProviderForms, readContract, selectInteractions } from "../../src/verify/contracts.ts";
import { type Ended, runNode } from "./command.ts";
import type { Resources } from "./resources.ts";

const VERIFIER = fileURLToPath(
  new URL("../../node_modules/@pact-foundation/pact-cli/bin/pact-verifier.js", import.meta.url),
);

/** The sandbox's choices where a dialect leaves them open. */
const OPEN: Omit<ProviderForms, keyof Dialect> = {
  updated: "shift",
  deleted: "404",
  numbers: "digits",
  registry: "offered",
  hyphen: "read",
  full: "refused",
};

/** Runs Pact's stand-alone verifier on the contract of calls; the sandbox sets up the provider states. Exit code 0: no finding. */
export async function pactAlone(
  resources: Resources,
  sandbox: Sandbox,
  { dialect, timeoutMs = 10_000 }: { dialect: Dialect; timeoutMs?: number },
): Promise<Ended> {
  const contract = selectInteractions(await readContract("provider"), { ...OPEN, ...dialect });
  const file = join(await resources.folder("pact"), "contract.json");
  await writeFile(file, JSON.stringify(contract));
  const argv = [VERIFIER, "--file", file, "--provider-name", contract.provider.name];
  const where = [
    "--hostname",
    "127.0.0.1",
    "--port",
    String(sandbox.port),
    "--state-change-url",
    `${sandbox.url}/states`,
  ];
  const how = ["--header", `Authorization=Bearer ${sandbox.token}`, "--request-timeout", String(timeoutMs)];
  return await runNode(resources, [...argv, ...where, ...how], { env: { PACT_DO_NOT_TRACK: "true" } });
}
