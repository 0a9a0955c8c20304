import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { freePort } from "../harness/embedded-postgres.ts";
import { CLI, documentedCommands, RUN_ELSEWHERE } from "./documented-commands.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const commands = documentedCommands();

let folder: string;
let sandbox: Sandbox;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-documented-"));
  sandbox = await startSandbox({ port: 0, states: true });
});
afterAll(async () => {
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the command as typed in a checkout. */
function type(command: string, env: NodeJS.ProcessEnv = {}) {
  const { DATABASE_URL, LOG_LEVEL, ...rest } = process.env;
  const child = spawn("bash", ["-c", command], {
    cwd: ROOT,
    env: { ...rest, ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  children.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, "close").then(([code]) => {
    children.delete(child);
    return { code, output };
  });
  const until = async (expression: RegExp) => {
    while (!expression.test(output)) {
      const end = await Promise.race([once(child.stdout, "data").then(() => undefined), ended]);
      if (end && !expression.test(output)) throw new Error(`it ended early: ${JSON.stringify(end)}`);
    }
  };
  const stop = async () => {
    // A listener that has seen everything ends automatically.
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGTERM");
    await ended;
  };
  return { ended, until, stop };
}

/** How the commands begin that this file runs. */
const RUN_HERE = {
  sandbox: `${CLI}sandbox --variant`,
  states: `${CLI}sandbox --port`,
  platform: `${CLI}platform`,
  compare: `${CLI}compare`,
  verify: `${CLI}verify https`,
  verifyWithFixtures: `${CLI}verify http:`,
  listen: `${CLI}listen`,
  trigger: `${CLI}trigger`,
  contracts: `${CLI}contracts --routing path --variant b --not-found empty --unassign put --ack full --out`,
  stub: `${CLI}contracts --routing path --variant b --not-found empty --unassign put --ack full --stub`,
  detected: `${CLI}contracts --detect`,
  verified: `${CLI}contracts --verified`,
  pactFile: "npx --no-install pact-verifier --file",
  pactBroker: "npx --no-install pact-verifier --broker-url",
} as const;

/** Returns the one documented command with this beginning, with its placeholders filled. */
function documented(name: keyof typeof RUN_HERE, filling: Readonly<Record<string, string>> = {}): string {
  const found = commands.filter((command) => command.startsWith(RUN_HERE[name]));
  expect(found).toHaveLength(1);
  return Object.entries(filling).reduce((command, [placeholder, value]) => {
    expect(command).toContain(placeholder);
    return command.replaceAll(placeholder, value);
  }, found[0] ?? "");
}

/** Returns the files and folders of a vitest command. */
const testsOf = (command: string): string[] =>
  (/npx vitest run (.*)$/.exec(command)?.[1] ?? "")
    .replace(/ -t ".*"$/, "")
    .split(" ")
    .filter(Boolean);

describe("each command of the README and the guides", () => {
  const here = Object.values(RUN_HERE);
  it.each(commands)("is run by a test or by .ci/run: %s", (command) => {
    if (here.some((beginning) => command.startsWith(beginning))) return;
    const elsewhere = RUN_ELSEWHERE[command];
    if (elsewhere === undefined) {
      // Not an empty list: a command that no test runs fails here.
      expect(testsOf(command)).not.toEqual([]);
      expect(testsOf(command).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
      return;
    }
    expect(readFileSync(join(ROOT, elsewhere.file), "utf8")).toContain(elsewhere.words);
  });

  it("is documented if a test claims to run it", () => {
    expect(Object.keys(RUN_ELSEWHERE).filter((command) => !commands.includes(command))).toEqual([]);
  });
});

describe("the README", () => {
  it("has at most 200 lines, none longer than 160 characters", () => {
    const lines = readFileSync(join(ROOT, "README.md"), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines.filter((line) => line.length > 160)).toEqual([]);
  });
});

describe("the documented sandbox, platform and compare", () => {
  it("stay up until they are stopped", async () => {
    const provider = type(`${documented("sandbox")} --port 0`);
    await provider.until(/PROVIDER_TOKEN[\s\S]*shift +[\w-]+\n[\s\S]*shift +[\w-]+\n/);
    await provider.stop();
    const states = type(documented("states", { "--port 8080": "--port 0" }), {
      PROVIDER_TOKEN: "for-this-run",
    });
    await states.until(/PROVIDER_TOKEN +for-this-run\n/);
    await states.stop();
    const data = join(folder, "data");
    cpSync(inject("pgliteTemplate"), join(data, "database"), { recursive: true });
    const platform = type(`${documented("platform")} --port 0 --data ${data}`);
    await platform.until(/\{"listening":true,"port":\d+\}/);
    await platform.stop();
  });

  it("compares a document", async () => {
    const document = join(folder, "openapi.yaml");
    copyFileSync(join(ROOT, "spec/provider.openapi.yaml"), document);
    cpSync(join(ROOT, "spec/schemas"), join(folder, "schemas"), { recursive: true });
    cpSync(join(ROOT, "spec/examples"), join(folder, "examples"), { recursive: true });
    const { code, output } = await type(documented("compare", { "openapi.yaml": document })).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("conforms")]);
  });
});

describe("the documented verifications", () => {
  it("verify a provider with the id of a shift, and with a file of fixtures", async () => {
    const [{ shiftId }, cancellable] = [sandbox.createShift(), sandbox.createShift()];
    const env = { PROVIDER_TOKEN: sandbox.token };
    const who = { UUID: sandbox.providerId };
    const byId = documented("verify", {
      ...who,
      "https://provider.example/api": sandbox.url,
      " ID": ` ${shiftId}`,
    });
    const [fixtures, report] = [join(folder, "fixtures.json"), join(folder, "report")];
    writeFileSync(fixtures, JSON.stringify({ shiftId, cancellableShiftId: cancellable.shiftId }));
    const byFile = documented("verifyWithFixtures", {
      ...who,
      "http://127.0.0.1:4010": sandbox.url,
      "fixtures.json": fixtures,
      "--report report": `--report ${report}`,
    });
    const verdicts = { [byId]: [1, "incomplete: 0 errors"], [byFile]: [0, "conforms: 0 errors"] } as const;
    for (const [command, [exitCode, verdict]] of Object.entries(verdicts)) {
      const { code, output } = await type(command, env).ended;
      expect([code, output]).toEqual([exitCode, expect.stringContaining(`${verdict}, 0 warnings`)]);
    }
    expect(readFileSync(join(report, "junit.xml"), "utf8")).toContain("<testsuite");
  });

  it("replay the contracts with Pact's own verifier, from a file instead of a broker", async () => {
    const report = join(folder, "pact.json");
    const command = documented("pactBroker", {
      '--broker-url "$PACT_BROKER_BASE_URL"':
        "--file contracts/shiftpact-platform--scheduling-provider.http.json",
      "http://127.0.0.1:8080/states": `${sandbox.url}/states`,
      "--port 8080": `--port ${sandbox.port}`,
      "--json pact.json": `--json ${report}`,
      ' --publish --provider-version "tempo-$(git rev-parse HEAD)" --provider-branch main': "",
    });
    const env = { PROVIDER_TOKEN: sandbox.token, PACT_DO_NOT_TRACK: "true" };
    const { code, output } = await type(command, env).ended;
    expect([code, output]).toEqual([0, expect.stringMatching(/reads a shift \[routing=path variant=a\]/)]);
    const count = documented("verified", { "pact.json": report });
    expect(await type(count).ended).toEqual({
      code: 0,
      output: expect.stringMatching(/^2\d interactions were verified\n$/),
    });
  });

  it("write the Pact files of a provider's forms, given or detected, and replay them", async () => {
    const { shiftId } = sandbox.createShift();
    const env = {
      PROVIDER_TOKEN: sandbox.token,
      PACT_DO_NOT_TRACK: "true",
      PROVIDER_ID: sandbox.providerId,
      SHIFT_ID: shiftId,
    };
    const outs = { stated: join(folder, "stated"), detected: join(folder, "detected") };
    const stated = documented("contracts", { "--out pacts": `--out ${outs.stated}` });
    const detected = documented("detected", {
      "http://127.0.0.1:8080": sandbox.url,
      "--out pacts": `--out ${outs.detected}`,
    });
    for (const command of [stated, detected]) {
      const { code, output } = await type(command, env).ended;
      expect([code, output]).toEqual([0, expect.stringContaining("Wrote 2 Pact files")]);
    }
    for (const out of Object.values(outs)) expect(readdirSync(out)).toHaveLength(2);
    const replay = documented("pactFile", {
      "--file pacts/": `--file ${outs.detected}/`,
      "http://127.0.0.1:8080/states": `${sandbox.url}/states`,
      "--port 8080": `--port ${sandbox.port}`,
    });
    expect(await type(replay, env).ended).toMatchObject({ code: 0 });
  });

  it("write a stub of a provider", async () => {
    const out = join(folder, "stub");
    const { code } = await type(documented("stub", { "--out stub": `--out ${out}` })).ended;
    expect([code, readdirSync(out)]).toEqual([0, ["scheduling-provider.stub.json"]]);
  });

  it("listen to a triggered webhook", async () => {
    const port = String(await freePort());
    const listening = documented("listen", { 3001: port, "--token T": "--token only-for-this-run" });
    // The guide waits for a whole system; one event shows that the two commands work together.
    const listener = type(`${listening.replace(",shift.update", "")} --timeout 200`);
    await listener.until(/http:\/\//);
    const trigger = documented("trigger", {
      "http://127.0.0.1:3000": `http://127.0.0.1:${port}`,
      "--token T": "--token only-for-this-run",
      "--provider-id UUID": `--provider-id ${randomUUID()}`,
      "--shift-id UUID": `--shift-id ${randomUUID()}`,
    });
    const sent = await type(`${trigger} --retry`).ended;
    expect(sent).toMatchObject({ code: 0 });
    await listener.stop();
  });
});
