import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { contracts } from "../../src/cli/contracts.ts";
import { listen } from "../../src/cli/listen.ts";
import { verify } from "../../src/verify/index.ts";
import { freePort } from "../harness/embedded-postgres.ts";
import { stop, terminal } from "../harness/terminal.ts";
import { end, endWithTest, folder } from "./started.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SOURCE = join(ROOT, "test/examples/php");
const PROVIDER_ID = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
const TOKEN = "provider-token-of-the-example";

function php(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): ChildProcess {
  const own = { PROVIDER_TOKEN: TOKEN, PROVIDER_DATA: join(cwd, "data.json"), PROVIDER_STATES: "1" };
  return endWithTest(spawn("php", argv, { cwd, env: { ...process.env, ...own, ...env }, stdio: "ignore" }));
}

const _CLI = `${process.execPath} ${join(ROOT, "src/cli/in-checkout.mjs")}`;
const section =
  /^## PHP$[\s\S]*?(?=^## )/m.exec(readFileSync(join(ROOT, "spec/guides/pact-verifiers.md"), "utf8"))?.[0] ??
  "";

const commandsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .trim()
      .split("\n"),
  );

/** Returns the command of the guide that begins with this name. */
function commandNamed(name: string): string {
  const found = commandsOf(section).filter((line) =>
    new RegExp(`^npx --no-install (shiftpact )?${name} `).test(line),
  );
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

async function shell(script: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn("bash", ["-e", "-c", script], {
    cwd,
    env: { ...process.env, PROVIDER_TOKEN: TOKEN, PACT_DO_NOT_TRACK: "true", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { code, out };
}

/** A copy of the provider, changed by `edit`, on a free port. */
async function start(edit = (source: string) => source, env: Readonly<Record<string, string>> = {}) {
  const dir = folder("php");
  cpSync(SOURCE, dir, { recursive: true });
  writeFileSync(join(dir, "index.php"), edit(readFileSync(join(dir, "index.php"), "utf8")));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const [, , ...argv] = commandsOf(section)[0]?.replace("8080", String(port)).split(" ") ?? [];
  const server = php(argv, dir, env);
  await expect
    .poll(() =>
      fetch(baseUrl).then(
        ({ ok }) => !ok,
        () => false,
      ),
    )
    .toBe(true);
  const statesUrl = `${baseUrl}/states`;
  const state = (name: string) =>
    fetch(statesUrl, { method: "POST", body: JSON.stringify({ state: name, params: {} }) });
  return { dir, port, baseUrl, statesUrl, state, stop: () => end(server) };
}

const verified = ({ baseUrl, statesUrl }: Awaited<ReturnType<typeof start>>) =>
  verify({ baseUrl, statesUrl, providerId: PROVIDER_ID, token: TOKEN });

describe("a provider in plain PHP", () => {
  it("conforms without a warning, a second time as well, with the replay of the contracts", async () => {
    const provider = await start();
    for (const _ of [1, 2]) {
      const { summary, findings } = await verified(provider);
      const wrong = findings.filter(({ severity }) => severity !== "skipped");
      expect([summary.verdict, wrong]).toEqual(["conforms", []]);
    }
  });

  it("leaves no candidate behind, because the provider states remove them", async () => {
    const provider = await start();
    await verified(provider);
    const { candidates } = JSON.parse(readFileSync(join(provider.dir, "data.json"), "utf8"));
    const names = Object.values<{ lastName: string }>(candidates).map(({ lastName }) => lastName);
    expect(new Set(names)).toEqual(new Set(["Ek"]));
  });

  it("honours the contracts and sends the events, as Pact's own verifier finds with the command of the guide", async () => {
    const { dir, port } = await start();
    const { io } = terminal();
    const words = commandNamed("contracts")
      .replace("--out pacts", `--out ${join(dir, "pacts")}`)
      .split(" ");
    expect(await contracts(words.slice(words.indexOf("contracts") + 1), io)).toBe(0);
    const replay = commandNamed("pact-verifier").replaceAll("8080", String(port));
    const { code, out } = await shell(
      `PATH=${ROOT}node_modules/.bin:$PATH ${replay.replace("npx --no-install ", "")}`,
      dir,
    );
    expect([code, out]).toEqual([0, expect.stringContaining("shift.delete")]);
  });

  it("does not conform with an array whose keys have gaps", async () => {
    const gap = '"assignedCandidates" => array_slice([null, ...$assigned], 1, null, true)';
    const provider = await start((source) => source.replace('"assignedCandidates" => $assigned', gap));
    const { summary, findings } = await verified(provider);
    const codes = findings.filter(({ severity }) => severity === "error").map(({ code }) => code);
    expect([summary.verdict, new Set(codes)]).toEqual(["fails", new Set(["field_wrong"])]);
  });

  it("sends its webhooks, and the same one again after a failure", async () => {
    const { io, out, until } = terminal();
    const greeted = until(/Without a provider/);
    const repeated = until(/^✓ +2 {2}shift\.create/);
    const exit = listen(["--port", "0", "--token", "a-token-for-tests", "--expect", "shift.create"], io);
    await greeted;
    const [platform = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(out.join("\n")) ?? [];
    const env = { PLATFORM_URL: platform, PLATFORM_TOKEN: "a-token-for-tests" };
    const { dir, state } = await start(undefined, env);
    php(["events.php"], dir, env);
    await state("a shift exists");
    await repeated;
    stop();
    await exit;
    expect(out.join("\n")).not.toContain(", webhook_retry");
  });
});
