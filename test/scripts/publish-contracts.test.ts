import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { FINDINGS_FILE, findingsText } from "../../scripts/write-findings.ts";
import { codes } from "../../src/verify/codes/codes.ts";
import { listening, untilReset } from "../harness/http.ts";

const ROOT = new URL("../../", import.meta.url);
const CONTRACTS = new URL("contracts/", ROOT);
const ENV = { ...process.env, PACT_BROKER_HTTP_RETRIES: "0" };

interface Contract {
  consumer: { name: string };
  interactions: { description: string }[];
}

/** Runs `npm run contracts:publish`. */
function publish(env: NodeJS.ProcessEnv, ...args: string[]) {
  return new Promise<{ code: unknown; errors: string }>((resolve) => {
    const argv = ["--import", "tsx", "scripts/publish-contracts.ts", ...args];
    execFile(process.execPath, argv, { cwd: ROOT, env: { ...ENV, ...env } }, (error, _, errors) =>
      resolve({ code: error?.code ?? 0, errors }),
    );
  });
}

/** Starts the part of a Pact Broker that the tool uses. Returns its URL, and the descriptions that it receives, by consumer and version. */
async function startBroker(token: string) {
  const received: Record<string, string[]> = {};
  const { url, close } = await listening(
    createServer(
      untilReset(async (request, response) => {
        const accepted = request.headers.authorization === `Bearer ${token}`;
        response.writeHead(accepted ? 200 : 401, { "Content-Type": "application/hal+json" });
        if (accepted && request.method === "POST") {
          // biome-ignore lint/suspicious/noExplicitAny: a stranger's format, of which three fields are read
          const publication = (await json(request)) as any;
          const text = Buffer.from(publication.contracts[0].content, "base64").toString();
          received[`${publication.pacticipantName} ${publication.pacticipantVersionNumber}`] = described(
            JSON.parse(text),
          );
        }
        const link = { "pb:publish-contracts": { href: `${url}/contracts/publish` } };
        response.end(JSON.stringify({ notices: [], logs: [], _embedded: {}, _links: link }));
      }),
    ),
  );
  onTestFinished(close);
  return { url, received };
}

const described = ({ interactions }: Contract) => interactions.map(({ description }) => description).sort();

it("publishes one contract for each pair, with every interaction of its files", async () => {
  const { url, received } = await startBroker("secret");
  const env = { PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: "secret" };
  const { code } = await publish(env, "--consumer-app-version", "1.2.3", "--branch", "main");
  expect(code).toBe(0);
  const files = readdirSync(CONTRACTS).map((name): Contract => {
    return JSON.parse(readFileSync(new URL(name, CONTRACTS), "utf8"));
  });
  const pairs = Object.groupBy(files, ({ consumer }) => `${consumer.name} 1.2.3`);
  const expected = Object.entries(pairs).map(([pair, parts = []]) => [pair, parts.flatMap(described).sort()]);
  expect(received).toEqual(Object.fromEntries(expected));
});

it("exits 1 when the broker refuses the token", async () => {
  const { url, received } = await startBroker("another");
  const { code } = await publish({ PACT_BROKER_BASE_URL: url, PACT_BROKER_TOKEN: "secret" });
  expect({ code, received }).toEqual({ code: 1, received: {} });
});

it("exits 2 with one line when no broker is given", async () => {
  const errors = expect.stringMatching(/^PACT_BROKER_BASE_URL is not set: .*\n$/);
  expect(await publish({ PACT_BROKER_BASE_URL: "" })).toEqual({ code: 2, errors });
});

describe("spec/findings.md", () => {
  it("is up to date", () => {
    const isFresh = readFileSync(FINDINGS_FILE, "utf8") === findingsText();
    expect(isFresh, "spec/findings.md is out of date. Fix it with: npm run findings:write").toBe(true);
  });

  it("has a row for every code", () => {
    for (const code of Object.keys(codes)) expect(findingsText()).toContain(`\n| \`${code}\` | `);
  });

  it("escapes text that would break a row or become a tag", () => {
    const rows = findingsText()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const row of rows) {
      expect(row.match(/(?<!\\)\|/g), row).toHaveLength(5);
      expect(row.replaceAll(/`[^`]*`/g, ""), row).not.toContain("<");
    }
  });
});
