import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { PactFile } from "./contract-file.ts";
import type { Order, Question, Reply, Report } from "./verifier-process.ts";

export interface Verification {
  /** All with one provider. */
  contracts: PactFile[];
  baseUrl: string;
  /** Take the place of the contract's own, as a token does. */
  headers?: Record<string, string>;
  states?: Record<string, (parameters?: never) => unknown>;
  /** What the provider sends, by the description of the message. */
  messages?: Record<string, () => unknown>;
}

/** Descriptions of the interactions that were replayed, and what is wrong with those that were not honoured. */
export interface Verdict {
  honoured: string[];
  broken: Record<string, string[]>;
}

interface Waiting {
  verification: Verification;
  /** With Pact's report, or why there is none. */
  resolve: (report: string) => void;
}

interface InteractionResult {
  description: string;
  result: "OK" | "Error";
  mismatch?: { mismatches?: { mismatch: string; path?: string }[]; message?: string };
}

/**
 * Pact's verifier in a process of its own for the whole file around the call, because its native part writes a long
 * report to stdout and cannot be told not to. Its requests are real HTTP.
 */
export function useVerifier(): (verification: Verification) => Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "shiftpact-verifier-"));
  const orders = new Map<number, Waiting>();
  let child: ChildProcess;
  beforeAll(() => {
    child = fork(new URL("./verifier-process.ts", import.meta.url), {
      execArgv: ["--import", "tsx", "--disable-warning=DEP0060"],
      env: { ...process.env, PACT_DO_NOT_TRACK: "true" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    child.on("message", (message: Question | Report) => {
      const order = orders.get(message.orderId);
      if (message.kind === "report") order?.resolve(message.report);
      else if (order) answer(child, message, order.verification).catch(giveUp(order));
    });
    child.once("exit", (code) => {
      for (const order of orders.values()) giveUp(order)(new Error(`its process ended with ${code}`));
    });
  });
  afterAll(async () => {
    const gone = child.exitCode === null ? once(child, "exit") : undefined;
    if (child.connected) child.disconnect();
    await gone;
    rmSync(folder, { recursive: true });
  });

  return async (verification) => {
    const orderId = orders.size + 1;
    const pactFiles = verification.contracts.map((contract, index) => {
      const pactFile = join(folder, `${orderId}-${index}.json`);
      writeFileSync(pactFile, JSON.stringify(contract));
      return pactFile;
    });
    const report = new Promise<string>((resolve) => orders.set(orderId, { verification, resolve }));
    child.send(orderOf(verification, orderId, pactFiles));
    return verdictOf(await report);
  };
}

/** A state or a message that cannot be made would leave the verifier waiting. */
const giveUp = (order: Waiting) => (error: Error) => order.resolve(error.message);

function orderOf(verification: Verification, orderId: number, pactFiles: string[]): Order {
  const { contracts, baseUrl, headers, states = {}, messages = {} } = verification;
  const provider = contracts[0]?.provider.name ?? "";
  return {
    ...{ kind: "order", orderId, provider, pactFiles, baseUrl, headers },
    states: Object.keys(states),
    messages: Object.keys(messages),
  };
}

async function answer(child: ChildProcess, question: Question, verification: Verification): Promise<void> {
  const { questionId, about, name, parameters } = question;
  const maker = about === "state" ? verification.states?.[name] : verification.messages?.[name];
  const reply: Reply = { kind: "reply", questionId, value: await maker?.(parameters as never) };
  child.send(reply);
}

function verdictOf(report: string): Verdict {
  if (!report.startsWith("{")) throw new Error(`the verifier could not run: ${report}`);
  const { interactionResults } = JSON.parse(report) as { interactionResults: InteractionResult[] };
  const honoured = interactionResults.filter(({ result }) => result === "OK");
  const broken = interactionResults.filter(({ result }) => result !== "OK");
  return {
    honoured: honoured.map(({ description }) => description).sort(),
    broken: Object.fromEntries(broken.map((each) => [each.description, reasonsOf(each)])),
  };
}

function reasonsOf({ mismatch }: InteractionResult): string[] {
  const found = mismatch?.mismatches?.map((each) => `${each.path ?? ""} ${each.mismatch}`.trim());
  return found ?? [mismatch?.message ?? "no reason given"];
}
