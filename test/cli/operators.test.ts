import { describe, expect, it } from "vitest";
import { operators } from "../../src/cli/operators.ts";
import { DAY_MS } from "../../src/contract/timestamp.ts";
import { engines } from "../harness/engines.ts";
import { OPERATIONS_TOKEN } from "../harness/platform.ts";
import { useTenants } from "../harness/tenants.ts";

describe.each(engines)("shiftpact operators, on %s", (engine) => {
  const harness = useTenants(engine);

  async function run(argv: string[], env: Record<string, string> = { OPERATIONS_TOKEN }) {
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const io = {
      env,
      stdout: (line: string) => void stdout.push(line),
      stderr: (line: string) => void stderr.push(line),
      isTerminal: false,
    };
    const exit = await operators(["--url", harness().platform.url, ...argv], io as never);
    return { exit, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
  }
  const status = async (token: string) =>
    (await harness().send("/operations/v1/me", { authorization: `Bearer ${token}` })).status;

  it("creates, lists, rotates, changes and revokes", async () => {
    const created = await run(["create", "Karin Holm", "--role", "people"]);
    expect(created).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^spo_[\w-]{43}$/) });
    expect(await status(created.stdout)).toBe(200);
    expect((await run(["list"])).stdout).toMatch(/^Karin Holm {2}people {2}token until \d{4}-\S+$/m);
    const rotated = await run(["rotate", "Karin Holm", "--overlap-hours", "0"]);
    expect([await status(created.stdout), await status(rotated.stdout)]).toEqual([401, 200]);
    const changed = await run(["role", "Karin Holm", "--role", "viewer", "--json"]);
    expect(JSON.parse(changed.stdout)).toMatchObject({ name: "Karin Holm", role: "viewer" });
    expect(await run(["revoke", "Karin Holm"])).toEqual({ exit: 0, stdout: "", stderr: "" });
    expect(await status(rotated.stdout)).toBe(401);
    expect((await run(["list"])).stdout).toMatch(/Karin Holm {2}viewer {2}revoked \d{4}-/);
  });

  it("makes tokens that are valid for the given days", async () => {
    const given = ["--valid-days", "7", "--json"];
    const created = await run(["create", "Reports", "--role", "viewer", ...given]);
    const rotated = await run(["rotate", "Reports", ...given]);
    for (const { stdout } of [created, rotated]) {
      const { validUntil } = JSON.parse(stdout) as { validUntil: string };
      expect(Math.round((Date.parse(validUntil) - Date.now()) / DAY_MS)).toBe(7);
    }
  });

  it("exits 1 when the platform refuses, and names the reason", async () => {
    const { stdout: token } = await run(["create", "Night desk", "--role", "operator"]);
    expect(await run(["create", "Night desk", "--role", "operator"])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("409 operator_exists"),
    });
    expect(await run(["list"], { OPERATIONS_TOKEN: token })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("needs the role admin"),
    });
    expect((await run(["revoke", "No such name"])).exit).toBe(1);
  });

  it("names each input that the platform refuses, in a line of its own", async () => {
    const { exit, stderr } = await run(["create", "x".repeat(101), "--role", "viewer"]);
    expect([exit, stderr.split("\n")]).toEqual([
      1,
      [
        "shiftpact operators: 400 validation_failed: The request is not valid.",
        "shiftpact operators: /name must have at most 100 characters",
      ],
    ]);
  });

  it.each([
    [[], {}, "NAME"],
    [["list"], { OPERATIONS_TOKEN: "" }, "--token"],
    [["create", "Karin"], {}, "--role"],
    [["create", "Karin", "--role", "king"], {}, "--role"],
    [["create", "Karin", "Holm", "--role", "viewer"], {}, "quote"],
    [["rotate", "Karin", "--overlap-hours", "-1"], {}, "overlap-hours"],
    [["rotate", "Karin", "--valid-days", "a year"], {}, "valid-days"],
    [["promote", "Karin"], {}, "promote"],
    [["list", "--url", "http://127.0.0.1:9"], {}, "cannot connect to the platform"],
  ])("exits 2 for %j with %j", async (argv, env, named) => {
    const { exit, stderr } = await run(argv, { OPERATIONS_TOKEN, ...env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(named)]);
  });
});
