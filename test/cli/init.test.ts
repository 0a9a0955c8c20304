import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ciSourceOf, installedCommand, installScript } from "../../src/cli/ci-source.ts";
import { shiftpact } from "../../src/cli/shiftpact.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { freePort } from "../harness/embedded-postgres.ts";
import type { Step } from "../harness/github-action.ts";
import { terminal } from "../harness/terminal.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = `${process.execPath} --import ${join(ROOT, "node_modules/tsx/dist/loader.mjs")} ${join(ROOT, "src/cli/shiftpact.ts")}`;
const SOURCE = "git+https://git.example/shiftpact.git#0123456789abcdef0123456789abcdef01234567";
const TOKEN = "a-token-that-init-never-writes";
const GITHUB = ".github/workflows/shiftpact.yml";
const GITLAB = ".gitlab-ci.yml";

const root = mkdtempSync(join(tmpdir(), "init-"));
let folder: string;
const running: Sandbox[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(root, "project-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});
afterAll(() => rmSync(root, { recursive: true }));

async function provider(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0, token: TOKEN, ...options });
  running.push(sandbox);
  return sandbox;
}

interface Given {
  env?: Record<string, string>;
  /** The lines typed at the terminal; undefined: there is no terminal. */
  lines?: string[];
}

async function init(argv: readonly string[], { env = { PROVIDER_TOKEN: TOKEN }, lines }: Given = {}) {
  const { io, out, err } = terminal(env);
  const questions: string[] = [];
  const conversation = {
    ask: async (question: string) => {
      questions.push(question);
      return lines?.shift() ?? "";
    },
    close: () => undefined,
  };
  const exit = await shiftpact(["init", ...argv, "--dir", folder], {
    ...io,
    ...(lines && { converse: () => conversation }),
  });
  return { exit, out, err, questions };
}

const who = ({ url, providerId }: Sandbox) => [url, "--provider-id", providerId, "--source", SOURCE];
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const filesBelow = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Runs the script in a shell of the project's folder, with this checkout in the place of an installed one. */
async function shell(script: string, env: Record<string, string>) {
  const source = ciSourceOf(SOURCE);
  const here = script
    .replace(installScript(source).join("\n"), "")
    .replaceAll(installedCommand(source), CLI)
    .replaceAll("npm run -s shiftpact --", CLI);
  return run("bash", ["-e", "-c", here], env);
}

