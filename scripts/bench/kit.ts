import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Dialect, dialectName } from "../../src/contract/dialect.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { CouldNotRun } from "../../src/verify/connection-errors.ts";
import { type ProviderForms, readContract, selectInteractions } from "../../src/verify/contracts.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { Fixtures, OtherTenant } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";
import { type Planted, plantedFaults } from "../../test/harness/fault-rows.ts";
import published from "../../test/testdata/personal-numbers.json" with { type: "json" };
import { type Ended, runNode } from "./command.ts";
import { startLatencyProxy } from "./latency-proxy.ts";
import type { Resources } from "./machine.ts";
import { alternate, median } from "./statistics.ts";
import { type Row, type Section, type SectionResult, type Setting, shown } from "./table.ts";

export const kit: Section = {
  name: "kit",
  title: "The verification kit",
  packages: ["@pact-foundation/pact-cli"],
  run: async (setting) => {
    const times = await timesOf(setting);
    const far = await farTimesOf(setting);
    const counts = await countsOf(setting);
    const rows = [
      row("kit", "shiftpact verify", times.kit, counts.kit, counts.planted),
      row("kit-pact", "pact-verifier alone", times.pact, counts.pact, counts.planted),
    ];
    return {
      tables: [
        { title: "Faults found", about: ABOUT, head: HEAD, rows },
        { title: "Over a network", about: ABOUT_FAR, head: ["latency", "seconds"], rows: far.map(farRow) },
      ],
      figures: {
        "kit.seconds": median(times.kit) / 1_000,
        ...Object.fromEntries(
          far.map(({ latency, ms }) => [`kit.far.${latency}.seconds`, median(ms) / 1_000]),
        ),
        "kit.found.ratio": counts.kit / counts.planted,
        "kit.pact.ratio": counts.kit / Math.max(1, counts.pact),
      },
    } satisfies SectionResult;
  },
};

const ABOUT = `Against the sandbox. Time: the whole command, from the start of its process to its end, on a correct provider. Faults: every fault of the sandbox that makes a provider
incorrect, one at a time, on all operations that it affects, the dialects in turn. Found: a finding that is absent without the fault. pact-verifier replays the same contract of calls,
those of its interactions that fit the dialect, with all provider states; the kit replays them too, and checks what a contract cannot express.`;

const HEAD = ["verification", "seconds", "faults found", "of"];

function row(id: string, what: string, times: readonly number[], found: number, planted: number): Row {
  return { id, cells: [what, shown(median(times) / 1_000), shown(found), shown(planted)] };
}

const ABOUT_FAR =
  "The whole command on a correct provider behind this latency: each call waits that long before the sandbox gets it.";

interface Far {
  /** Milliseconds. */
  latency: number;
  ms: number[];
}

function farRow({ latency, ms }: Far): Row {
  return { id: `kit-far-${latency}`, cells: [`${latency} ms`, shown(median(ms) / 1_000)] };
}

const COMMAND = fileURLToPath(new URL("../../src/cli/shiftpact.ts", import.meta.url));
const PLAIN: Dialect = {
  routing: "path",
  variant: "a",
  notFound: "empty",
  unassign: "put",
  acknowledgement: "minimal",
};

/** Measures on a correct provider. Milliseconds. */
function timesOf({ resources, quick, report }: Setting): Promise<Record<"kit" | "pact", number[]>> {
  const turns = { kit: () => timeKit(resources), pact: () => timePact(resources) };
  return alternate(turns, quick ? 1 : 7, (name, round) =>
    report(`${name} on a correct provider, round ${round}`),
  );
}

const LATENCIES = [0, 50, 200];

async function farTimesOf({ resources, quick, report }: Setting): Promise<Far[]> {
  const far: Far[] = [];
  for (const latency of LATENCIES) {
    const ms: number[] = [];
    for (let round = 1; round <= (quick ? 1 : 3); round += 1) {
      report(`kit at ${latency} ms, round ${round}`);
      ms.push(await timeKit(resources, latency));
    }
    far.push({ latency, ms });
  }
  return far;
}

async function timeKit(resources: Resources, latency?: number): Promise<number> {
  const { sandbox, fixtures, other } = await startProvider(resources, { dialect: PLAIN });
  const file = join(await resources.folder("fixtures"), "fixtures.json");
  await writeFile(file, JSON.stringify(fixtures));
  const url = latency === undefined ? sandbox.url : await startLatencyProxy(resources, sandbox.url, latency);
  const argv = ["--import", import.meta.resolve("tsx"), COMMAND, "verify", url];
  const own = ["--provider-id", sandbox.providerId, "--token", sandbox.token, "--fixtures", file];
  const others = ["--other-provider-id", other.providerId, "--other-token", other.token];
  const { code, ms, output } = await runNode(resources, [...argv, ...own, ...others]);
  await sandbox.close();
  if (code !== 0) throw new Error(`a correct provider was not verified: ${output.slice(-2_000)}`);
  return ms;
}

