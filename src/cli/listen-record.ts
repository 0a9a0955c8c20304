import { appendFileSync } from "node:fs";
import type { Seen } from "../verify/listen/webhook-receiver.ts";
import { codeOf } from "./io.ts";
import { UsageError } from "./usage.ts";

/** Appends each received webhook to a file, as one line of JSON. @throws UsageError when the file cannot be written */
export function recordTo(file: string): (seen: Seen) => void {
  append(file, "");
  return ({ event, answer }) => {
    if (event && answer !== "held")
      append(file, `${JSON.stringify({ at: new Date().toISOString(), answer, event })}\n`);
  };
}

function append(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--record ${file}: cannot be written (${codeOf(error)})`);
  }
}

export interface Forwarding {
  url: string;
  token: string;
  print: (line: string) => void;
}

/** Sends each acknowledged webhook to another address, such as the integration of a platform. */
export function forwardTo({ url, token, print }: Forwarding): (seen: Seen) => Promise<void> | undefined {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return ({ number, event, answer }) => {
    if (!event || answer !== 200) return undefined;
    const sent = fetch(url, { method: "POST", headers, body: JSON.stringify(event), redirect: "manual" });
    return sent.then(
      ({ status }) => print(`  ${number} forwarded: ${status}`),
      () => print(`  ${number} not forwarded: no response from ${url}`),
    );
  };
}
