import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CannotPublish } from "./publish-contracts/cannot-publish.ts";
import { type Contract, mergedContracts, pairOf } from "./publish-contracts/merge.ts";
import { type Answer, pactBroker } from "./publish-contracts/pact-broker.ts";
import {
  type Broker,
  type Environment,
  type Release,
  readBroker,
  readRelease,
} from "./publish-contracts/settings.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `Publishes contracts/ to a Pact Broker, under the git commit and branch.

  npm run contracts:publish
  npm run contracts:publish -- --can-i-deploy --to production   then ask whether the platform may be deployed there

  --version V        instead of the commit
  --branch B         instead of git's branch
  --tag T            a tag of the version; more than once
  --can-i-deploy     after publishing, ask; without --to, against the latest version of each provider
  --to ENVIRONMENT   where to
  --contracts DIR    the contracts' folder   (contracts)
  --help             show this

From the environment: PACT_BROKER_BASE_URL, and PACT_BROKER_TOKEN or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD.
Exit code: 0 done (and yes), 1 the broker refused (or no), 2 nothing was sent.
`;

const OPTIONS = {
  version: { type: "string" },
  branch: { type: "string" },
  tag: { type: "string", multiple: true },
  "can-i-deploy": { type: "boolean", default: false },
  to: { type: "string" },
  contracts: { type: "string", default: "contracts" },
  help: { type: "boolean", default: false },
} as const;

/** The participant of --can-i-deploy: the only one that this repository releases. */
const PLATFORM = "shiftpact-platform";

/** Runs the command. Resolves with the exit code. */
export async function main(argv: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true });
    if (!values.help) return await run(values, env, terminal);
    terminal.out(HELP);
    return 0;
  } catch (error) {
    const wrongArguments = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    if (!(error instanceof CannotPublish) && !wrongArguments) throw error;
    terminal.error(`${(error as Error).message}\n`);
    return 2;
  }
}

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

async function run(options: Options, env: Environment, terminal: Terminal): Promise<number> {
  if (options.to !== undefined && !options["can-i-deploy"]) {
    throw new CannotPublish("--to goes with --can-i-deploy");
  }
  const folder = resolve(options.contracts);
  const broker = readBroker(env);
  const release = readRelease(folder, options);
  const published = await publish(broker, mergedContracts(folder), release, options.tag ?? [], terminal);
  if (!published) return 1;
  return options["can-i-deploy"] ? ask(broker, release, options.to, terminal) : 0;
}

async function publish(
  broker: Broker,
  contracts: readonly Contract[],
  { version, branch }: Release,
  tags: readonly string[],
  terminal: Terminal,
): Promise<boolean> {
  const about = ["--consumer-app-version", version, "--branch", branch];
  // Contrary to the tool's help, the flag accepts a list and must not be repeated.
  const tagged = tags.length === 0 ? [] : ["--tag", tags.join(",")];
  const answer = await inFiles(contracts, (folder) =>
    pactBroker(broker, ["publish", folder, ...about, ...tagged]),
  );
  if (!answer.ok) return fail("not published", answer, broker, terminal);
  for (const contract of contracts) {
    terminal.out(`published ${pairOf(contract)}: ${contract.interactions.length} interactions\n`);
  }
  terminal.out(`as version ${version} of branch ${branch}, to ${broker.url.origin}\n`);
  return true;
}

async function inFiles<T>(contracts: readonly Contract[], use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "publish-contracts-"));
  try {
    contracts.forEach((contract, index) => {
      writeFileSync(join(folder, `${index}.json`), JSON.stringify(contract));
    });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function ask(
  broker: Broker,
  { version }: Release,
  to: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const where = to === undefined ? [] : ["--to-environment", to];
  const answer = await pactBroker(broker, [
    "can-i-deploy",
    "--pacticipant",
    PLATFORM,
    "--version",
    version,
    ...where,
  ]);
  if (!answer.ok) {
    fail(`${PLATFORM} may not be deployed${to === undefined ? "" : ` to ${to}`}`, answer, broker, terminal);
    return 1;
  }
  terminal.out(`${answer.output}\n`);
  return 0;
}

/** Prints the tool's message, and one line with the fix of a refusal. */
function fail(what: string, { output }: Answer, { url, variables }: Broker, terminal: Terminal): false {
  const names =
    "PACT_BROKER_TOKEN" in variables ? "PACT_BROKER_TOKEN" : "PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD";
  terminal.error(`${output}\n`);
  if (/\b40[13]\b/.test(output))
    terminal.error(`${what}: ${url.origin} refused the credentials; check ${names}\n`);
  else terminal.error(`${what}\n`);
  return false;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await main(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  });
}
