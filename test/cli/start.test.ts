import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { start } from "../../src/cli/start.ts";
import { startMailServer } from "../harness/mail-server.ts";

const SCRIPT = new URL("../../src/cli/start.ts", import.meta.url).pathname;
const ANY_PORTS = ["--port", "0", "--sandbox-port", "0"];
const ESCAPE = "\u001b";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-start-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a data folder with a database: creating one takes two seconds. */
function madeFolder(name: string): string {
  const data = join(folder, name);
  cpSync(inject("pgliteTemplate"), join(data, "database"), { recursive: true });
  return data;
}

/** Runs the command as a separate process, as `npm start` does. */
const run = (...argv: string[]) => spawned(process.execPath, ["--liftoff-only", SCRIPT, ...argv]);

function spawned(command: string, argv: string[], settings: Record<string, string> = {}) {
  const { LOG_LEVEL, DATABASE_URL, ...env } = process.env;
  const child = spawn(command, argv, {
    env: { ...env, FORCE_COLOR: "1", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so a failing test can end all of it.
    detached: true,
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }));
  const until = async (expression: RegExp) => {
    while (!expression.test(stdout)) {
      const end = await Promise.race([once(child.stdout, "data").then(() => undefined), ended]);
      if (end) throw new Error(`it ended early: ${JSON.stringify(end)}`);
    }
    return stdout;
  };
  return { child, ended, until };
}

function terminal(env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const waiting: { expression: RegExp; resolve: () => void }[] = [];
  const io = {
    stdout: (line: string) => {
      out.push(line);
      for (const { expression, resolve } of waiting) if (expression.test(line)) resolve();
    },
    stderr: (line: string) => void err.push(line),
    env,
  };
  const until = (expression: RegExp) => new Promise<void>((resolve) => waiting.push({ expression, resolve }));
  return { io, out, err, until };
}

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

const portsIn = (text: string) =>
  [...text.matchAll(/^ {2}(?:platform|provider) +(http:\S+)/gm)].map(([, url]) => url ?? "");

describe("npm start, as a process", () => {
  afterEach(endAll);

  it("runs the demo, stays up until SIGTERM, and runs it again on the same data", async () => {
    const data = join(folder, "kept");
    // By way of npm, which passes the signal on to its direct child only.
    const first = spawned("npm", ["start", "--", ...ANY_PORTS, "--data", data]);
    const printed = await first.until(/Stop them with Ctrl-C/);
    const urls = portsIn(printed);
    expect(urls).toHaveLength(2);
    expect((await fetch(`${urls[0]}/health/ready`)).status).toBe(200);
    expect((await fetch(`${urls[1]}/nothing`)).status).toBe(404);
    const [, name, link = ""] =
      /^Accept a shift as (\w+), from the mail of its offer: (\S+)$/m.exec(printed) ?? [];
    const [, message = "{}"] =
      /^The same for a company's SMS service, by the webhook: (.*)$/m.exec(printed) ?? [];
    expect(JSON.parse(message)).toMatchObject({
      type: "notification.created",
      data: { kind: "job_offered", link },
    });
    const [, shown = ""] = /name="shown" value="([^"]*)"/.exec(await (await fetch(link)).text()) ?? [];
    const body = new URLSearchParams({ answer: "accept", shown });
    const page = await (await fetch(link, { method: "POST", body })).text();
    expect(page).toContain("Your shift is confirmed");
    expect(page).toContain(`Hello <bdi>${name}</bdi>`);

    const beside = await run("--once", ...ANY_PORTS, "--data", data).ended;
    expect(beside).toMatchObject({ code: 2, stdout: "" });
    expect(beside.stderr).toMatch(
      /^npm start: the data folder \S+ is in use by another process \(pid \d+\)\n$/,
    );

    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");

    const second = await run("--once", ...ANY_PORTS, "--data", data).ended;
    expect(second).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(second.stdout).toContain("All four flows completed");
    expect(second.stdout).not.toContain(ESCAPE);
  });

  it("has the calendar of a candidate at the port it found, and mails the link to it by a mail server", async () => {
    const server = await startMailServer();
    onTestFinished(server.close);
    const argv = ["--liftoff-only", SCRIPT, ...ANY_PORTS, "--data", madeFolder("calendar")];
    const settings = { SMTP_URL: server.url, SMTP_FROM: "shifts@example.com" };
    const demo = spawned(process.execPath, argv, settings);
    await demo.until(/Stop them with Ctrl-C/);
    const [list = ""] = /http:\S+\/c\/shifts\/\S+/.exec(server.mails[0]?.body ?? "") ?? [];
    const [, address = ""] = /<code>(.*)<\/code>/.exec(await (await fetch(list)).text()) ?? [];
    expect(await (await fetch(address)).text()).toMatch(/^BEGIN:VCALENDAR\r\n/);
    demo.child.kill("SIGTERM");
    expect((await demo.ended).code).toBe(0);
  });

  it("continues with the same organisation on the same data, and raises no issue", async () => {
    const data = madeFolder("continued");
    const first = run(...ANY_PORTS, "--data", data);
    const [, sandbox = ""] = portsIn(await first.until(/Stop them with Ctrl-C/));
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const samePort = ["--port", "0", "--sandbox-port", new URL(sandbox).port];
    for (const ports of [samePort, ANY_PORTS]) {
      const again = run(...ports, "--data", data);
      const printed = await again.until(/Stop them with Ctrl-C/);
      expect(printed).toContain("the platform has it from an earlier start");
      const [platform = "", provider] = portsIn(printed);
      const headers = { Authorization: `Bearer ${/#token=(\S+)/.exec(printed)?.[1]}` };
      const read = async (path: string) =>
        (await (await fetch(`${platform}/operations/v1/${path}`, { headers })).json()).items;
      expect(await read("integrations")).toEqual([expect.objectContaining({ baseUrl: provider })]);
      expect(await read("issues")).toEqual([]);
      expect(await read("jobs?status=open")).toHaveLength(1);
      again.child.kill("SIGTERM");
      expect((await again.ended).code).toBe(0);
    }
  });

  it("names the step and exits 1 when a step fails", async () => {
    const data = madeFolder("failing");
    const { code, stdout, stderr } = await run(
      "--once",
      ...ANY_PORTS,
      "--data",
      data,
      "--fault",
      "assign-conflict",
    ).ended;
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("   ✗ the platform reserves the seat and assigns");
    expect(stdout).toContain("Failed at: the platform reserves the seat and assigns.");
  });
});

