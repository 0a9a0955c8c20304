import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { environmentOf, readAction } from "../harness/github-action.ts";
import { copyProject } from "./installed.ts";

let root: string;
/** The action's own checkout, fresh: nothing is installed in it. */
let checkout: string;
/** The workspace of the job. */
let workspace: string;
const running: Sandbox[] = [];
beforeAll(() => {
  // On a disk: each installation has 640 MB, and the tests' own folder may be in memory.
  root = mkdtempSync("/var/tmp/shiftpact-action-");
  checkout = copyProject(root);
  workspace = join(root, "workspace");
  mkdirSync(workspace);
  // Settings of the provider's own repository; shiftpact must use none of them.
  writeFileSync(join(workspace, "tsconfig.json"), '{"extends": "./missing.json"}');
});
afterEach(() => Promise.all(running.splice(0).map((sandbox) => sandbox.close())));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function provider(options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox({ port: 0, token: "a-token-that-is-masked", ...options });
  running.push(sandbox);
  const { url, providerId, token } = sandbox;
  return { sandbox, given: { url, "provider-id": providerId, token } };
}

/** Runs each shell of the action as a runner does. Returns the outputs, and the result of the last shell. */
async function runAction(given: Record<string, string>) {
  const action = readAction();
  const outputs: Record<string, string> = {};
  let ended = { code: 0, out: "" };
  for (const step of action.runs.steps) {
    if (step.run === undefined) continue;
    const file = join(root, `outputs-${randomUUID()}`);
    writeFileSync(file, "");
    const runner = { GITHUB_OUTPUT: file, GITHUB_ACTION_PATH: checkout, RUNNER_TEMP: root };
    ended = await shell(step.run, { ...runner, ...environmentOf(step, action, given) });
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
      const [name, ...value] = line.split("=");
      outputs[`${step.id}.${name}`] = value.join("=");
    }
    if (ended.code !== 0) break;
  }
  return { ...ended, outputs };
}

/** @param env is all that the shell has, beside the machine's own commands */
async function shell(script: string, env: Record<string, string>) {
  const { PATH = "", HOME, TMPDIR, npm_config_registry } = process.env;
  const machine = PATH.split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const own = { PATH: [dirname(process.execPath), ...machine].join(delimiter), HOME, TMPDIR };
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: workspace,
    env: { ...own, npm_config_registry, npm_config_prefer_offline: "true", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [[code], out] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return { code, out };
}

describe("the GitHub Action, in a fresh checkout of its own,", () => {
  it("installs what the lock file pins and succeeds on a conforming provider", async () => {
    const { sandbox, given } = await provider({ dialect: { routing: "header" } });
    const { shiftId } = sandbox.createShift();
    writeFileSync(join(workspace, "fixtures of the action.json"), JSON.stringify({ shiftId }));
    const { code, out, outputs } = await runAction({
      ...given,
      routing: "header",
      fixtures: "fixtures of the action.json",
      args: "--seed 7\n--skip contracts,cancellation",
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/conforms: 0 errors.* seed 7/)]);
    expect(out.startsWith(`::add-mask::${given.token}\n`)).toBe(true);
    expect(outputs["node.usable"]).toBe("true");
    const report = (name: string) => readFileSync(outputs[`verify.${name}`] ?? "", "utf8");
    expect(report("html")).toContain("<!doctype html>");
    expect(report("junit")).toContain("<testsuite");
    expect(JSON.parse(report("json"))).toMatchObject({ summary: { verdict: "conforms" } });
    // shiftpact itself is the checkout, never a package from a registry.
    expect(existsSync(join(checkout, "node_modules/tsx"))).toBe(true);
    expect(existsSync(join(checkout, "node_modules/shiftpact"))).toBe(false);
  });

  it("fails on another provider, and still has the reports", async () => {
    const { given } = await provider({ faults: ["no-token-accepted"] });
    const { code, out, outputs } = await runAction(given);
    expect([code, out]).toEqual([1, expect.stringContaining("fails: ")]);
    expect(readFileSync(outputs["verify.junit"] ?? "", "utf8")).toContain("<failure");
  });

  it("installs before any step has the token", () => {
    const { steps } = readAction().runs;
    const holding = steps.filter(({ env = {} }) => "PROVIDER_TOKEN" in env).map(({ id }) => id);
    expect(holding).toEqual(["verify"]);
    expect(steps.flatMap(({ run = "" }) => run.match(/npm ci .*|npm install.*/g) ?? [])).toEqual([
      expect.stringContaining("--ignore-scripts"),
    ]);
  });
});

describe("the job for GitLab of the guide", () => {
  /** Commits the checkout to a repository of its own. Returns the commit. */
  function commit(): string {
    const git = (...argv: string[]) => {
      const who = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      return execFileSync("git", [...who, "-C", checkout, ...argv], { encoding: "utf8" }).trim();
    };
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message", "The whole checkout");
    return git("rev-parse", "HEAD");
  }

  it("installs that commit and verifies a provider that it starts", async () => {
    const guide = readFileSync(new URL("../../spec/guides/verify.md", import.meta.url), "utf8");
    const [, yaml = ""] = /^```yaml\n(contract:\n[\s\S]*?)^```$/m.exec(guide) ?? [];
    const { script, artifacts }: { script: string[]; artifacts: { paths: string[] } } = parse(yaml).contract;
    const folder = mkdtempSync(join(workspace, "project-"));
    const { sandbox } = await provider();
    writeFileSync(join(folder, "fixtures.json"), JSON.stringify({ shiftId: sandbox.createShift().shiftId }));
    const job = [`cd ${folder}`, "trap 'kill $(jobs -p); wait' EXIT", ...script]
      .join("\n")
      .replaceAll("https://HOST/shiftpact.git", `file://${checkout}`)
      .replaceAll("COMMIT", commit())
      .replace("START", "exec sleep 600")
      .replaceAll("http://127.0.0.1:8080", sandbox.url)
      .replace("--report report", "--allow-incomplete --report report");
    const { providerId, token } = sandbox;
    const ended = await shell(job, { PROVIDER_ID: providerId, PROVIDER_TOKEN: token });
    expect(ended).toEqual({ code: 0, out: expect.stringContaining("incomplete: 0 errors") });
    for (const path of artifacts.paths) expect(existsSync(join(folder, path))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});
