import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { TEST_NUMBERS } from "../../src/verify/test-numbers.ts";
import { verify } from "../../src/verify/verify.ts";
import { listening, untilReset } from "../harness/listening.ts";

const headers = { "Content-Type": "application/json" };
const opened: Sandbox[] = [];
afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

async function start() {
  const sandbox = await startSandbox({ rateLimit: 0, states: true });
  opened.push(sandbox);
  const { url: baseUrl, providerId, token } = sandbox;
  const createShift = async () => sandbox.createShift({ positions: 3 }).shiftId;
  const run = (options: Partial<VerifyOptions> = {}) =>
    verify({ baseUrl, providerId, token, createShift, skip: ["contracts", "generated"], ...options });
  return { sandbox, run };
}

describe("a run", () => {
  it("leaves one new candidate if there are those of an earlier run, and says so", async () => {
    const { sandbox, run } = await start();
    await run();
    const before = sandbox.candidates.length;
    const { summary, candidates } = await run();
    expect(summary.verdict).toBe("conforms");
    expect([candidates, sandbox.candidates.length - before]).toEqual([1, 1]);
  });

  it("counts no candidate of an earlier run, whom a creation under the same number returns with 200", async () => {
    const { sandbox, run } = await start();
    const numbers = TEST_NUMBERS.slice(0, 42);
    for (const personalNumber of numbers.slice(6)) {
      sandbox.addCandidate({ personalNumber, lastName: "Provning", email: "vera.provning@example.com" });
    }
    const existing = async (request: Request) => {
      const sent = await request.clone().text();
      const person = sandbox.candidates.find(({ personalNumber }) => sent.includes(personalNumber));
      const response = await fetch(request);
      return response.status === 409 && person ? Response.json(person) : response;
    };
    expect((await run({ numbers, fetch: existing })).candidates).toBe(0);
  });

  it("counts no invalid candidate of an earlier run, whom a creation returns with 200", async () => {
    const { run } = await start();
    const stored = new Map<string, object>();
    const storesAny = async (request: Request) => {
      const [, created] = /"personalNumber":"(\d{12})"/.exec(await request.clone().text()) ?? [];
      const looked = stored.get(new URL(request.url).searchParams.get("personalNumber") ?? "");
      if (looked) return Response.json([looked]);
      const response = await fetch(request.clone());
      if (response.status !== 422 || created === undefined) return response;
      const person = stored.get(created) ?? { ...(await request.json()), id: crypto.randomUUID() };
      stored.set(created, person);
      return Response.json(person);
    };
    const counts = [
      (await run({ fetch: storesAny })).candidates,
      (await run({ fetch: storesAny })).candidates,
    ];
    expect([stored.size, ...counts]).toEqual([1, 3, 1]);
  });

  it("sends no more wrong details of a hire to a provider that creates a person each time", async () => {
    const { run } = await start();
    let people = 0;
    const createsEach = async (request: Request) => {
      const isHire = (await request.clone().text()).includes('"bankDetails"');
      const response = await fetch(request.clone());
      if (!isHire || response.status !== 400) return response;
      people += 1;
      return Response.json({ ...(await request.json()), id: crypto.randomUUID() }, { status: 201 });
    };
    await run({ fetch: createsEach });
    expect(people).toBe(2);
  });

  it("counts those that are left when the provider states fail halfway", async () => {
    const { sandbox, run } = await start();
    let removals = 0;
    const states = await listening(
      createServer(
        untilReset(async (request, response) => {
          const body = await text(request);
          if (body.includes("no such candidate")) removals += 1;
          const answer = await fetch(`${sandbox.url}/states`, { method: "POST", headers, body });
          response.writeHead(removals > 1 ? 500 : answer.status, headers).end(await answer.text());
        }),
      ),
    );
    const { candidates } = await run({ statesUrl: states.url });
    await states.close();
    expect(candidates).toBe(1);
  });

  it("leaves none if a provider state removes them", async () => {
    const { sandbox, run } = await start();
    const before = sandbox.candidates.length;
    const { summary, candidates } = await run({ statesUrl: `${sandbox.url}/states`, skip: [] });
    expect(summary.verdict).toBe("conforms");
    expect([candidates, sandbox.candidates.length]).toEqual([0, before]);
  });

  it("cancels the shifts that it created", async () => {
    const { sandbox, run } = await start();
    const before = new Set(sandbox.shifts.map(({ id }) => id));
    await run();
    const made = sandbox.shifts.filter(({ id }) => !before.has(id));
    expect(made.length).toBeGreaterThan(1);
    expect(made.filter(({ cancelled }) => !cancelled)).toEqual([]);
  });

  it("is incomplete if every test number has a candidate: a new one may fail", async () => {
    const { sandbox, run } = await start();
    const numbers = TEST_NUMBERS.slice(0, 42);
    for (const personalNumber of numbers.slice(6)) {
      sandbox.addCandidate({ personalNumber, lastName: "Provning", email: "vera.provning@example.com" });
    }
    const { summary, unseen, findings } = await run({ numbers });
    expect([summary.verdict, unseen]).toEqual(["incomplete", ["createCandidate"]]);
    expect(findings.map(({ actual }) => actual).join()).toContain("--numbers");
  });

  it("reports an invalid candidate that an earlier run created, and creates no other", async () => {
    const { sandbox, run } = await start();
    sandbox.setFault("number-unchecked");
    const warned = async () => {
      const { findings } = await run();
      return findings.filter(({ code }) => code === "invalid_tolerated").map(({ expected }) => expected);
    };
    const first = await warned();
    expect(first).not.toEqual([]);
    expect(await warned()).toEqual(first);
  });
});
