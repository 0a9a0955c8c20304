import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../generated/operations/client.ts";
import { issueText } from "../../contract/operator-text.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Teller } from "./teller.ts";

export type Operations = ReturnType<typeof createClient>;

/** What the demonstration runs on: a provider, the platform's operations API, and a terminal. */
export interface Stage {
  provider: Sandbox;
  operations: Operations;
  platformUrl: string;
  teller: Teller;
  /** How long one step may take. Milliseconds. */
  patienceMs: number;
}

/** A step failed; the message says which and how. */
export class StoryFailed extends Error {
  override readonly name = "StoryFailed";
  readonly step: string;

  constructor(step: string, reason: string) {
    super(reason);
    this.step = step;
  }
}

export function operationsOf(platformUrl: string, operationsToken: string): Operations {
  const headers = { Authorization: `Bearer ${operationsToken}` };
  return createClient({ baseUrl: `${platformUrl}/operations/v1`, headers });
}

/** Runs one step and prints it. `play` returns its result and a line about it. */
export async function step<T>(stage: Stage, name: string, play: () => Promise<[T, string]>): Promise<T> {
  const startedAt = performance.now();
  try {
    const [result, seen] = await play();
    stage.teller.done(name, seen, performance.now() - startedAt);
    return result;
  } catch (error) {
    throw new StoryFailed(name, error instanceof Error ? error.message : String(error));
  }
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a successful response. @throws Error with the problem's code and detail. */
export function expectOk<T>({ data, error, response }: Answer<T>): T {
  if (response.ok && error === undefined) return data as T;
  const { code, detail } = (error ?? {}) as { code?: string; detail?: string };
  throw new Error(`status ${response.status}${code ? ` ${code}` : ""}${detail ? `: ${detail}` : ""}`);
}

const POLL_MS = 15;

/** Polls `look` until it finds something. @throws Error that names what was awaited. */
export async function until<T>(
  stage: Stage,
  awaited: string,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = performance.now() + stage.patienceMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(POLL_MS);
  }
  throw await timedOut(stage, awaited);
}

/** The same for a promise: a webhook is retried for days, which is longer than a demonstration lasts. */
export async function within<T>(stage: Stage, awaited: string, coming: Promise<T>): Promise<T> {
  const over = new AbortController();
  const patience = sleep(stage.patienceMs, undefined, { signal: over.signal }).then(async () => {
    throw await timedOut(stage, awaited);
  });
  try {
    return await Promise.race([coming, patience]);
  } finally {
    patience.catch(() => undefined);
    over.abort();
  }
}

async function timedOut(stage: Stage, awaited: string): Promise<Error> {
  return new Error(`waited ${stage.patienceMs / 1_000} s for ${awaited}${await openIssues(stage)}`);
}

/** The issues that the platform has raised. */
async function openIssues({ operations, provider }: Stage): Promise<string> {
  const query = { providerId: provider.providerId };
  const { data } = await operations.listIssues({ params: { query } });
  const details = (data?.items ?? []).map((issue) => issueText(issue).detail);
  return details.length > 0 ? `; open issues of the platform: ${details.join(" | ")}` : "";
}