async function timePact(resources: Resources): Promise<number> {
  const { sandbox } = await startProvider(resources, { dialect: PLAIN });
  const { code, ms, output } = await pactAlone(resources, sandbox, { dialect: PLAIN });
  await sandbox.close();
  if (code !== 0) throw new Error(`pact-verifier refused a correct provider: ${output.slice(-2_000)}`);
  return ms;
}

interface Counts {
  planted: number;
  kit: number;
  pact: number;
}

/** Faults at the same time: each waits for its own processes. */
const AT_ONCE = 2;
/** The faults of the quick run. */
const EACH = 48;

async function countsOf({ resources, quick, report }: Setting): Promise<Counts> {
  const planted = plantedFaults().filter((_, index) => !quick || index % EACH === 0);
  const counts = { planted: planted.length, kit: 0, pact: 0 };
  const baselines = new Map<string, Promise<ReadonlySet<string>>>();
  const waiting = [...planted];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { dialect } = next;
      const right = baselines.get(dialectName(dialect)) ?? baseline(resources, dialect, quick);
      baselines.set(dialectName(dialect), right);
      // The awaiting code reports it.
      right.catch(() => undefined);
      const [found, pact] = [await findingsOf(resources, next, quick), await isFoundByPact(resources, next)];
      const known = await right;
      const isFound = [...found].some((finding) => !known.has(finding));
      counts.kit += isFound ? 1 : 0;
      counts.pact += pact ? 1 : 0;
      report(
        `fault ${next.fault}: ${isFound ? "found" : "NOT found"}, by Pact alone ${pact ? "found" : "not found"}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return counts;
}

/** The limit of a hanging call. Milliseconds. */
const SHORT_MS = 400;

/** Returns the verdict, and every error and warning. The quick run omits the replay of the contracts, which takes most of the time. */
async function findingsOf(
  resources: Resources,
  { dialect, fault }: MaybePlanted,
  quick: boolean,
): Promise<ReadonlySet<string>> {
  const provider = await startProvider(resources, { dialect, ...(fault && { fault }) });
  const { sandbox, fixtures, other } = provider;
  try {
    const verification = await verify({
      baseUrl: sandbox.url,
      providerId: sandbox.providerId,
      token: sandbox.token,
      fixtures,
      other,
      seed: 1,
      ...(fault === "slow" && { timeoutMs: SHORT_MS }),
      ...(quick && { skip: ["contracts"] as const }),
      // Requested pauses are skipped.
      wait: () => Promise.resolve(),
    });
    return wrongs(verification);
  } catch (error) {
    // Such a provider counts as incorrect: verify exits with code 2.
    if (error instanceof CouldNotRun) return new Set(["could not run"]);
    throw error;
  } finally {
    await sandbox.close();
  }
}

/** What a provider hides behind its rate limit could not be checked, which the verdict says. */
function wrongs({ findings, summary }: Verification): Set<string> {
  const wrong = findings.filter(({ severity }) => severity !== "skipped");
  return new Set([summary.verdict, ...wrong.map(({ code, operation }) => `${code} ${operation}`)]);
}

/** Returns the findings about a correct provider. Pact alone must find nothing there, or its findings would prove nothing. */
async function baseline(
  resources: Resources,
  dialect: Dialect,
  quick: boolean,
): Promise<ReadonlySet<string>> {
  if (await isFoundByPact(resources, { dialect })) {
    throw new Error(`pact-verifier refuses a correct provider: ${dialectName(dialect)}`);
  }
  return findingsOf(resources, { dialect }, quick);
}

type MaybePlanted = Pick<Planted, "dialect"> & Partial<Planted>;

async function isFoundByPact(resources: Resources, { dialect, fault }: MaybePlanted): Promise<boolean> {
  const { sandbox } = await startProvider(resources, { dialect, ...(fault && { fault }) });
  try {
    const { code } = await pactAlone(resources, sandbox, {
      dialect,
      ...(fault === "slow" && { timeoutMs: SHORT_MS }),
    });
    return code !== 0;
  } finally {
    await sandbox.close();
  }
}

/** Starts a provider with all fixtures that the kit can use. */
export interface Provider {
  sandbox: Sandbox;
  fixtures: Required<Fixtures>;
  other: OtherTenant;
}

const [KNOWN_NUMBER = ""] = published.personnummer;

async function startProvider(
  resources: Resources,
  { dialect = {}, fault }: { dialect?: Partial<Dialect>; fault?: FaultName } = {},
): Promise<Provider> {
  const sandbox = await startSandbox({ dialect, rateLimit: 0, states: true });
  resources.onClear(sandbox.close);
  const { providerId, token } = sandbox.addOrganisation();
  const { shiftId, shift } = sandbox.createShift({ positions: 3 });
  shift.assigned.set(sandbox.candidates[0]?.id ?? "", shift.createdAt);
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  if (fault) sandbox.setFault(fault);
  const fixtures = { shiftId, cancellableShiftId, knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
  return { sandbox, fixtures, other: { providerId, token } };
}

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
async function pactAlone(
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
