import { Verifier } from "@pact-foundation/pact";

// Runs Pact's verifier in a separate process (started by verifier.ts), because its native library always writes a long report to stdout.

/** The limit of one response of the provider. Longer than any limit of the kit. */
const TIMEOUT_MS = 120_000;

/** The verification to run; `states` and `messages` name the questions that it may ask. */
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

/** A state to set up or a message to create, which the provider in the other process does. */
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

/** `report`: Pact's own, as JSON; the reason when it could not run. */
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
    provider,
    providerBaseUrl: baseUrl,
    pactUrls: pactFiles,
    ...(headers && { customProviderHeaders: headers }),
    logLevel: "error",
    failIfNoPactsFound: true,
    timeout: TIMEOUT_MS,
    stateHandlers: asking("state", states),
    messageProviders: asking("message", messages),
  });
  // It rejects with the same report when an interaction fails.
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
