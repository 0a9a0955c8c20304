import { Verifier } from "@pact-foundation/pact";

// Pact's verifier for a process of its own (verifier.ts starts it): its native part writes a long report to stdout and cannot be told not to.

/** For one answer of the provider. Longer than any wait of the kit, which gives up by itself. */
const TIMEOUT_MS = 120_000;

/** What the process is told to verify; `states` and `messages` name what it may ask for. */
export interface Order {
  kind: "order";
  orderId: number;
  provider: string;
  pactFiles: string[];
  baseUrl: string;
  headers: Record<string, string> | undefined;
  states: string[];
  messages: string[];
}

/** A state to set up or a message to make: the provider that knows how is in the other process. */
export interface Question {
  kind: "question";
  questionId: number;
  orderId: number;
  about: "state" | "message";
  name: string;
  parameters: unknown;
}

export interface Reply {
  kind: "reply";
  questionId: number;
  value: unknown;
}

/** `report`: Pact's own, as JSON; the reason when it could not run at all. */
export interface Report {
  kind: "report";
  orderId: number;
  report: string;
}

const waiting = new Map<number, (value: unknown) => void>();
let asked = 0;

function ask(orderId: number, about: Question["about"], name: string, parameters: unknown) {
  asked += 1;
  const question: Question = { kind: "question", questionId: asked, orderId, about, name, parameters };
  return new Promise<never>((resolve) => {
    waiting.set(question.questionId, (value) => resolve(value as never));
    process.send?.(question);
  });
}

async function verify(order: Order): Promise<string> {
  const { orderId, provider, pactFiles, baseUrl, headers, states, messages } = order;
  const asking = (about: Question["about"], names: string[]) =>
    Object.fromEntries(names.map((name) => [name, (given: unknown) => ask(orderId, about, name, given)]));
  const verifier = new Verifier({
    ...{ provider, providerBaseUrl: baseUrl, pactUrls: pactFiles },
    ...(headers && { customProviderHeaders: headers }),
    ...{ logLevel: "error", failIfNoPactsFound: true, timeout: TIMEOUT_MS },
    stateHandlers: asking("state", states),
    messageProviders: asking("message", messages),
  });
  // It rejects with the same report when an interaction is not honoured.
  return verifier
    .verifyProvider()
    .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
}

process.on("message", async (message: Order | Reply) => {
  if (message.kind === "reply") {
    waiting.get(message.questionId)?.(message.value);
    waiting.delete(message.questionId);
    return;
  }
  const report: Report = { kind: "report", orderId: message.orderId, report: await verify(message) };
  process.send?.(report);
});