async function run(command: string, argv: readonly string[], env: Record<string, string>) {
  const child = spawn(command, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [code, out, err] = await Promise.all([
    new Promise<number | null>((resolve) => child.once("close", resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, out, err };
}

interface Workflow {
  on: string;
  jobs: { verify: { env: Record<string, string>; steps: Pick<Step, "uses" | "run" | "env">[] } };
}

/** Returns the commands of the job, and its environment with the secrets of the CI system filled in. */
function githubScript(secrets: Record<string, string>) {
  const { on, jobs }: Workflow = parse(read(GITHUB));
  expect(on).toBe("push");
  const { env, steps } = jobs.verify;
  expect(steps.every((step) => (step.uses === undefined) !== (step.run === undefined))).toBe(true);
  for (const { uses } of steps)
    if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  const [install, ...others] = steps.filter(({ run }) => run !== undefined);
  expect(install).toEqual({ name: "Install shiftpact", run: expect.any(String) });
  const filled = Object.entries(Object.assign({}, env, ...others.map((step) => step.env))).map(
    ([name, value]) => {
      const [, secret] = /^\$\{\{ secrets\.(\w+) \}\}$/.exec(String(value)) ?? [];
      return [name, secret === undefined ? value : secrets[secret]];
    },
  );
  return { script: steps.flatMap(({ run }) => run ?? []).join("\n"), env: Object.fromEntries(filled) };
}

function gitlabScript(secrets: Record<string, string>) {
  const job: { script: string[]; variables: Record<string, string> } = parse(read(GITLAB)).contract;
  const filled = Object.entries(job.variables).map(([name, value]) => [
    name,
    value.startsWith("$") ? secrets[value.slice(1)] : value,
  ]);
  return { script: job.script.join("\n"), env: { ...secrets, ...Object.fromEntries(filled) } };
}

describe("shiftpact init", () => {
  it("writes fixtures and a job for GitHub Actions whose commands verify the provider", async () => {
    const sandbox = await provider();
    const { shiftId } = sandbox.createShift();
    const env = { TEMPO_TOKEN: TOKEN };
    const flags = ["--shift-id", shiftId, "--token-variable", "TEMPO_TOKEN", "--ci", "github"];
    const { exit, err } = await init([...who(sandbox), ...flags], { env });
    expect([exit, err]).toEqual([0, []]);
    expect(JSON.parse(read("fixtures.json"))).toEqual({ shiftId });
    expect(filesBelow()).toEqual([GITHUB, "fixtures.json"]);
    const job = githubScript(env);
    const { code, out } = await shell(job.script, job.env);
    expect([code, out]).toEqual([0, expect.stringContaining("incomplete: 0 errors")]);
    expect(existsSync(join(folder, "report/junit.xml"))).toBe(true);
  });

  it("writes a job for GitLab whose commands verify the provider", async () => {
    const sandbox = await provider({ dialect: { routing: "header", variant: "b" } });
    const { shiftId } = sandbox.createShift();
    const env = { TEMPO_TOKEN: TOKEN };
    const flags = ["--shift-id", shiftId, "--token-variable", "TEMPO_TOKEN", "--ci", "gitlab"];
    expect(await init([...who(sandbox), ...flags], { env })).toMatchObject({ exit: 0, err: [] });
    expect(filesBelow()).toEqual([GITLAB, "fixtures.json"]);
    expect(parse(read(GITLAB)).contract.artifacts.reports).toEqual({ junit: "report/junit.xml" });
    const job = gitlabScript(env);
    const { code, out } = await shell(job.script, job.env);
    expect([code, out]).toEqual([0, expect.stringContaining("incomplete: 0 errors")]);
  });

  it("writes a job that starts the provider, and waits until it responds", async () => {
    const port = await freePort();
    const sandbox = await provider({ port });
    const start = `exec ${CLI} sandbox --port ${port} --provider-id "$PROVIDER_ID" --token "$PROVIDER_TOKEN" --routing 'path'`;
    for (const ci of ["github", "gitlab"]) {
      const { exit, err } = await init([...who(sandbox), "--ci", ci, "--start", start]);
      expect([exit, err]).toEqual([0, []]);
      rmSync(join(folder, "fixtures.json"));
    }
    await sandbox.close();
    running.splice(0);
    writeFileSync(join(folder, "fixtures.json"), "{}");
    expect(parse(read(GITLAB)).contract.artifacts.paths).toEqual(["report", "provider.log"]);
    expect(parse(read(GITHUB)).jobs.verify.steps.at(-1).with.path).toBe("report\nprovider.log");
    const secrets = { PROVIDER_TOKEN: TOKEN };
    for (const job of [githubScript(secrets), gitlabScript(secrets)]) {
      const { code, out } = await shell(`trap 'kill %1 && wait' EXIT\n${job.script}`, job.env);
      expect([code, out]).toEqual([0, expect.stringContaining("incomplete: 0 errors")]);
    }
  });

  it("prints the next command, ready to paste", async () => {
    const sandbox = await provider();
    const { shiftId } = sandbox.createShift();
    const env = { TEMPO_TOKEN: TOKEN };
    const flags = ["--shift-id", shiftId, "--token-variable", "TEMPO_TOKEN"];
    const { out } = await init([...who(sandbox), ...flags], { env });
    expect(out.at(-2)).toBe("Next:");
    const { code, out: printed } = await shell(out.at(-1) ?? "", env);
    expect([code, printed]).toEqual([0, expect.stringContaining("incomplete: 0 errors")]);
  });

  it("writes into the folder of the caller, who has a checkout elsewhere", async () => {
    const sandbox = await provider({ states: true });
    const states = ["--states-url", `${sandbox.url}/states`, "--ci", "gitlab"];
    const command = ["--prefix", ROOT, "run", "-s", "shiftpact", "--", "init", ...who(sandbox), ...states];
    const { code, out, err } = await run("npm", command, { PROVIDER_TOKEN: TOKEN });
    expect([code, err, filesBelow()]).toEqual([0, "", [GITLAB, "fixtures.json"]]);
    const [next = ""] = out.trim().split("\n").slice(-1);
    const verified = await run("bash", ["-c", next], { PROVIDER_TOKEN: TOKEN });
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining("conforms: 0 errors")]);
    expect(existsSync(join(folder, "report/junit.xml"))).toBe(true);
  });

  it.each([{}, { dialect: { routing: "header", variant: "b", notFound: "404", registry: false } as const }])(
    "shows the forms in the order of the contracts, as far as reading shows them: %j",
    async (options) => {
      const sandbox = await provider(options);
      const { shiftId } = sandbox.createShift();
      const { out } = await init([...who(sandbox), "--shift-id", shiftId]);
      const names = [
        "routing",
        "variant",
        "notFound",
        "unassign",
        "acknowledgement",
        "updated",
        "deleted",
        "numbers",
        "hyphen",
        "registry",
        "full",
      ];
      const lines = out.slice(1, names.length + 1).map((line) => line.trim().split(/ {2,}/));
      expect(lines.map(([name]) => name)).toEqual(names);
      const { routing = "path", variant = "a", notFound = "empty", registry = true } = options.dialect ?? {};
      expect(Object.fromEntries(lines)).toMatchObject({
        routing,
        variant,
        notFound,
        unassign: "not known yet",
        registry: registry ? "offered" : "absent",
      });
    },
  );

  it("changes nothing at the provider", async () => {
    const sandbox = await provider();
    const { shiftId } = sandbox.createShift();
    const state = () => JSON.stringify([sandbox.shifts, sandbox.candidates]);
    const before = state();
    await init([...who(sandbox), "--shift-id", shiftId]);
    expect(state()).toBe(before);
  });

  it("writes and prints the token nowhere", async () => {
    const sandbox = await provider();
    for (const ci of ["github", "gitlab"]) {
      const { out, err } = await init([...who(sandbox), "--ci", ci, "--force"]);
      for (const printed of [...out, ...err, ...filesBelow().map(read)]) expect(printed).not.toContain(TOKEN);
    }
    const start = await init([...who(sandbox), "--force", "--start", `TOKEN=${TOKEN} ./serve`]);
    expect([start.exit, start.err]).toEqual([
      2,
      [expect.stringContaining("--start must not hold the token")],
    ]);
    const variable = await init([...who(sandbox), "--force", "--token-variable", TOKEN]);
    expect([variable.exit, variable.err.join()]).toEqual([2, expect.stringContaining("not the token")]);
    expect(variable.err.join()).not.toContain(TOKEN);
  });

  it("explains how to check the cancellation, and writes no shift that one run would use up", async () => {
    const sandbox = await provider();
    const { out } = await init([...who(sandbox), "--shift-id", sandbox.createShift().shiftId]);
    expect(read("fixtures.json")).not.toContain("cancellableShiftId");
    expect(out.join("\n")).toMatch(/--create-shift URL_OR_COMMAND .*cancellableShiftId in\nfixtures\.json/);
    expect(out.at(-1)).toContain(" --allow-incomplete ");
  });

  it("writes the command that creates a shift for each run into the job and the next command", async () => {
    const sandbox = await provider();
    const made = ["--shift-id", sandbox.createShift().shiftId, "--create-shift", "./new-shift --in 7d"];
    const { out } = await init([...who(sandbox), ...made, "--ci", "gitlab"]);
    expect(out.join("\n")).not.toContain("Cancellation is not checked");
    for (const text of [out.at(-1), read(".gitlab-ci.yml")]) {
      expect(text).toContain("--create-shift './new-shift --in 7d'");
      expect(text).not.toContain("--allow-incomplete");
    }
  });

  it("reports the number of errors, if there were any", async () => {
    const seen = /^\d+ errors? (was|were) seen: run verify for the fixes\.$/m;
    const errorsOf = async (sandbox: Sandbox) => {
      const { shiftId } = sandbox.createShift();
      const { exit, out } = await init([...who(sandbox), "--shift-id", shiftId, "--force"]);
      expect(exit).toBe(0);
      return out.join("\n");
    };
    expect(await errorsOf(await provider())).not.toMatch(seen);
    expect(await errorsOf(await provider({ faults: ["time-without-offset"] }))).toMatch(seen);
  });

  it("reports that the shift cannot be read", async () => {
    const sandbox = await provider();
    const { exit, out } = await init([...who(sandbox), "--shift-id", crypto.randomUUID()]);
    expect([exit, out.join("\n")]).toEqual([0, expect.stringContaining("could not be read")]);
  });
});

describe("shiftpact init, where files exist,", () => {
  it.each([["fixtures.json"], [GITHUB]])("leaves %s as it is without --force", async (name) => {
    const sandbox = await provider();
    expect((await init(who(sandbox))).exit).toBe(0);
    for (const each of filesBelow().filter((file) => file !== name)) rmSync(join(folder, each));
    writeFileSync(join(folder, name), "mine");
    const { exit, out, err } = await init(who(sandbox));
    expect([exit, out]).toEqual([2, []]);
    expect(err).toEqual([
      expect.stringMatching(new RegExp(`${name} exists, and nothing was written: --force`)),
    ]);
    expect([filesBelow(), read(name)]).toEqual([[name], "mine"]);
    expect((await init([...who(sandbox), "--force"])).exit).toBe(0);
    expect(read(name)).not.toBe("mine");
  });

  it("writes for GitLab where a pipeline exists, and therefore asks for --force or --ci", async () => {
    const sandbox = await provider();
    writeFileSync(join(folder, GITLAB), "mine");
    const refused = await init(who(sandbox));
    expect([refused.exit, refused.err.join()]).toEqual([2, expect.stringContaining(`${GITLAB} exists`)]);
    expect((await init([...who(sandbox), "--ci", "none"])).exit).toBe(0);
    expect([filesBelow(), read(GITLAB)]).toEqual([[GITLAB, "fixtures.json"], "mine"]);
  });

  it("writes nothing when the provider cannot be reached, or refuses the token", async () => {
    const sandbox = await provider();
    const refused = await init(who(sandbox), { env: { PROVIDER_TOKEN: "another" } });
    await sandbox.close();
    running.splice(0);
    const gone = await init(who(sandbox));
    for (const { exit, out, err } of [refused, gone]) {
      expect([exit, out, err]).toEqual([2, [], [expect.stringMatching(/^shiftpact init: /)]]);
    }
    expect(filesBelow()).toEqual([]);
  });
});

describe("shiftpact init on a terminal", () => {
  it("asks for what the flags leave open, and again after an answer that cannot be used", async () => {
    const sandbox = await provider();
    const { shiftId } = sandbox.createShift();
    const lines = [
      "provider",
      sandbox.url,
      "42",
      sandbox.providerId,
      "",
      shiftId,
      "jenkins",
      "gitlab",
      "shiftpact@0.1.0",
      SOURCE,
      "./serve",
    ];
    const { exit, err, questions } = await init([], { lines });
    expect([exit, lines]).toEqual([0, []]);
    expect(err).toEqual([
      expect.stringContaining("must be an http or https URL"),
      expect.stringContaining("--provider-id must be a UUID"),
      expect.stringContaining("--ci must be github or gitlab or none"),
      expect.stringContaining("--source must be git+https://"),
    ]);
    expect(questions).toHaveLength(11);
    expect(questions).toContain("Environment variable that holds PROVIDER_TOKEN [PROVIDER_TOKEN]: ");
    expect(parse(read(GITLAB)).contract.script.join("\n")).toContain("(./serve)");
    expect(JSON.parse(read("fixtures.json"))).toEqual({ shiftId });
  });

  it("asks nothing when the flags are complete", async () => {
    const sandbox = await provider();
    const flags = ["--token-variable", "PROVIDER_TOKEN", "--shift-id", "", "--ci", "none"];
    const { exit, questions } = await init([...who(sandbox), ...flags], { lines: [] });
    expect([exit, questions, filesBelow()]).toEqual([0, [], ["fixtures.json"]]);
  });

  /** Returns what the terminal shows for the typed lines; `script` of util-linux provides the terminal. */
  async function typed(lines: readonly string[], env: Record<string, string> = {}) {
    const child = spawn("script", ["-qec", `${CLI} init --dir .`, "/dev/null"], {
      cwd: folder,
      env: { PATH: process.env.PATH, TERM: "xterm", PROVIDER_TOKEN: TOKEN, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let seen = "";
    const left = [...lines];
    child.stdout.on("data", (chunk) => {
      seen += chunk;
      // One line for each question.
      const asked =
        seen.match(/(?:\{providerId\}|UUID|PROVIDER_TOKEN\]|none yet|github\]|empty: none): /g) ?? [];
      while (lines.length - left.length < asked.length && left.length > 0)
        child.stdin.write(left.shift() ?? "");
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, seen };
  }

  it.each([
    ["in colour", {}, true],
    ["without colour when NO_COLOR is set", { NO_COLOR: "1" }, false],
  ])("runs on a real one, %s", async (_, env, isColoured) => {
    const sandbox = await provider();
    const answers = [sandbox.url, sandbox.providerId, "", "", "none"].map((line) => `${line}\n`);
    const { code, seen } = await typed(answers, env);
    expect([code, filesBelow()]).toEqual([0, ["fixtures.json"]]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with it.
    expect(/\u001b\[\d+m/.test(seen)).toBe(isColoured);
    expect(seen).toContain("--fixtures fixtures.json --allow-incomplete --report report");
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("ends with 2 and writes nothing after %s", async (_, key) => {
    const { code, seen } = await typed(["http://127.0.0.1:9\n", key]);
    expect([code, seen]).toEqual([
      2,
      expect.stringContaining("shiftpact init: stopped: nothing was written"),
    ]);
    expect(filesBelow()).toEqual([]);
  });
});

describe("unusable flags of shiftpact init are one line and exit code 2", () => {
  const UUID = "7e1f7a6e-9a53-4c1d-8a52-3a9e0f3b5c11";
  it.each([
    [[], "no terminal for questions: give BASE_URL and --provider-id UUID and --source SOURCE for the job"],
    [["http://127.0.0.1:9"], "no terminal for questions: give --provider-id UUID"],
    [["--provider-id", UUID], "no terminal for questions: give BASE_URL"],
    [["http://127.0.0.1:9", "--provider-id", UUID], "give --source SOURCE for the job, or --ci none"],
    [["http://127.0.0.1:9", "more", "--provider-id", UUID, "--source", SOURCE], "there is one BASE_URL"],
    [
      ["http://127.0.0.1:9", "--provider-id", UUID, "--source", SOURCE, "--ci", "jenkins"],
      "--ci must be github or gitlab or none",
    ],
    [
      ["http://127.0.0.1:9", "--provider-id", UUID, "--ci", "none", "--token-variable", "UNSET"],
      "--token-variable is not set",
    ],
    [
      ["http://127.0.0.1:9", "--provider-id", UUID, "--ci", "none", "--token-variable", "GITHUB_X"],
      "must be the name of a variable",
    ],
    [["--wat"], "--wat"],
  ])("%j", async (argv, message) => {
    const { exit, out, err } = await init(argv);
    expect([exit, out]).toEqual([2, []]);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
    expect(filesBelow()).toEqual([]);
  });

  const DIGEST = `sha512-${"A".repeat(86)}==`;
  it.each([
    "shiftpact",
    "shiftpact@0.1.0",
    "npm:shiftpact@0.1.0",
    "",
    "git+https://git.example/shiftpact.git",
    "git+https://git.example/shiftpact.git#main",
    "git+https://git.example/shiftpact.git#0123456",
    SOURCE.replace("https", "http"),
    "https://git.example/shiftpact.tgz",
    "./shiftpact-0.1.0.tgz",
    `http://git.example/s.tgz#${DIGEST}`,
    "./shiftpact.tgz#sha1-AAAA",
    "./shiftpact.tgz#sha512-AAAA",
    `$(id).tgz#${DIGEST}`,
  ])("a source that can change: %s", async (source) => {
    const { exit, err } = await init(["http://127.0.0.1:9", "--provider-id", UUID, "--source", source]);
    expect([exit, err, filesBelow()]).toEqual([
      2,
      [expect.stringContaining("--source must be git+https://")],
      [],
    ]);
  });

  it.each([SOURCE, `https://git.example/shiftpact.tgz#${DIGEST}`])(
    "a source with a password, which is not printed: %s",
    async (source) => {
      const secret = source.replace("git.example", "reader:a-secret@git.example");
      const { exit, err } = await init(["http://127.0.0.1:9", "--provider-id", UUID, "--source", secret]);
      expect([exit, err]).toEqual([2, [expect.stringContaining("must not hold a password or token")]]);
      expect(err[0]).not.toContain("a-secret");
    },
  );

  it("names the variable of the token when it is not set", async () => {
    const { exit, err } = await init(["http://127.0.0.1:9", "--provider-id", UUID, "--ci", "none"], {
      env: {},
    });
    expect([exit, err]).toEqual([2, [expect.stringContaining("PROVIDER_TOKEN is not set")]]);
  });

  it("prints its help", async () => {
    const { exit, out } = await init(["--help"]);
    expect([exit, out[0]]).toEqual([0, expect.stringContaining("Examples:")]);
  });
});

it.each([SOURCE, `./shiftpact.tgz#sha512-${"A".repeat(86)}==`])(
  "a job that installs %s runs no script of a package",
  (source) => {
    const installs = installScript(ciSourceOf(source)).filter((command) => command.startsWith("npm "));
    expect(installs).toEqual([expect.stringContaining(" --ignore-scripts ")]);
  },
);
