import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shiftpact } from "../../src/cli/shiftpact.ts";
import { providerStates } from "../../src/sandbox/provider-states.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";
import { contractNames, formsOfInteraction, type PactFile } from "../../src/verify/contracts.ts";
import { readContract } from "../harness/pact/contract-file.ts";
import { useVerifier } from "../harness/pact/verifier.ts";
import { terminal } from "../harness/terminal.ts";

const TOKEN = "a-token-for-the-contracts-command";
const FORMS = "--routing path --variant b --not-found empty --unassign put --ack full".split(" ");

let folder: string;
let count = 0;
const running: Sandbox[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "contracts-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newFolder = () => join(folder, String(++count));

async function run(argv: readonly string[], env: Record<string, string> = { PROVIDER_TOKEN: TOKEN }) {
  const { io, out, err } = terminal(env);
  const exit = await shiftpact(["contracts", ...argv], io);
  return { exit, out, err };
}

async function provider(options: Omit<SandboxOptions, "port"> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ port: 0, token: TOKEN, ...options });
  running.push(sandbox);
  return sandbox;
}

const contractIn = (out: string, name: "provider" | "events"): PactFile =>
  JSON.parse(readFileSync(join(out, contractNames[name]), "utf8"));

const hashesOf = (out: string) =>
  readdirSync(out)
    .sort()
    .map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex"),
    ]);

