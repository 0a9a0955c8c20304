import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { listen } from "../../src/cli/listen.ts";
import { verify } from "../../src/cli/verify.ts";
import { verify as verifyProvider } from "../../src/verify/index.ts";
import { stop, terminal } from "../harness/terminal.ts";
import { endWithTest, folder } from "./started.ts";

const root = new URL("../../", import.meta.url);
const FILE = new URL("test/examples/provider.py", root);
const source = readFileSync(FILE, "utf8");
const page = readFileSync(new URL("spec/guides/first-ten-minutes.md", root), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );
const TOKEN = /^PROVIDER_TOKEN = "(.+)"$/m.exec(source)?.[1] ?? "";

/** The provider on a free port, and what it prints: its address, its organisation and a shift. */
async function start(more: readonly string[] = [], file = FILE.pathname) {
  const child = endWithTest(spawn("python3", [file, "0", ...more], { stdio: ["ignore", "pipe", "inherit"] }));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const [, url = "", providerId = "", shiftId = ""] =
    /^(http\S+) organisation (\S+) shift (\S+)$/.exec(line) ?? [];
  return { url, providerId, shiftId };
}

type Started = Awaited<ReturnType<typeof start>>;

/** A command of the page, with the address and the shift of the one that runs here. */
function wordsOf(command: string, { url, shiftId }: Started): string[] {
  const line = blocks("sh")
    .flatMap((block) => block.split("\n"))
    .find((each) => each.includes(command));
  if (line === undefined) throw new Error(`the page has no command ${command}`);
  const here = line.replaceAll("http://127.0.0.1:8080", url).replace("SHIFT_ID", shiftId);
  const words = here.slice(here.indexOf(command) + command.length).matchAll(/"([^"]*)"|(\S+)/g);
  return [...words].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

async function runVerify(provider: Started, ...more: string[]) {
  const { io, out } = terminal({ PROVIDER_TOKEN: TOKEN });
  return { exit: await verify([...wordsOf("-- verify", provider), ...more], io), out };
}

describe("the first ten minutes of a provider team", () => {
  it("quotes the provider as it is, which is short", () => {
    const quotes = blocks("python");
    expect(quotes.length).toBeGreaterThan(5);
    expect(quotes.filter((quote) => !source.includes(quote))).toEqual([]);
    expect(source.split("\n").filter((line) => line.trim() !== "").length).toBeLessThan(166);
  });

  it("verifies it, and again", async () => {
    const provider = await start();
    const [verdict = ""] = blocks("text");
    for (const seed of ["1", "2"]) {
      const { exit, out } = await runVerify(provider, "--seed", seed);
      expect([exit, out.at(-1)]).toEqual([0, expect.stringContaining(verdict.trim())]);
    }
  });

  it("shows what is wrong with a provider that is broken", async () => {
    const broken = join(folder("ten-minutes"), "provider.py");
    const line = blocks("python").find((each) => each.includes("for each in shift")) ?? "";
    writeFileSync(broken, source.replace(line, ""));
    const { exit, out } = await runVerify(await start([], broken));
    expect(exit).toBe(1);
    expect(out.join("\n")).toContain((blocks("text")[1] ?? "").trimEnd());
    expect(out.join("\n")).toMatch(/^ *curl -i -X PUT '.*\/unassign\//m);
  });

  it("sends its webhooks, and the same one again after a failure", async () => {
    const { io, out, until } = terminal();
    const greeted = until(/Without a provider/);
    const repeated = until(/^✓ +2 {2}shift\.create/);
    const flags = wordsOf("-- listen", { url: "", providerId: "", shiftId: "" });
    const exit = listen(
      flags.map((word) => (word === "3000" ? "0" : word)),
      io,
    );
    await greeted;
    const [platform = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(out.join("\n")) ?? [];
    // The shift that it has from the start is the first event.
    await start([platform, "a-token-for-tests"]);
    await repeated;
    stop();
    await exit;
    expect(out.join("\n")).not.toContain(", webhook_retry");
  });
});

/** `RUNS=1000` for more of them. */
const RUNS = Number(process.env.RUNS ?? 50);

describe(`${RUNS} runs in a row against the one process`, () => {
  it("give one verdict", async () => {
    const { url: baseUrl, providerId, shiftId } = await start();
    const createShift = async () => {
      const made = await fetch(`${baseUrl}/test/shifts`, { method: "POST" });
      return ((await made.json()) as { shiftId: string }).shiftId;
    };
    const given = { baseUrl, providerId, token: TOKEN, fixtures: { shiftId }, createShift };
    for (let run = 1; run <= RUNS; run += 1) {
      const skip = run % 20 === 1 ? [] : (["contracts"] as const);
      const { summary, findings } = await verifyProvider({ ...given, skip, seed: run });
      const wrong = findings.filter(({ severity }) => severity !== "skipped");
      expect([run, summary.verdict, wrong]).toEqual([run, "conforms", []]);
    }
  });
});
