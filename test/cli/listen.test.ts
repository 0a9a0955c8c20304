import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { listen, type Wait } from "../../src/cli/listen.ts";
import { HOLD_MS, LIMIT_MS } from "../../src/verify/listen/webhook-receiver.ts";
import { stop, terminal } from "../harness/terminal.ts";
import { DELETE, manualTime, post, UPDATE } from "../harness/webhook-listener.ts";

/** Starts the command; resolves when it listens. */
async function start(argv: string[], wait: Wait) {
  const { io, out, err, until } = terminal();
  const greeted = until(/Without a provider/);
  const exit = listen(["--port", "0", "--token", "platform-token", ...argv], io, wait);
  await greeted;
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec([...out, ...err].join("\n")) ?? [];
  return { url, exit, out, err, until };
}

describe("shiftpact listen", () => {
  const before = process.listenerCount("SIGTERM");
  afterEach(() => expect(process.listenerCount("SIGTERM")).toBe(before));

  it("prints its address and what to configure, reports each webhook, and exits 0", async () => {
    const { wait, pass } = manualTime();
    const { url, exit, out, err, until } = await start([], wait);
    expect(out.slice(0, 3).join("\n")).toContain(`${url}/webhooks/scheduling-provider`);
    expect(out[2]).toMatch(/PLATFORM_TOKEN +platform-token$/);
    await post(url);
    await post(url);
    const held = until(/held for 6 s/);
    const late = post(url, { body: UPDATE });
    await held;
    pass(HOLD_MS);
    await late;
    const limited = until(/answered 429/);
    await post(url, { body: DELETE });
    await limited;
    pass(LIMIT_MS);
    await post(url, { body: DELETE });
    expect(await exit).toBe(0);
    const seen = out.flatMap((line) => /^✓ +(\d) {2}(\S+)/.exec(line)?.slice(1).join(" ") ?? []);
    expect(seen).toEqual([
      "1 shift.create",
      "2 shift.create",
      "3 shift.update",
      "3 shift.update",
      "4 shift.delete",
      "5 shift.delete",
    ]);
    expect(out.at(-1)).toBe("conforms: 0 errors, 0 warnings, 0 skipped, 11 checks");
    expect(err).toEqual([]);
    expect(out.join("\n")).not.toContain("\u001b");
  });

  it("exits 1 with the findings, the worst first, and how to fix each", async () => {
    const { wait, pass } = manualTime();
    const { url, exit, out } = await start(["--timeout", "7"], wait);
    await post(url);
    await post(url, { authorization: "Bearer other" });
    pass(7_000);
    expect(await exit).toBe(1);
    const marks = out.flatMap((line) => /^ {2}([✗!-]) \S/.exec(line)?.[1] ?? []);
    expect(marks.join("")).toMatch(/^✗+!-$/);
    expect(out).toContain("    contract  section 5, webhook_token_wrong");
    expect(out).toContainEqual(expect.stringMatching(/^ {4}fix {7}Send the PLATFORM_TOKEN/));
    expect(out).toContainEqual(expect.stringMatching(/^✗ {3}2 {2}a rejected webhook: answered 401/));
    expect(out.at(-1)).toBe("fails: 4 errors, 1 warning, 2 skipped, 6 checks");
  });

  it("prints with --json only one finding per line and the summary last", async () => {
    const { wait, pass } = manualTime();
    const { url, exit, out, err } = await start(
      ["--json", "--expect", "shift.create", "--timeout", "7"],
      wait,
    );
    await post(url);
    pass(7_000);
    expect(await exit).toBe(1);
    const lines = out.map((line) => JSON.parse(line));
    expect(lines.map((line) => line.code)).toEqual([
      "webhook_event_missing",
      "webhook_not_retried",
      "skipped_not_sent",
      undefined,
    ]);
    const members = ["code", "severity", "operation", "title", "expected", "actual", "section", "reproduce"];
    for (const name of members) expect(lines[0]).toHaveProperty(name);
    expect(lines.at(-1)).toEqual({
      summary: { verdict: "fails", errors: 1, warnings: 1, skipped: 1, checks: 3 },
    });
    expect(err.join("\n")).toContain("PLATFORM_TOKEN");
  });

  it("writes its reports with --report", async () => {
    const folder = mkdtempSync(join(tmpdir(), "listen-"));
    const { wait, pass } = manualTime();
    const { url, exit } = await start(["--report", folder, "--timeout", "7"], wait);
    await post(url, { authorization: "Bearer other" });
    pass(7_000);
    expect(await exit).toBe(1);
    const text = (name: string) => readFileSync(join(folder, name), "utf8");
    expect(JSON.parse(text("report.json")).summary).toMatchObject({ verdict: "fails", errors: 4 });
    expect(text("junit.xml")).toContain('<failure type="webhook_token_wrong"');
    expect(text("report.html")).toContain("POST /webhooks/scheduling-provider");
    rmSync(folder, { recursive: true });
  });

  it("records webhooks with --record, and forwards those that it acknowledges with --forward", async () => {
    const { wait, pass } = manualTime();
    const forwarded: unknown[] = [];
    const platform = createHttpServer(async (request, response) => {
      forwarded.push([request.url, request.headers.authorization, await json(request)]);
      response.writeHead(202).end();
    });
    await once(platform.listen(0, "127.0.0.1"), "listening");
    const { port } = platform.address() as { port: number };
    const folder = mkdtempSync(join(tmpdir(), "listen-"));
    const [file, hook] = [join(folder, "webhooks.jsonl"), `http://127.0.0.1:${port}/hook`];
    const { url, exit, out, until } = await start(["--record", file, "--forward", hook], wait);
    await post(url, { body: DELETE });
    await post(url, { body: DELETE });
    await until(/2 forwarded: 202/);
    pass(120_000);
    await exit;
    const lines = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { answer: 500, event: DELETE },
      { answer: 200, event: DELETE },
    ]);
    expect(forwarded).toEqual([["/hook", "Bearer platform-token", DELETE]]);
    expect(out.join()).not.toContain("1 forwarded");
    rmSync(folder, { recursive: true });
    platform.close();
  });

  it("gives a verdict on what it has seen when it is stopped", async () => {
    const { wait } = manualTime();
    const { exit, out } = await start([], wait);
    stop();
    expect(await exit).toBe(1);
    expect(out.at(-1)).toBe("fails: 3 errors, 0 warnings, 3 skipped, 3 checks");
  });

  it("creates a new token each time, and waits in real time by default", async () => {
    const tokens = [];
    for (const wait of [undefined, async () => undefined]) {
      const { io, out } = terminal();
      expect(await listen(["--port", "0", "--timeout", "1"], io, wait)).toBe(1);
      tokens.push(/PLATFORM_TOKEN +(spp_[\w-]{43})$/.exec(out[2] ?? "")?.[1]);
    }
    expect(new Set(tokens).size).toBe(2);
    expect(tokens).not.toContain(undefined);
  });

  it("prints its help", async () => {
    const { io, out } = terminal();
    expect(await listen(["--help"], io)).toBe(0);
    expect(out.join("\n")).toContain("Examples:");
  });

  it.each([
    [["--port", "99999"], "--port must be a number from 0 to 65535"],
    [["--timeout", "0"], "--timeout must be a number from 1 to 86400"],
    [["--timeout", "soon"], "--timeout"],
    [["--expect", "shift.create,shift.publish"], "--expect must name shift.create, "],
    [["--expect", ""], "--expect must name"],
    [["--token", "two words"], "--token must be visible ASCII"],
    [["--wat"], "--wat"],
    [["extra"], "extra"],
  ])("refuses %j in one line", async (argv, message) => {
    const { io, out, err } = terminal();
    expect(await listen(["--port", "0", ...argv], io)).toBe(2);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
    expect(out).toEqual([]);
  });

  it("reports in one line that its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const { io, err } = terminal();
    expect(await listen(["--port", port], io)).toBe(2);
    expect(err).toEqual([expect.stringContaining(`port ${port} is in use`)]);
    other.close();
    await once(other, "close");
  });
});
