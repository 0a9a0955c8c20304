import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { verify } from "../../src/cli/verify.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { terminal } from "../harness/terminal.ts";

const TOKEN = "the-token-of-the-provider";
const folder = mkdtempSync(join(tmpdir(), "verify-again-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function provider(): Promise<Sandbox> {
  const sandbox = await startSandbox({ token: TOKEN, rateLimit: 0 });
  ends.push(() => sandbox.close());
  return sandbox;
}

async function against({ url, providerId }: Sandbox, ...flags: string[]) {
  const { io, out, err } = terminal({ PROVIDER_TOKEN: TOKEN });
  const argv = [url, "--provider-id", providerId, "--seed", "1", "--skip", "contracts", ...flags];
  return { exit: await verify(argv, io), out, err };
}

/** Starts a server whose response to each POST is what `answer` makes of it. */
async function address(answer: () => { status?: number; body: string }): Promise<string> {
  const server = createServer((request, response) => {
    const { status = 200, body } = request.method === "POST" ? answer() : { status: 405, body: "" };
    response.writeHead(status).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.push(async () => {
    server.closeAllConnections();
    await once(server.close(), "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shifts`;
}

describe("shiftpact verify --create-shift", () => {
  it.each([
    ["the id alone", (id: string) => `${id}\n`],
    ["JSON", (shiftId: string) => JSON.stringify({ shiftId, startTime: "2027-01-01T08:00:00Z" })],
  ])("requests a shift from a URL in each run: %s", async (_, answer) => {
    const sandbox = await provider();
    const url = await address(() => ({ body: answer(sandbox.createShift({ positions: 2 }).shiftId) }));
    for (const run of [1, 2]) {
      const { exit, out } = await against(sandbox, "--create-shift", url);
      expect([run, exit, out.at(-1)]).toEqual([run, 0, expect.stringMatching(/^conforms: 0 errors/)]);
    }
    const cancelled = sandbox.shifts.filter((shift) => shift.cancelled);
    expect([sandbox.shifts.length, cancelled.length]).toEqual([4, 4]);
  });

  it("runs a command for the shift", async () => {
    const sandbox = await provider();
    const ids = [1, 2].map(() => sandbox.createShift().shiftId);
    const counter = join(folder, "counter");
    writeFileSync(counter, "");
    const command = `printf x >> ${counter}; [ "$(wc -c < ${counter})" = 1 ] && echo ${ids[0]} || echo ${ids[1]}`;
    const { exit, out } = await against(sandbox, "--create-shift", command);
    expect([exit, out.at(-1)]).toEqual([0, expect.stringMatching(/^conforms/)]);
  });

  it.each<[string, () => { status?: number; body: string }, RegExp]>([
    ["a failure", () => ({ status: 500, body: "" }), /--create-shift: status 500 from http:/],
    ["a page", () => ({ body: "<html>\n</html>" }), /must be the id of a shift, or JSON like \{"shiftId"/],
    ["JSON without an id", () => ({ body: '{"id": "7"}' }), /must be the id of a shift/],
  ])("could not run with %s", async (_, answer, reason) => {
    const sandbox = await provider();
    const { exit, err } = await against(sandbox, "--create-shift", await address(answer));
    expect([exit, err.join()]).toEqual([2, expect.stringMatching(reason)]);
  });

  it("reports why a command created none", async () => {
    const sandbox = await provider();
    const { exit, err } = await against(sandbox, "--create-shift", "echo no such department >&2; exit 3");
    expect([exit, err.join()]).toEqual([
      2,
      expect.stringContaining("--create-shift: the command ended with 3: no such department"),
    ]);
  });
});

describe("the verdict incomplete", () => {
  it("is exit code 1, names what was not seen, and is exit code 0 with --allow-incomplete", async () => {
    const sandbox = await provider();
    const shift = ["--shift-id", sandbox.createShift({ positions: 2 }).shiftId];
    const { exit, out } = await against(sandbox, ...shift);
    expect([exit, out.at(-1)]).toEqual([1, expect.stringMatching(/^incomplete: 0 errors/)]);
    expect(out.join("\n")).toContain("Never succeeded: cancelShift");
    expect((await against(sandbox, ...shift, "--allow-incomplete")).exit).toBe(0);
    expect((await against(sandbox, ...shift, "--skip", "cancellation")).exit).toBe(0);
  });

  it("is the verdict of a read-only run, and no failure there", async () => {
    const sandbox = await provider();
    const { exit, out } = await against(sandbox, "--read-only");
    expect([exit, out.at(-1)]).toEqual([0, expect.stringMatching(/^incomplete \(read-only\): 0 errors/)]);
  });
});

describe("a provider that limits its rate", () => {
  it("gets fewer simultaneous requests, which the report states", async () => {
    const sandbox = await provider();
    sandbox.setFault("rate-limited", { times: 2, retryAfter: "0" });
    const { exit, out } = await against(sandbox, "--allow-incomplete");
    expect(exit).toBe(0);
    expect(out.join(" ")).toMatch(
      /The provider limits its rate \(429\): the run waited (once|2 times), and then sent at most [24] concurrent requests\./,
    );
  });

  it.each(["0", "65", "many"])("is not called with --concurrency %s", async (number) => {
    const { exit, err } = await against(await provider(), "--concurrency", number);
    expect([exit, err.join()]).toEqual([2, expect.stringContaining("--concurrency")]);
  });
});
