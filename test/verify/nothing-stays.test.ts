import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { kindOf } from "../../src/verify/judge/field-faults.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { HIRE_DETAILS } from "../../src/verify/test-candidates.ts";
import { TEST_NUMBERS } from "../../src/verify/test-numbers.ts";
import { verify } from "../../src/verify/verify.ts";
import { listening, untilReset } from "../harness/http.ts";

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
    verify({ baseUrl, providerId, token, createShift, skip: ["contracts"], ...options });
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

  it.each([200, 409])(
    "adds no invalid candidate to that of an earlier run, answered with %i",
    async (status) => {
      const { run } = await start();
      const stored = new Map<string, object>();
      const storesAny = async (request: Request) => {
        const [, created] = /"personalNumber":"(\d{12})"/.exec(await request.clone().text()) ?? [];
        const looked = stored.get(new URL(request.url).searchParams.get("personalNumber") ?? "");
        if (looked) return Response.json([looked]);
        const response = await fetch(request.clone());
        if (response.status !== 422 || created === undefined) return response;
        const there = stored.get(created);
        if (there && status === 409) return Response.json({ error: "it exists" }, { status });
        const person = there ?? { ...(await request.json()), id: crypto.randomUUID() };
        stored.set(created, person);
        return Response.json(person);
      };
      const counts = [
        (await run({ fetch: storesAny })).candidates,
        (await run({ fetch: storesAny })).candidates,
      ];
      expect([stored.size, ...counts]).toEqual([1, 3, 1]);
    },
  );

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

  it("sends each wrong type of each member of the details of a hire", async () => {
    const { run } = await start();
    /** The members of an object, at any depth, with the type of each. */
    const kindsIn = (value: unknown, parent = ""): string[] =>
      Object.entries(kindOf(value) === "an object" ? (value as object) : {}).flatMap(([name, member]) => [
        `${parent}${name}: ${kindOf(member)}`,
        ...kindsIn(member, `${parent}${name}.`),
      ]);
    const sent = new Set<string>();
    const noting = async (request: Request) => {
      const body = await request.clone().text();
      if (body.includes('"bankDetails"')) for (const each of kindsIn(JSON.parse(body))) sent.add(each);
      return fetch(request);
    };
    await run({ fetch: noting });
    const members = kindsIn(HIRE_DETAILS).map((each) => each.split(":", 1));
    const kinds = ["x", 1, true, [], {}].map(kindOf);
    const wanted = members.flatMap((member) => kinds.map((kind) => `${member}: ${kind}`));
    expect(wanted.filter((each) => !sent.has(each))).toEqual([]);
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

  it("is incomplete if the provider has people of its own under every test number", async () => {
    const { sandbox, run } = await start();
    const numbers = TEST_NUMBERS.slice(0, 42);
    for (const personalNumber of numbers.slice(6)) sandbox.addCandidate({ personalNumber });
    const { summary, unseen, findings } = await run({ numbers });
    expect([summary.verdict, unseen[0]]).toEqual(["incomplete", "createCandidate"]);
    expect(findings.map(({ actual }) => actual).join()).toContain("--numbers");
  });
});
