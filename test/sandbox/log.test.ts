import { type Logger, pino } from "pino";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { call, everyOperation, NEW_CANDIDATE, TRACE_ID } from "./calls.ts";

/** Runs a sandbox with a logger. Returns the logged lines after everything is closed. */
async function logOf(use: Parameters<typeof run>[0]): Promise<string[]> {
  const lines: string[] = [];
  const log = pino({ level: "trace", base: null }, { write: (line: string) => lines.push(line) });
  await run(use, log);
  return lines;
}

async function run(
  use: (sandbox: Awaited<ReturnType<typeof startSandbox>>) => Promise<unknown>,
  log: Logger,
): Promise<void> {
  const sandbox = await startSandbox({ log });
  try {
    await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

describe("the log", () => {
  it("has one line with the traceId for each call", async () => {
    const lines = await logOf(async (sandbox) => {
      for (const { method, path } of everyOperation) await call(sandbox, method, path);
    });
    const calls = lines.map((line) => JSON.parse(line));
    expect(calls).toHaveLength(everyOperation.length);
    for (const [index, { method, path }] of everyOperation.entries()) {
      expect(calls[index]).toMatchObject({
        traceId: TRACE_ID,
        method,
        path: expect.stringContaining(path),
        status: expect.any(Number),
        durationMs: expect.any(Number),
      });
    }
  });

  it("marks a call that ended without a response", async () => {
    const line = await new Promise<string>((resolve) => {
      const log = pino({ base: null }, { write: resolve });
      run(async (sandbox) => {
        sandbox.setFault("reset");
        await call(sandbox, "GET", "/roles").catch(() => undefined);
      }, log);
    });
    expect(JSON.parse(line)).toMatchObject({ path: expect.stringContaining("/roles"), aborted: true });
  });

  it("never contains a personal number, a token or a query", async () => {
    let token = "";
    const lines = await logOf(async (sandbox) => {
      token = sandbox.token;
      const number = NEW_CANDIDATE.personalNumber;
      await call(sandbox, "POST", "/candidates", { body: NEW_CANDIDATE });
      await call(sandbox, "POST", "/candidates", { body: { ...NEW_CANDIDATE, email: "no" } });
      await call(sandbox, "GET", `/candidates?personalNumber=${number}&name=query-value`);
      for (const form of [number, "19760625-2380", "%319760625%2D2380"]) {
        await call(sandbox, "GET", `/candidates/${form}`);
        await call(sandbox, "GET", `/shifts/x${form}y`);
      }
      await call(sandbox, "GET", "/roles", { headers: { "X-Trace-Id": number } });
      await call(sandbox, "GET", "/roles", { token: "a-wrong-token" });
      await call(sandbox, "POST", "/candidates", { body: `{"personalNumber":"${number}"` });
    });
    const log = lines.join("");
    for (const secret of [
      token,
      "a-wrong-token",
      "query-value",
      "?",
      "0625",
      NEW_CANDIDATE.email,
      NEW_CANDIDATE.lastName,
    ]) {
      expect(log).not.toContain(secret);
    }
    expect(log).toContain("(personal number)");
  });

  it("contains whole ids, even one that ends like a personal number", async () => {
    const id = "0c6c2b0e-4a58-4b6b-9c29-197606252380";
    const lines = await logOf((sandbox) => call(sandbox, "GET", `/shifts/${id}`));
    expect(lines.join("")).toContain(id);
  });
});
