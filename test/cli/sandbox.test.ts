import { afterEach, describe, expect, it } from "vitest";
import { sandbox } from "../../src/cli/sandbox.ts";
import { faultNames } from "../../src/sandbox/faults/switchboard.ts";
import { verify } from "../../src/verify/verify.ts";

/** The output of a command; `until` resolves with the first line that matches. */
function terminal() {
  const out: string[] = [];
  const err: string[] = [];
  const waiting: { expression: RegExp; resolve: (line: string) => void }[] = [];
  const io = {
    stdout: (line: string) => {
      out.push(line);
      for (const { expression, resolve } of waiting) if (expression.test(line)) resolve(line);
    },
    stderr: (line: string) => err.push(line),
    env: {},
  };
  const until = (expression: RegExp) =>
    new Promise<string>((resolve) => waiting.push({ expression, resolve }));
  return { io, out, err, until };
}

const others = process.listeners("SIGTERM");

/** Sends the signal to the command alone: the process that runs the tests has listeners of its own. */
function stop(): void {
  for (const listener of process.listeners("SIGTERM")) if (!others.includes(listener)) listener("SIGTERM");
}

describe("shiftpact sandbox", () => {
  const before = process.listenerCount("SIGTERM");
  afterEach(() => expect(process.listenerCount("SIGTERM")).toBe(before));

  it("prints its address and a working call, and runs until it is stopped", async () => {
    const { io, out, err, until } = terminal();
    const ready = until(/Ctrl-C/);
    const exit = sandbox(["--port", "0", "--variant", "b", "--token", "T", "--shift", "2"], io);
    await ready;
    const [, url = ""] = /-H "Authorization: Bearer T" (\S+)/.exec(out.join("\n")) ?? [];
    const answer = await fetch(url, { headers: { Authorization: "Bearer T" } });
    expect([answer.status, await answer.json()]).toEqual([200, expect.any(Array)]);
    const [, shiftId] = /shift +(\S+)/.exec(out.find((line) => /^ +shift /.test(line)) ?? "") ?? [];
    const shift = await fetch(url.replace("/outlets", `/shifts/${shiftId}`), {
      headers: { Authorization: "Bearer T" },
    });
    expect(await shift.json()).toMatchObject({ id: shiftId, status: "open" });
    stop();
    expect(await exit).toBe(0);
    expect(err).toEqual([]);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("uses the dialect and the faults of its flags", async () => {
    const { io, out, until } = terminal();
    const ready = until(/Ctrl-C/);
    const id = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
    const flags = ["--port=0", "--routing=header", `--provider-id=${id}`, "--token=T", "--fault=unavailable"];
    const exit = sandbox(flags, io);
    await ready;
    const [, headerName = "", url = ""] = /-H "(X-\S+): \S+" (\S+)/.exec(out.join("\n")) ?? [];
    const answer = await fetch(url, { headers: { Authorization: "Bearer T", [headerName]: id } });
    expect(answer.status).toBe(503);
    stop();
    expect(await exit).toBe(0);
  });

  it("limits a fault to one operation", async () => {
    const { io, out, until } = terminal();
    const ready = until(/Ctrl-C/);
    const exit = sandbox(["--port=0", "--token=T", "--fault=unavailable:listRoles"], io);
    await ready;
    const [, url = ""] = /-H "Authorization: Bearer T" (\S+)/.exec(out.join("\n")) ?? [];
    const status = async (path: string) =>
      (await fetch(url.replace("/outlets", path), { headers: { Authorization: "Bearer T" } })).status;
    expect([await status("/outlets"), await status("/roles")]).toEqual([200, 503]);
    stop();
    expect(await exit).toBe(0);
  });

  it("sets up provider states over HTTP, with which a verification is complete", async () => {
    const { io, out, until } = terminal();
    const ready = until(/Ctrl-C/);
    const exit = sandbox(["--port", "0", "--token", "T", "--states"], io);
    await ready;
    const printed = out.join("\n");
    const [, url = ""] = /listens on (\S+)/.exec(printed) ?? [];
    const [, providerId = ""] = /providerId +(\S+)/.exec(printed) ?? [];
    const [, statesUrl = ""] = /states +(\S+)/.exec(printed) ?? [];
    const { summary } = await verify({ baseUrl: url, providerId, token: "T", statesUrl });
    expect(summary).toMatchObject({ verdict: "conforms", errors: 0, warnings: 0 });
    const ask = async (body: object) => {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(statesUrl, { method: "POST", headers, body: JSON.stringify(body) });
      return [response.status, await response.json()];
    };
    expect(await ask({ state: "an organisation", action: "teardown" })).toEqual([200, {}]);
    expect(await ask({ state: "of war" })).toEqual([
      400,
      expect.objectContaining({ detail: expect.stringContaining('"an organisation"') }),
    ]);
    stop();
    expect(await exit).toBe(0);
  });

  it("prints its help with every fault", async () => {
    const { io, out } = terminal();
    expect(await sandbox(["--help"], io)).toBe(0);
    for (const name of faultNames) expect(out.join("\n")).toContain(`${name} `);
    expect(out.join("\n")).toContain("Examples:");
  });

  it.each([
    [["--fault", "nope"], 'no fault "nope": --help lists them all'],
    [["--fault", "tenant-ignored"], "only the verification kit's own tests plant it"],
    [["--fault", "json-as-text:listRoles"], "the nearest is json-as-html"],
    [["--fault", "slow:nope"], 'no operation "nope"; there are getShift, '],
    [["--variant", "c"], '--variant must be a or b, not "c"'],
    [["--routing", "query"], "--routing must be path or header"],
    [["--port", "99999"], "--port must be a number from 0 to 65535"],
    [["--port", "-1"], "--port"],
    [["--provider-id", "x"], "--provider-id must be a UUID"],
    [["--platform-url", "http://127.0.0.1"], "belong together"],
    [["--platform-url", "ftp://x", "--platform-token", "T"], "http or https"],
    [["--wat"], "--wat"],
    [["extra"], "extra"],
  ])("refuses %j in one line", async (argv, message) => {
    const { io, out, err } = terminal();
    expect(await sandbox(argv, io)).toBe(2);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
    expect(out).toEqual([]);
  });

  it("reports in one line that its port is in use", async () => {
    const first = terminal();
    const ready = first.until(/Ctrl-C/);
    const exit = sandbox(["--port", "0"], first.io);
    await ready;
    const [, port = ""] = /127\.0\.0\.1:(\d+)/.exec(first.out.join("\n")) ?? [];
    const second = terminal();
    expect(await sandbox(["--port", port], second.io)).toBe(1);
    expect(second.err).toEqual([expect.stringContaining("EADDRINUSE")]);
    stop();
    expect(await exit).toBe(0);
  });
});
