import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import type { Broker } from "./settings.ts";

export interface Answer {
  ok: boolean;
  /** The output of the tool, without the secret. */
  output: string;
}

/** Runs a command of Pact's tool against a broker. */
export async function pactBroker(broker: Broker, args: readonly string[]): Promise<Answer> {
  const cli = createRequire(import.meta.url).resolve("@pact-foundation/pact-cli/bin/pact-broker.js");
  const tool = spawn(process.execPath, [cli, ...args], {
    env: { ...environment(), ...broker.variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    tool.once("close", resolve).once("error", reject),
  );
  const [out, error, code] = await Promise.all([text(tool.stdout), text(tool.stderr), ended]);
  return { ok: code === 0, output: `${out}${error}`.replaceAll(broker.secret, "***").trim() };
}

/** Removes other credentials, which would accompany the token, and the tool's 8 retries, which take two minutes. */
function environment(): NodeJS.ProcessEnv {
  const { PACT_BROKER_TOKEN, PACT_BROKER_USERNAME, PACT_BROKER_PASSWORD, ...rest } = process.env;
  return { PACT_BROKER_HTTP_RETRIES: "3", PACT_DO_NOT_TRACK: "true", ...rest };
}
