import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { main } from "../../scripts/publish-contracts.ts";

const CONTRACTS = fileURLToPath(new URL("../../contracts", import.meta.url));
const TOKEN = "broker-token-that-must-stay-secret";

interface Interaction {
  type: string;
  description: string;
  providerStates?: unknown;
}

/** The body of one publication. */
interface Publication {
  pacticipantName: string;
  pacticipantVersionNumber: string;
  branch?: string;
  tags?: string[];
  contracts: { consumerName: string; providerName: string; content: string }[];
}

interface StandIn {
  url: string;
  publications: Publication[];
  /** The paths of the requests, with their queries. */
  asked: string[];
  authorizations: Set<string | undefined>;
}

const servers: Server[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** Starts the part of a Pact Broker that the tool uses. */
async function standIn({ accepts = `Bearer ${TOKEN}`, deployable = true } = {}): Promise<StandIn> {
  const seen: StandIn = { url: "", publications: [], asked: [], authorizations: new Set() };
  const server = createServer(async (request, response) => {
    seen.asked.push(`${request.method} ${request.url}`);
    seen.authorizations.add(request.headers.authorization);
    const accepted = request.headers.authorization === accepts;
    response.statusCode = accepted ? 200 : 401;
    response.setHeader("Content-Type", "application/hal+json");
    response.end(JSON.stringify(accepted ? await answerTo(request, seen, deployable) : { error: "no" }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return seen;
}

async function answerTo(request: IncomingMessage, seen: StandIn, deployable: boolean): Promise<unknown> {
  const link = (path: string) => ({ href: `${seen.url}${path}`, name: path, title: path });
  if (request.method === "POST") {
    seen.publications.push((await json(request)) as Publication);
    const pacticipant = { "pb:pacticipant": link("/p"), "pb:pacticipant-version": link("/p/v") };
    return {
      notices: [],
      logs: [],
      _links: { ...pacticipant, "pb:pacticipant-version-tags": [], "pb:contracts": [] },
    };
  }
  if (!request.url?.startsWith("/matrix"))
    return { _links: { "pb:publish-contracts": link("/contracts/publish") } };
  const reason = deployable ? "All required verification results are published" : "There is no verified pact";
  const summary = { deployable, reason, success: 0, failed: 0, unknown: 0 };
  return { summary, notices: [{ type: deployable ? "success" : "error", text: reason }], matrix: [] };
}

interface Output {
  code: number;
  out: string;
  error: string;
}

async function publish(
  broker: StandIn | undefined,
  args: string[],
  env: Record<string, string> = {},
): Promise<Output> {
  const output = { out: "", error: "" };
  const variables = broker ? { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: TOKEN } : {};
  const code = await main(
    args,
    { ...variables, ...env },
    {
      out: (text) => {
        output.out += text;
      },
      error: (text) => {
        output.error += text;
      },
    },
  );
  return { code, ...output };
}

function committed(): { contracts: string; commit: string } {
  const folder = mkdtempSync(join(tmpdir(), "publish-contracts-test-"));
  folders.push(folder);
  const contracts = join(folder, "contracts");
  cpSync(CONTRACTS, contracts, { recursive: true });
  const git = (...args: string[]) => {
    const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  };
  git("init", "--quiet", "--initial-branch", "feature/seats");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Contracts");
  return { contracts, commit: git("rev-parse", "HEAD") };
}

const RELEASE = ["--contracts", CONTRACTS, "--version", "1.2.3", "--branch", "main"];

function interactionsOf(publications: readonly Publication[]): Map<string, Interaction[]> {
  const contracts = publications.flatMap((publication) => publication.contracts);
  return new Map(
    contracts.map(({ consumerName, providerName, content }) => {
      const pact = JSON.parse(Buffer.from(content, "base64").toString()) as { interactions: Interaction[] };
      return [`${consumerName}--${providerName}`, pact.interactions];
    }),
  );
}

function interactionsIn(prefix: string): Interaction[] {
  const names = readdirSync(CONTRACTS).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => JSON.parse(readFileSync(join(CONTRACTS, name), "utf8")).interactions);
}

describe("contracts:publish", () => {
  it("sends every contract, under the commit and the branch", async () => {
    const broker = await standIn();
    const { contracts, commit } = committed();
    const output = await publish(broker, ["--contracts", contracts, "--tag", "a", "--tag", "b"]);
    expect(output).toMatchObject({ code: 0, error: "" });
    expect(output.out).toContain(`as version ${commit} of branch feature/seats, to ${broker.url}\n`);
    expect(broker.authorizations).toEqual(new Set([`Bearer ${TOKEN}`]));
    const about = { pacticipantVersionNumber: commit, branch: "feature/seats", tags: ["a", "b"] };
    expect(
      broker.publications.toSorted((a, b) => a.pacticipantName.localeCompare(b.pacticipantName)),
    ).toEqual([
      expect.objectContaining({ ...about, pacticipantName: "scheduling-provider" }),
      expect.objectContaining({ ...about, pacticipantName: "shiftpact-platform" }),
    ]);
  });

  it("sends one contract for each pair, with every interaction of each of its files", async () => {
    const broker = await standIn();
    await publish(broker, RELEASE);
    const sent = interactionsOf(broker.publications);
    const pairs = ["scheduling-provider--shiftpact-platform", "shiftpact-platform--scheduling-provider"];
    expect([...sent.keys()].sort()).toEqual(pairs);
    for (const pair of pairs) {
      const interactions = sent.get(pair) ?? [];
      expect(interactions).toHaveLength(interactionsIn(pair).length);
      const keys = interactions.map(({ description, providerStates }) =>
        JSON.stringify([description, providerStates]),
      );
      expect(new Set(keys).size).toBe(keys.length);
    }
    const types = sent.get("shiftpact-platform--scheduling-provider")?.map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(["Synchronous/HTTP", "Asynchronous/Messages"]));
    const webhooks = sent
      .get("scheduling-provider--shiftpact-platform")
      ?.map(({ description }) => description);
    expect(webhooks).toContain("sends an unknown token [integration-webhook]");
    expect(webhooks).toContain("sends an unknown token [scheduling-provider-webhook]");
  });

  it("accepts a name and password instead of a token", async () => {
    const basic = `Basic ${Buffer.from("ci:secret-word").toString("base64")}`;
    const broker = await standIn({ accepts: basic });
    const both = { PACT_BROKER_USERNAME: "ci", PACT_BROKER_PASSWORD: "secret-word", PACT_BROKER_TOKEN: "" };
    expect(await publish(broker, RELEASE, both)).toMatchObject({ code: 0 });
    expect(broker.authorizations).toEqual(new Set([basic]));
  });

  it("exits 1 on a refused token, names the variable, and shows no token", async () => {
    const broker = await standIn({ accepts: "Bearer another" });
    const { code, out, error } = await publish(broker, RELEASE);
    expect(code).toBe(1);
    expect(error).toContain(
      `not published: ${broker.url} refused the credentials; check PACT_BROKER_TOKEN\n`,
    );
    expect(out + error).not.toContain(TOKEN);
    expect(broker.publications).toEqual([]);
  });

  it("exits 1 when no broker responds", async () => {
    const url = { PACT_BROKER_BASE_URL: "http://127.0.0.1:1", PACT_BROKER_TOKEN: TOKEN };
    expect(await publish(undefined, RELEASE, url)).toMatchObject({
      code: 1,
      out: "",
      error: expect.stringMatching(/127\.0\.0\.1:1[\s\S]*\nnot published\n$/),
    });
  });
});

describe("contracts:publish --can-i-deploy", () => {
  it("queries the platform's version and an environment, and exits 0 on yes", async () => {
    const broker = await standIn();
    const output = await publish(broker, [...RELEASE, "--can-i-deploy", "--to", "production"]);
    expect(output).toMatchObject({
      code: 0,
      out: expect.stringContaining("All required verification results"),
    });
    const question = new URL(
      broker.asked.find((line) => line.includes("/matrix"))?.slice(4) ?? "",
      broker.url,
    );
    expect(Object.fromEntries(question.searchParams)).toMatchObject({
      "q[][pacticipant]": "shiftpact-platform",
      "q[][version]": "1.2.3",
      environment: "production",
    });
    expect(broker.publications).toHaveLength(2);
  });

  it("exits 1 on no, with the broker's reason", async () => {
    const broker = await standIn({ deployable: false });
    const { code, error } = await publish(broker, [...RELEASE, "--can-i-deploy"]);
    expect(code).toBe(1);
    expect(error).toContain("There is no verified pact");
    expect(error).toMatch(/\nshiftpact-platform may not be deployed\n$/);
  });
});

describe("contracts:publish without a publication", () => {
  const url = "https://broker.example";

  it.each([
    ["no URL", {}, [], "PACT_BROKER_BASE_URL is not set"],
    ["an invalid URL", { PACT_BROKER_BASE_URL: "broker" }, [], "PACT_BROKER_BASE_URL is not an http URL"],
    [
      "a password in the URL",
      { PACT_BROKER_BASE_URL: "https://a:b@c.example" },
      [],
      "without a name or password",
    ],
    ["no token", { PACT_BROKER_BASE_URL: url }, [], "Set PACT_BROKER_TOKEN, or PACT_BROKER_USERNAME and"],
    [
      "a name without a password",
      { PACT_BROKER_BASE_URL: url, PACT_BROKER_USERNAME: "ci" },
      [],
      "Set PACT_BROKER_TOKEN, or",
    ],
    ["--to alone", {}, ["--to", "production"], "--to goes with --can-i-deploy"],
    ["an unknown option", {}, ["--brnach", "main"], "Unknown option '--brnach'"],
  ])("exits 2 on %s, with one line", async (_, env, args, line) => {
    const { code, out, error } = await publish(undefined, [...RELEASE, ...args], env);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(line);
    expect(error.trimEnd().split("\n")).toHaveLength(1);
  });

  it("exits 2 on contracts with uncommitted changes, unless the version is given", async () => {
    const broker = await standIn();
    const { contracts } = committed();
    writeFileSync(join(contracts, "one-more.json"), "{}");
    const output = await publish(broker, ["--contracts", contracts]);
    expect(output).toMatchObject({
      code: 2,
      error: expect.stringContaining("commit them, or give --version"),
    });
    expect(broker.asked).toEqual([]);
  });

  it("exits 2 where git knows no branch, and on a folder without contracts", async () => {
    const broker = await standIn();
    const { contracts, commit } = committed();
    execFileSync("git", ["checkout", "--quiet", commit], { cwd: contracts, stdio: "pipe" });
    const detached = await publish(broker, ["--contracts", contracts]);
    expect(detached).toMatchObject({ code: 2, error: expect.stringContaining("give --branch") });
    const empty = join(contracts, "empty");
    mkdirSync(empty);
    const nothing = await publish(broker, ["--contracts", empty, "--version", "1", "--branch", "main"]);
    expect(nothing).toMatchObject({ code: 2, error: expect.stringContaining("npm run contracts:write") });
    expect(broker.asked).toEqual([]);
  });
});
