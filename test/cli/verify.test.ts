import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { verify } from "../../src/cli/verify.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { CouldNotRun, type Finding, groups, verify as verifyProvider } from "../../src/verify/index.ts";
import { terminal } from "../harness/terminal.ts";

const ORGANISATION = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
const KNOWN_NUMBER = "189001169813";
const TOKEN = "the-token-of-the-provider";

const folder = mkdtempSync(join(tmpdir(), "verify-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function provider(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ token: TOKEN, ...options });
  ends.push(() => sandbox.close());
  return sandbox;
}

async function server(listener: RequestListener): Promise<string> {
  const http = createServer(listener);
  await once(http.listen(0, "127.0.0.1"), "listening");
  ends.push(async () => {
    const closed = once(http.close(), "close");
    http.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

let count = 0;
function file(text: string): string {
  const path = join(folder, `${++count}.json`);
  writeFileSync(path, text);
  return path;
}

/** A fixtures file with two shifts and a candidate that the provider knows. */
function fixturesOf(sandbox: Sandbox): string {
  const { shiftId } = sandbox.createShift({ positions: 2 });
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  const known = { knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
  return file(JSON.stringify({ shiftId, cancellableShiftId, ...known }));
}

async function run(argv: readonly string[], env: Record<string, string> = { PROVIDER_TOKEN: TOKEN }) {
  const { io, out, err } = terminal(env);
  const exit = await verify([...argv], io);
  return { exit, out, err };
}

const against = (sandbox: Sandbox, ...flags: string[]) =>
  run([sandbox.url, "--provider-id", sandbox.providerId, "--seed", "1", ...flags]);

describe("shiftpact verify", () => {
  it("prints what it changes, and that the provider conforms", async () => {
    const sandbox = await provider();
    const { exit, out, err } = await against(sandbox, "--fixtures", fixturesOf(sandbox));
    expect(out.at(-1)).toMatch(/^conforms: 0 errors, .* seed 1$/);
    expect([exit, err]).toEqual([0, []]);
    expect(out[0]).toBe(`Verifying ${sandbox.url}, organisation ${sandbox.providerId}`);
    expect(out.join("\n")).toContain("These calls change data: POST /candidates");
    expect(out.join("\n")).not.toContain("\u001b");
  });

  it("prints with --json one finding per line, each once, and the summary last", async () => {
    const sandbox = await provider({ faults: ["time-without-offset"] });
    const { exit, out, err } = await against(
      sandbox,
      "--fixtures",
      fixturesOf(sandbox),
      "--only",
      "answers",
      "--json",
    );
    expect([exit, err]).toEqual([1, []]);
    const lines = out.map((line) => JSON.parse(line));
    const findings: Finding[] = lines.slice(0, -1);
    expect(new Set(out).size).toBe(out.length);
    expect(findings.map(({ code }) => code)).toContain("time_without_offset");
    const { summary } = lines.at(-1);
    expect(summary).toMatchObject({ verdict: "fails", seed: 1, forms: { routing: "path", variant: "a" } });
    for (const severity of ["error", "warning", "skipped"] as const) {
      const counted = findings.filter((each) => each.severity === severity).length;
      expect(summary[severity === "skipped" ? severity : `${severity}s`]).toBe(counted);
    }
  });

  it("writes the reports to a new folder, and shows no token and no known number anywhere", async () => {
    const sandbox = await provider({
      faults: ["time-without-offset", "two-candidates", "foreign-candidate"],
    });
    const other = sandbox.addOrganisation({ token: "the-token-of-the-other" });
    const report = join(folder, "deep", "reports");
    const flags = ["--fixtures", fixturesOf(sandbox), "--report", report, "--skip", "contracts"];
    flags.push("--other-provider-id", other.providerId, "--other-token", other.token);
    const people = await against(sandbox, ...flags);
    const machine = await against(sandbox, ...flags, "--json");
    expect([people.exit, machine.exit]).toEqual([1, 1]);
    expect(readdirSync(report).sort()).toEqual(["junit.xml", "report.html", "report.json"]);
    const files = readdirSync(report).map((name) => readFileSync(join(report, name), "utf8"));
    const hyphenated = `${KNOWN_NUMBER.slice(0, 8)}-${KNOWN_NUMBER.slice(8)}`;
    for (const text of [...files, people.out.join("\n"), machine.out.join("\n")]) {
      expect(text).toContain("time_without_offset");
      for (const secret of [TOKEN, other.token, KNOWN_NUMBER, hyphenated]) expect(text).not.toContain(secret);
    }
    expect(JSON.parse(files[2] ?? "")).toMatchObject({ summary: { verdict: "fails" }, seed: 1 });
  });

  it("accepts the former group generated, runs the group in its place, and says so", async () => {
    const sandbox = await provider({ faults: ["time-without-offset"] });
    const only = await against(sandbox, "--only", "generated", "--json");
    const errors = await against(sandbox, "--only", "errors", "--json");
    expect(only.err).toEqual([expect.stringContaining("the fixed inputs of errors are in its place")]);
    expect([only.exit, only.out.slice(0, -1)]).toEqual([errors.exit, errors.out.slice(0, -1)]);
    const skipped = await against(sandbox, "--skip", "generated", "--only", "errors", "--json");
    expect(skipped.err).toEqual(only.err);
    expect(skipped.out.slice(0, -1)).toEqual(errors.out.slice(0, -1));
  });

  it("calls only GET with --read-only", async () => {
    const methods = new Set<string | undefined>();
    const sandbox = await provider();
    const url = await server((request, response) => {
      methods.add(request.method);
      const headers = { authorization: String(request.headers.authorization) };
      const forwarded = fetch(`${sandbox.url}${request.url}`, { method: request.method ?? "GET", headers });
      forwarded.then(async (answer) => {
        response.writeHead(answer.status, { "content-type": String(answer.headers.get("content-type")) });
        response.end(await answer.text());
      });
    });
    const flags = [
      "--provider-id",
      sandbox.providerId,
      "--fixtures",
      fixturesOf(sandbox),
      "--read-only",
      "--skip",
      "contracts",
    ];
    const { exit, out } = await run([url, ...flags]);
    expect(out.join("\n")).toContain("Only GET is called");
    expect([exit, [...methods]]).toEqual([0, ["GET"]]);
  });

  it("omits and names the groups that --only and --skip exclude", async () => {
    const sandbox = await provider();
    const { out } = await against(sandbox, "--only", "meaning,errors", "--skip", "errors", "--json");
    const findings: Finding[] = out.slice(0, -1).map((line) => JSON.parse(line));
    const leftOut = findings.filter(({ code }) => code === "skipped_by_choice").map(({ title }) => title);
    const always = ["reachability", "dialect", "meaning"];
    const expected = groups.filter((group) => !always.includes(group)).map((group) => `the group ${group}`);
    expect(leftOut).toEqual(expected);
  });

  it("reports and counts only the operations of --operation", async () => {
    const sandbox = await provider({ faults: ["no-token-accepted"] });
    const flags = ["--fixtures", fixturesOf(sandbox), "--skip", "contracts", "--json"];
    const { exit, out } = await against(sandbox, ...flags, "--operation", "getShift,updateShift");
    const findings: Finding[] = out.slice(0, -1).map((line) => JSON.parse(line));
    expect(exit).toBe(1);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors).toMatchObject([
      { code: "auth_missing", operation: "provider", places: ["getShift", "updateShift"] },
    ]);
    const places = findings.flatMap(({ operation, places }) => places ?? operation);
    expect(new Set(places)).toEqual(new Set(["getShift", "updateShift"]));
    const { summary } = JSON.parse(out.at(-1) ?? "");
    expect(summary).toMatchObject({ errors: 1 });
    const all = JSON.parse((await against(sandbox, ...flags)).out.at(-1) ?? "").summary;
    expect(summary.checks).toBeLessThan(all.checks);
    const others = await against(sandbox, ...flags, "--operation", "listRoles", "--only", "answers");
    expect(others.exit).toBe(0);
  });

  it("shows the command in the HTML report, without the token", async () => {
    const sandbox = await provider();
    const report = join(folder, "command");
    const flags = ["--only", "answers", "--report", report, "--token", TOKEN];
    await against(sandbox, ...flags);
    const page = readFileSync(join(report, "report.html"), "utf8");
    expect(page).toContain(`shiftpact verify ${sandbox.url} --provider-id ${sandbox.providerId} --seed 1`);
    expect(page).toContain("--token &quot;$PROVIDER_TOKEN&quot;");
    expect(page).not.toContain(TOKEN);
  });

  it("fails on a warning only with --fail-on warning", async () => {
    const sandbox = await provider({ faults: ["update-refused"] });
    const flags = ["--fixtures", fixturesOf(sandbox), "--only", "meaning", "--json", "--allow-incomplete"];
    const tolerant = await against(sandbox, ...flags);
    const strict = await against(sandbox, ...flags, "--fail-on", "warning");
    expect([tolerant.exit, strict.exit]).toEqual([0, 1]);
    expect(JSON.parse(tolerant.out.at(-1) ?? "").summary).toMatchObject({ verdict: "incomplete", errors: 0 });
    expect(JSON.parse(strict.out.at(-1) ?? "").summary).toMatchObject({ verdict: "fails", errors: 0 });
  });

  it("fails when no chosen check could run, and names the missing fixtures", async () => {
    const sandbox = await provider();
    const { exit, out } = await against(sandbox, "--only", "cancellation");
    expect(exit).toBe(1);
    expect(out.join("\n")).toContain("✗ Nothing was checked");
    expect(out.join("\n")).toContain("provide --fixtures with a cancellableShiftId");
    expect(out.at(-1)).toMatch(/^fails: 1 error, /);
    expect((await against(sandbox, "--only", "reachability")).exit).toBe(0);
  });

  it("prints its help, with examples and every group", async () => {
    const { exit, out, err } = await run(["--help"], {});
    expect([exit, err]).toEqual([0, []]);
    for (const text of ["Examples:", ...groups]) expect(out.join("\n")).toContain(text);
  });
});

/** Returns the one line on stderr; nothing is on stdout, and the exit code is 2. */
async function refusal(argv: readonly string[], env?: Record<string, string>): Promise<string> {
  const { exit, out, err } = await run(argv, env);
  expect([exit, out, err.length]).toEqual([2, [], 1]);
  expect(err[0]).toMatch(/^shiftpact verify: [^\n]+$/);
  return err[0] ?? "";
}

describe("shiftpact verify that cannot run", () => {
  const id = ["--provider-id", ORGANISATION];

  it("reports that no server responds", async () => {
    const url = await server(() => undefined);
    await ends.pop()?.();
    expect(await refusal([url, ...id])).toContain(`no response from ${url}`);
    expect(await refusal([url, ...id, "--json"])).toContain("start the provider, or fix the URL");
  });

  it("reports how the organisation was sent, and that --routing changes it", async () => {
    const sandbox = await provider({ dialect: { routing: "header" } });
    const argv = [sandbox.url, "--provider-id", sandbox.providerId];
    const byPath = await refusal([...argv, "--routing", "path"]);
    expect(byPath).toContain("The organisation was sent in the path");
    expect(byPath).toContain("--routing header");
    const prefixed = await provider({ dialect: { routing: "path" } });
    const byHeader = await refusal([
      prefixed.url,
      "--provider-id",
      prefixed.providerId,
      "--routing",
      "header",
    ]);
    expect(byHeader).toContain("The organisation was sent in the headers");
    expect(byHeader).toContain("--routing path");
  });

  it("reports that the provider does not respond in time", async () => {
    const baseUrl = await server(() => undefined);
    const verification = verifyProvider({ baseUrl, providerId: ORGANISATION, token: TOKEN, timeoutMs: 50 });
    await expect(verification).rejects.toThrow(CouldNotRun);
    await expect(verification).rejects.toThrow("raise --timeout");
  });

  it.each<[string, RequestListener, string]>([
    [
      "web pages",
      (_, res) => res.writeHead(200, { "content-type": "text/html" }).end("<h1>Hi</h1>"),
      "web pages",
    ],
    [
      "redirects",
      (_, res) => res.writeHead(302, { location: "https://elsewhere.example/" }).end(),
      "redirects every call, the first one to https://elsewhere.example/: use the final address",
    ],
    [
      "redirects to a slash",
      (req, res) => {
        if (req.url?.endsWith("/")) res.writeHead(200, { "content-type": "application/json" }).end("[]");
        else res.writeHead(301, { location: `${req.url}/` }).end();
      },
      "serves paths only with a slash at their end: serve GET /providers/{providerId}/outlets,",
    ],
    [
      "headers and paths with a slash",
      (req, res) => {
        const isOutlets = req.url === "/outlets/";
        res.writeHead(isOutlets ? 200 : 404, { "content-type": "application/json" }).end("[]");
      },
      "serves paths only with a slash at their end: serve GET /outlets, as the platform calls it",
    ],
    ["401 to everything", (_, res) => res.writeHead(401).end(), "refuses the token"],
    ["403 to everything", (_, res) => res.writeHead(403).end(), "refuses the organisation"],
    ["404 to everything", (_, res) => res.writeHead(404).end("{}"), "has none of the contract's paths"],
    ["closed connections", (_, res) => res.destroy(), "no response from"],
  ])("reports the problem of a server of %s", async (_, listener, message) => {
    const url = await server(listener);
    expect(await refusal([url, ...id])).toContain(message);
    expect(await refusal([url, ...id, "--json"])).toContain(message);
  });

  it.each<[string[], string]>([
    [
      ["nonsense", ...id],
      'BASE_URL must be an http or https URL like https://provider.example/api, not "nonsense"',
    ],
    [["localhost:4010", ...id], "BASE_URL must be an http or https URL"],
    [["ftp://provider.example", ...id], "BASE_URL must be an http or https URL"],
    [["http://user:secret@provider.example", ...id], "no user and no password"],
    [["http://provider.example/?a=1", ...id], "no ? and no #"],
    [[`http://provider.example/providers/${ORGANISATION}/`, ...id], "must end before /providers/"],
    [[...id], "BASE_URL is missing"],
    [["http://a.example", "http://b.example", ...id], "one BASE_URL"],
    [["http://provider.example"], "--provider-id is required"],
    [["http://provider.example", "--provider-id", "x"], "--provider-id must be a UUID"],
    [["http://provider.example", ...id, "--wat"], "--wat"],
    [["http://provider.example", ...id, "--routing", "query"], "--routing must be auto or path or header"],
    [["http://provider.example", ...id, "--fail-on", "never"], "--fail-on must be error or warning"],
    [
      ["http://provider.example", ...id, "--only", "nope"],
      'no group "nope"; there are reachability, dialect',
    ],
    [["http://provider.example", ...id, "--skip", "errors,"], 'no group ""'],
    [
      ["http://provider.example", ...id, "--operation", "getShift,readShift"],
      'no operation "readShift"; there are ',
    ],
    [["http://provider.example", ...id, "--operation", "readShift"], "getShift, "],
    [["http://provider.example", ...id, "--seed", "-1"], "--seed"],
    [["http://provider.example", ...id, "--seed", "1.5"], "--seed must be a whole number or random"],
    [["http://provider.example", ...id, "--timeout", "0"], "--timeout must be a number from 1 to 600"],
    [["http://provider.example", ...id, "--states-url", "x"], "--states-url must be an http or https URL"],
    [["http://provider.example", ...id, "--token", ""], "no token: give --token, or set PROVIDER_TOKEN"],
    [["http://provider.example", ...id, "--other-token", "T"], "--other-token needs --other-provider-id"],
    [
      ["http://provider.example", ...id, "--other-provider-id", ORGANISATION],
      "must differ from --provider-id",
    ],
    [
      ["http://provider.example", ...id, "--shift-id", "1", "--cancellable-shift-id", "1"],
      "must be two shifts",
    ],
    [["http://provider.example", ...id, "--shift-id", ""], "the ids of shifts and candidates have 1 to 200"],
    [["http://provider.example", ...id, "--shift-id", ".."], 'are not "." or ".."'],
    [["http://provider.example", ...id, "--cancellable-shift-id", "."], 'are not "." or ".."'],
    [["http://provider.example", ...id, "--report", ""], "--report must name a folder"],
  ])("refuses %j in one line", async (argv, message) => {
    expect(await refusal(argv)).toContain(message);
  });

  it("never shows an unusable token", async () => {
    const message = await refusal(["http://provider.example", ...id, "--token", "se cret"]);
    expect(message).toContain("--token must be visible ASCII characters");
    expect(message).not.toContain("cret");
    const fromEnvironment = await refusal(["http://provider.example", ...id], { PROVIDER_TOKEN: "secret\n" });
    expect(fromEnvironment).toContain("PROVIDER_TOKEN must be visible");
    expect(await refusal(["http://provider.example", ...id], {})).toContain("no token: give --token");
  });

  it.each([
    ["{", "is not JSON"],
    ["", "is not JSON"],
    ["[]", "must hold one JSON object"],
    ["null", "must hold one JSON object"],
    ['{"shiftID": "1"}', 'there is no member "shiftID"; there are shiftId, cancellableShiftId'],
    ['{"shiftId": 1}', "shiftId must be a text"],
    ['{"knownPersonalNumber": null}', "knownPersonalNumber must be a text"],
    ['{"shiftId": " "}', "shiftId must be a text that is not empty"],
  ])("refuses the fixtures %j", async (text, message) => {
    expect(await refusal(["http://provider.example", ...id, "--fixtures", file(text)])).toContain(message);
  });

  it("refuses fixtures that cannot be read", async () => {
    const fixtures = join(folder, "nowhere.json");
    const message = await refusal(["http://provider.example", ...id, "--fixtures", fixtures]);
    expect(message).toContain("cannot be read (ENOENT)");
    expect(await refusal(["http://provider.example", ...id, "--fixtures", folder])).toContain("EISDIR");
  });

  it("refuses a report folder that is not writable before it calls the provider", async () => {
    let calls = 0;
    const url = await server((_, response) => {
      calls += 1;
      response.end();
    });
    const report = join(file("{}"), "reports");
    expect(await refusal([url, ...id, "--report", report])).toContain("not writable (ENOTDIR)");
    expect(calls).toBe(0);
  });

  it("leaves no report of an earlier run behind", async () => {
    const report = join(folder, "stale");
    const sandbox = await provider();
    await against(sandbox, "--only", "dialect", "--report", report);
    expect(existsSync(join(report, "junit.xml"))).toBe(true);
    await sandbox.close();
    await refusal([sandbox.url, ...id, "--report", report]);
    expect(readdirSync(report)).toEqual([]);
  });
});