describe("npm start", () => {
  const others = process.listeners("SIGINT");
  const before = { int: process.listenerCount("SIGINT"), term: process.listenerCount("SIGTERM") };
  afterEach(() => {
    expect(process.listenerCount("SIGINT")).toBe(before.int);
    expect(process.listenerCount("SIGTERM")).toBe(before.term);
  });

  it("stays up until SIGINT after a failed demo, and exits 1", async () => {
    const { io, out, err, until } = terminal();
    const ready = until(/Stop them/);
    const exit = start([...ANY_PORTS, "--data", madeFolder("int"), "--fault", "error-500"], io);
    await ready;
    const urls = portsIn(out.join("\n"));
    expect((await fetch(`${urls[0]}/health/live`)).status).toBe(200);
    // The command's listeners only: the process that runs the tests has listeners of its own.
    for (const listener of process.listeners("SIGINT")) if (!others.includes(listener)) listener("SIGINT");
    expect(await exit).toBe(1);
    expect(err).toEqual([]);
    for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it.each([["--port"], ["--sandbox-port"]])(
    "reports in one line that the port of %s is in use, and ends",
    async (flag) => {
      const squatter = createServer().listen(0, "127.0.0.1");
      await once(squatter, "listening");
      const { port } = squatter.address() as AddressInfo;
      const { io, out, err } = terminal();
      const data = madeFolder(`squatted-${port}`);
      expect(await start(["--once", ...ANY_PORTS, flag, String(port), "--data", data], io)).toBe(2);
      expect(out).toEqual([]);
      expect(err).toEqual([expect.stringMatching(new RegExp(`^npm start: port ${port} is in use: `))]);
      squatter.close();
      // The folder is released and can be used at once.
      if (flag === "--port") return;
      const { io: again, out: printed } = terminal();
      expect(await start(["--once", ...ANY_PORTS, "--data", data], again)).toBe(0);
      expect(printed.join("\n")).toContain("All four flows completed");
    },
  );

  it.each([
    [["--help"], 0],
    [["-h", "--once"], 0],
  ])("prints its options with %j", async (argv, code) => {
    const { io, out, err } = terminal();
    expect(await start(argv, io)).toBe(code);
    expect(out.join("\n")).toMatch(/--once[\s\S]*--port N[\s\S]*--sandbox-port N[\s\S]*--data DIR/);
    expect(err).toEqual([]);
  });

  it.each<[string[], RegExp]>([
    [["--twice"], /--twice/],
    [["again"], /again/],
    [["--port"], /--port/],
    [["--port", "http"], /--port must be a number from 0 to 65535, not "http"/],
    [["--port", "65536"], /--port must be a number/],
    [["--port=-1"], /--port must be a number/],
    [["--sandbox-port", "1.5"], /--sandbox-port must be a number/],
    [["--once=yes"], /--once/],
    [["--fault", "assign-not-stored"], /no longer has the fault "assign-not-stored"/],
    [["--fault", "bad-luck"], /there is no fault "bad-luck"; there are .*no-echo/],
  ])("refuses %j in one line, with exit code 2", async (argv, line) => {
    const { io, out, err } = terminal();
    expect(await start([...argv, "--data", join(folder, "never")], io)).toBe(2);
    expect(out).toEqual([]);
    expect(err).toEqual([expect.stringMatching(line)]);
    expect(err[0]).not.toContain("\n");
  });

  it("reports each fault of the environment on a separate line", async () => {
    const { io, err } = terminal({ LOG_LEVEL: "loud", WEBHOOK_RATE_LIMIT: "x" });
    expect(await start(["--once", ...ANY_PORTS, "--data", join(folder, "never")], io)).toBe(2);
    expect(err).toEqual([
      expect.stringMatching(/^npm start: WEBHOOK_RATE_LIMIT must be /),
      expect.stringMatching(/^npm start: LOG_LEVEL must be /),
    ]);
  });
});
