import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

const run = promisify(execFile);
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const FLOWS = join(PROJECT, "spec/flows.arazzo.yaml");
const REDOCLY = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
const TIMEOUT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), "shiftpact-arazzo-"));
const children = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of children) {
    if (!child.kill("SIGTERM")) continue;
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `npm start` and returns its URL after the flows. Its output is read to the end: it stops when its reader closes it. */
function start(): Promise<{ url: string; token: string }> {
  const argv = [
    "--import",
    "tsx",
    "src/cli/start.ts",
    "--port",
    "0",
    "--sandbox-port",
    "0",
    "--data",
    join(folder, "data"),
  ];
  const child = spawn(process.execPath, argv, { cwd: PROJECT, stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const [, url, token] = /Operations API: (\S+)\/operations\/v1 \(token: (\S+)\)/.exec(output) ?? [];
      if (url && token) resolve({ url, token });
    });
    child.once("exit", () => reject(new Error(`npm start ended: ${output}`)));
  });
}

interface Report {
  files: Record<string, { executedWorkflows: { workflowId: string; status: string }[] }>;
}

describe("the Arazzo document", { timeout: TIMEOUT_MS }, () => {
  it("describes the onboarding and the four flows so that they can be executed against npm start and a provider", async () => {
    const platform = await start();
    const provider = await startSandbox({ port: 0 });
    try {
      const { shiftId, shift } = provider.createShift({ positions: 1 });
      for (const all of [provider.outlets, provider.roles] as unknown[][]) all.splice(1);
      const later = (time: string) => new Date(Date.parse(time) + 3_600_000).toISOString();
      const inputs = {
        operationsToken: platform.token,
        providerToken: provider.token,
        kind: "tempo",
        providerId: provider.providerId,
        providerUrl: provider.url,
        shiftId,
        traceId: randomUUID(),
        newStartTime: later(shift.startTime),
        newEndTime: later(shift.endTime),
        personalNumber: published.personnummer.at(-1),
        workplace: "Bryggan",
        competence: "Servis",
      };
      const servers = {
        operations: `${platform.url}/operations/v1`,
        platform: platform.url,
        provider: `${provider.url}/providers/${provider.providerId}`,
      };
      const out = join(folder, "report.json");
      const argv = [REDOCLY, "respect", FLOWS, "--json-output", out, "--input", JSON.stringify(inputs)];
      for (const [name, url] of Object.entries(servers)) argv.push("--server", `${name}=${url}`);
      const env = {
        ...process.env,
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        NO_COLOR: "1",
      };
      const output = await run(process.execPath, argv, { env, cwd: PROJECT, maxBuffer: 1 << 26 }).then(
        () => "",
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
      expect(output).toBe("");
      const { files }: Report = JSON.parse(readFileSync(out, "utf8"));
      const [executed] = Object.values(files);
      const workflows: { workflowId: string }[] = parse(readFileSync(FLOWS, "utf8")).workflows;
      const names = new Set(executed?.executedWorkflows.map(({ workflowId }) => workflowId));
      expect([...names]).toEqual(workflows.map(({ workflowId }) => workflowId));
      expect(provider.shift(shiftId)?.cancelled ?? true).toBe(true);
    } finally {
      await provider.close();
    }
  });
});