describe("shiftpact contracts", () => {
  const verify = useVerifier();

  it("writes and reports what fits the stated forms", async () => {
    const out = newFolder();
    const { exit, out: printed, err } = await run([...FORMS, "--out", out]);
    expect([exit, err]).toEqual([0, []]);
    const calls = contractIn(out, "provider");
    const forms = calls.interactions.map(({ description }) => formsOfInteraction(description));
    expect(new Set(forms.map(({ routing }) => routing))).toEqual(new Set(["path"]));
    expect(new Set(forms.flatMap(({ variant }) => variant ?? []))).toEqual(new Set(["b"]));
    expect(contractIn(out, "events").interactions).toHaveLength(3);
    expect(readdirSync(out).sort()).toEqual([contractNames.events, contractNames.provider]);
    const text = printed.join("\n");
    expect(text).toContain(`Wrote 2 Pact files to ${out}:`);
    expect(text).toMatch(new RegExp(`http\\.json +${calls.interactions.length} of \\d+ interactions`));
    expect(text).toMatch(/events\.json +3 of 3 interactions/);
    expect(text).toMatch(/^ {2}variant +b$/m);
    expect(text).toMatch(/^ {2}deleted +404 {3}assumed; otherwise give --deleted 410\|cancelled$/m);
  });

  it("writes the same bytes when it runs again", async () => {
    const out = newFolder();
    await run([...FORMS, "--out", out]);
    const first = hashesOf(out);
    expect((await run([...FORMS, "--out", out])).exit).toBe(0);
    expect(hashesOf(out)).toEqual(first);
  });

  it("replaces its own files when the forms change", async () => {
    const out = newFolder();
    await run([...FORMS, "--out", out]);
    expect((await run([...FORMS, "--deleted", "410", "--out", out])).exit).toBe(0);
    const descriptions = contractIn(out, "provider").interactions.map(({ description }) => description);
    expect(descriptions).toContain("reads a deleted shift [routing=path deleted=410]");
    expect(descriptions).not.toContain("reads a deleted shift [routing=path deleted=404]");
  });

  it.each(["{}", "notes", JSON.stringify({ metadata: { pactSpecification: { version: "4.0" } } })])(
    "keeps a file that another tool wrote, and writes nothing beside it: %s",
    async (text) => {
      const out = newFolder();
      mkdirSync(out);
      writeFileSync(join(out, contractNames.events), text);
      const { exit, out: printed, err } = await run([...FORMS, "--out", out]);
      expect([exit, printed]).toEqual([2, []]);
      expect(err).toEqual([expect.stringContaining("was not written by this command")]);
      expect(readFileSync(join(out, contractNames.events), "utf8")).toBe(text);
      expect(existsSync(join(out, contractNames.provider))).toBe(false);
    },
  );

  it.each([
    [[{}, {}], 0, "2 interactions were verified"],
    [[], 1, "no interaction was verified"],
  ])("reports how much of a contract was verified: %j", async (interactionResults, exitCode, text) => {
    const file = newFolder();
    writeFileSync(file, JSON.stringify({ interactionResults }));
    const { exit, out, err } = await run(["--verified", file]);
    expect([exit, [...out, ...err].join("\n")]).toEqual([exitCode, expect.stringContaining(text)]);
  });

  it.each(["notes", "{}"])("refuses a file that is not a verification report: %s", async (text) => {
    const file = newFolder();
    writeFileSync(file, text);
    expect(await run(["--verified", file])).toEqual({
      exit: 2,
      out: [],
      err: [expect.stringContaining("not a report of pact-verifier --json")],
    });
  });

  it("reports a folder that is not writable", async () => {
    const file = newFolder();
    writeFileSync(file, "");
    const { exit, err } = await run([...FORMS, "--out", file]);
    expect([exit, err]).toEqual([2, [expect.stringMatching(/the folder is not writable \(E\w+\)$/)]]);
  });

  it("writes contracts that a Pact verifier accepts, and that a provider of these forms honours", async () => {
    const out = newFolder();
    await run([...FORMS, "--out", out]);
    const sandbox = await provider({ dialect: { routing: "path", variant: "b", unassign: "put" } });
    const calls = contractIn(out, "provider");
    const { honoured, broken } = await verify({
      contracts: [calls],
      baseUrl: sandbox.url,
      headers: { Authorization: `Bearer ${sandbox.token}` },
      states: providerStates(sandbox),
    });
    expect(broken).toEqual({});
    expect(honoured).toEqual(calls.interactions.map(({ description }) => description).sort());
  });

  it("lists every form and value that the contracts distinguish", async () => {
    const { exit, out } = await run(["--list"]);
    expect(exit).toBe(0);
    const [http, readme] = [readContract("http"), readFileSync("test/consumer/README.md", "utf8")];
    const pairs = http.interactions.flatMap(({ description }) =>
      Object.entries(formsOfInteraction(description)),
    );
    const flags: Record<string, string> = { notFound: "not-found", acknowledgement: "ack" };
    for (const [form, value] of pairs) {
      const line = out.find((each) => each.startsWith(`  --${flags[form] ?? form} `));
      expect(line?.trim().split(/ +/)[1]?.split("|")).toContain(value);
      expect(readme).toMatch(new RegExp(`^\\| \`${form}\` .*\`${value}\``, "m"));
    }
    expect(out).toHaveLength(new Set(pairs.map(([form]) => form)).size);
  });

  it("prints a filter that selects the same interactions", async () => {
    const out = newFolder();
    await run([...FORMS, "--out", out]);
    const { exit, out: printed, err } = await run([...FORMS, "--filter"]);
    expect([exit, printed, err]).toEqual([0, [expect.any(String)], []]);
    const filter = new RegExp(printed[0] ?? "");
    const all = readContract("http").interactions.map(({ description }) => description);
    const written = contractIn(out, "provider").interactions.map(({ description }) => description);
    expect(all.filter((description) => filter.test(description)).sort()).toEqual(written.sort());
  });
});

