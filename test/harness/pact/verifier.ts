import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import type { Order, Question, Reply, Report } from "./process.ts";

/** The descriptions of the replayed interactions, and the mismatches of the failed ones. */
export interface Verdict {
  honoured: string[];
  /** The place and the difference, in Pact's words. */
  broken: Record<string, string[]>;
}

/** The contract to replay, and its provider. */
export interface Replay {
  /** All contracts have one provider. */
  contracts: readonly { provider: { name: string }; interactions: readonly object[] }[];
  baseUrl: string;
  /** Replace the contract's own, such as a token. */
  headers?: Record<string, string>;
  states?: Record<string, (parameters?: never) => unknown>;
  /** The provider's messages, by their descriptions. */
  messages?: Record<string, () => unknown>;
}

/** Starts Pact's verifier in one process for the whole test file. Its requests are real HTTP. */
export function useVerifier(): (replay: Replay) => Promise<Verdict> {
  let replayer: Replayer;
  beforeAll(() => {
    replayer = startReplayer();
  });
  afterAll(() => replayer.close());
  return (replay) => replayer.replay(replay);
}

interface Replayer {
  replay(replay: Replay): Promise<Verdict>;
  /** Ends the process, with any replay in progress. */
  close(): Promise<void>;
}

interface Waiting {
  replay: Replay;
  /** Resolves with Pact's report, or why there is none. */
  resolve: (report: string) => void;
}

/** Warnings of Pact's own proxy, and of types in source files. */
const QUIET = ["--disable-warning=DEP0060", "--disable-warning=ExperimentalWarning"];

/** Starts the process immediately: it needs about a second before it can replay. */
function startReplayer(): Replayer {
  const folder = mkdtempSync(join(tmpdir(), "shiftpact-replay-"));
  const orders = new Map<number, Waiting>();
  const child = startProcess();
  let ended: Error | undefined;
  child.on("message", (message: Question | Report) => {
    const order = orders.get(message.orderId);
    if (message.kind === "report") order?.resolve(message.report);
    else if (order) answer(child, message, order.replay).catch(giveUp(order));
  });
  const end = (error: Error) => {
    ended ??= error;
    for (const order of orders.values()) giveUp(order)(ended);
  };
  child.on("error", end);
  child.once("exit", (code, signal) => end(new Error(`its process ended with ${code ?? signal}`)));

  return {
    replay: async (replay) => {
      if (ended) return verdictOf(ended.message);
      const orderId = orders.size + 1;
      const files = writeFiles(folder, orderId, replay);
      const report = new Promise<string>((resolve) => orders.set(orderId, { replay, resolve }));
      child.send(orderOf(replay, orderId, files));
      return verdictOf(await report);
    },
    close: async () => {
      const gone = child.pid === undefined || ended ? undefined : once(child, "exit");
      child.kill();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startProcess(): ChildProcess {
  return fork(new URL("./process.ts", import.meta.url), {
    execArgv: ["--import", "tsx", ...QUIET],
    // The folder from which tsx is resolved.
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    // Without the caller's settings: a proxy must not be used for this machine. Disables Pact's telemetry.
    env: { PACT_DO_NOT_TRACK: "true" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

function writeFiles(folder: string, orderId: number, { contracts }: Replay): string[] {
  return contracts.map((contract, index) => {
    const file = join(folder, `${orderId}-${index}.json`);
    writeFileSync(file, JSON.stringify(contract));
    return file;
  });
}

/** Reports a state or message that cannot be created, for which the verifier would wait. */
const giveUp = (order: Waiting) => (error: Error) => order.resolve(error.message);

function orderOf(replay: Replay, orderId: number, pactFiles: string[]): Order {
  const { contracts, baseUrl, headers, states = {}, messages = {} } = replay;
  const provider = contracts[0]?.provider.name ?? "";
  return {
    kind: "order",
    orderId,
    provider,
    pactFiles,
    baseUrl,
    headers,
    states: Object.keys(states),
    messages: Object.keys(messages),
  };
}

async function answer(child: ChildProcess, question: Question, replay: Replay): Promise<void> {
  const { questionId, about, name, parameters } = question;
  const maker = about === "state" ? replay.states?.[name] : replay.messages?.[name];
  const reply: Reply = { kind: "reply", questionId, value: await maker?.(parameters as never) };
  child.send(reply);
}

interface InteractionResult {
  description: string;
  result: "OK" | "Error";
  mismatch?: { mismatches?: { path?: string; mismatch: string }[]; message?: string };
}

/** @param report Pact's own, as JSON; other text is the reason why there is none */
function verdictOf(report: string): Verdict {
  if (!report.startsWith("{")) throw new Error(`Pact's verifier could not run: ${report}`);
  const { interactionResults } = JSON.parse(report) as { interactionResults: InteractionResult[] };
  const honoured = interactionResults.filter(({ result }) => result === "OK");
  const broken = interactionResults.filter(({ result }) => result !== "OK");
  return {
    honoured: honoured.map(({ description }) => description).sort(),
    broken: Object.fromEntries(broken.map((each) => [each.description, saidOf(each)])),
  };
}

function saidOf({ mismatch }: InteractionResult): string[] {
  const { mismatches, message = "no reason given" } = mismatch ?? {};
  return mismatches?.map(({ path, mismatch: what }) => `${path ?? ""} ${what}`.trim()) ?? [message];
}