describe("shiftpact contracts --detect", () => {
  const who = ({ url, providerId }: Sandbox) => ["--detect", url, "--provider-id", providerId];

  it("writes files for the forms that it detects", async () => {
    const sandbox = await provider({
      dialect: {
        routing: "header",
        variant: "b",
        notFound: "404",
        unassign: "delete",
        acknowledgement: "full",
        updateAnswer: 204,
        deleted: "410",
        personalNumbers: "hyphenated",
        registry: false,
      },
    });
    const [{ shiftId }, { shiftId: other }] = [sandbox.createShift(), sandbox.createShift()];
    const [detected, stated] = [newFolder(), newFolder()];
    const shifts = ["--shift-id", shiftId, "--cancellable-shift-id", other];
    const { exit, out, err } = await run([...who(sandbox), ...shifts, "--out", detected]);
    expect([exit, err]).toEqual([0, [expect.stringContaining("this changes data")]]);
    const forms =
      "--routing header --variant b --not-found 404 --unassign delete --ack full --updated none --deleted 410";
    await run([...`${forms} --numbers hyphenated --registry absent`.split(" "), "--out", stated]);
    expect(hashesOf(detected)).toEqual(hashesOf(stated));
    expect(out.join("\n")).not.toContain("assumed");
    expect(out.join("\n")).not.toContain(TOKEN);
  });

  it("takes the flags of verify", async () => {
    const sandbox = await provider({ dialect: { variant: "b" } });
    const [id, ...more] = [1, 2, 3, 4].map(() => sandbox.createShift({ positions: 2 }).shiftId);
    const shifts = ["--shift-id", String(id), ...more.flatMap((each) => ["--cancellable-shift-id", each])];
    const others = ["--concurrency", "2", "--rate", "900", "--seed", "2", "--json"];
    const { exit, err } = await run([...who(sandbox), ...shifts, ...others, "--out", newFolder()]);
    expect([exit, err]).toEqual([0, [expect.stringContaining("this changes data")]]);
  });

  it("uses flags for the forms that it cannot detect", async () => {
    const sandbox = await provider({ dialect: { variant: "b" } });
    const { shiftId } = sandbox.createShift();
    const only = [...who(sandbox), "--shift-id", shiftId, "--read-only", "--out"];
    const bare = await run([...only, newFolder()]);
    expect([bare.exit, bare.out]).toEqual([2, []]);
    expect(bare.err).toEqual([expect.stringContaining("--unassign put|delete --ack minimal|full|none")]);
    const out = newFolder();
    const { exit, err } = await run([...only, out, "--unassign", "put", "--ack", "minimal"]);
    expect([exit, err]).toEqual([0, []]);
    const descriptions = contractIn(out, "provider").interactions.map(({ description }) => description);
    expect(descriptions).toContain("reads a shift [routing=path variant=b]");
  });

  it("writes nothing when the provider cannot be reached", async () => {
    const out = newFolder();
    const sandbox = await provider();
    await sandbox.close();
    running.splice(0);
    const { exit, err } = await run([...who(sandbox), "--out", out]);
    expect(exit).toBe(2);
    expect(err.at(-1)).toMatch(/^shiftpact contracts: /);
    expect(existsSync(out)).toBe(false);
  });
});

const DETECT = [
  ...["--detect", "http://127.0.0.1:1", "--token", "t"],
  ...["--provider-id", "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11"],
];

describe("unusable flags of shiftpact contracts are one line and exit code 2", () => {
  it.each([
    [["--out", "x"], "give also --routing path|header --variant a|b --not-found empty|404"],
    [[...FORMS, "--variant", "c", "--out", "x"], '--variant must be a or b, not "c"'],
    [FORMS, "give --out DIR or --filter"],
    [[...FORMS, "--out", "x", "--filter"], "give --out DIR or --filter"],
    [[...FORMS, "--out", ""], "--out must name a folder"],
    [[...FORMS, "--shift-id", "1", "--out", "x"], "--shift-id needs --detect BASE_URL"],
    [["--detect", "http://127.0.0.1:1", "--out", "x"], "--provider-id is required"],
    [[...DETECT, "--numbers", "missing.txt", "--out", "x"], "--numbers missing.txt: cannot be read"],
    [[...FORMS, "--numbers", "missing.txt", "--out", "x"], "--numbers must be digits or hyphenated"],
    [["--wat"], "--wat"],
  ])("%j", async (argv, message) => {
    const { exit, out, err } = await run(argv);
    expect([exit, out]).toEqual([2, []]);
    expect(err).toEqual([expect.stringContaining(message)]);
    expect(err[0]).not.toContain("\n");
  });

  it("prints its help", async () => {
    const { exit, out } = await run(["--help"]);
    expect([exit, out[0]]).toEqual([0, expect.stringContaining("Examples:")]);
  });
});
