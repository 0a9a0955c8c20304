import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { codesOf, type Faults, jsonReply, run } from "../../harness/faulty-provider.ts";
import { noContent } from "./spoil.ts";

const options = { only: ["generated"] as const };

describe("a provider that handles random input", () => {
  it("receives the same inputs for the same seed, and others for another seed", async () => {
    const inputsOf = async (seed: number) => {
      const inputs: string[] = [];
      const faults: Faults = {
        before: ({ operation, url, body }) => {
          if (operation === "createCandidate") inputs.push(body);
          if (operation === "findCandidates") inputs.push(url.split("?")[1] ?? "");
          return undefined;
        },
      };
      await run({ faults, options: { ...options, seed } });
      // How many are sent at once depends on the speed of the provider.
      return inputs.toSorted();
    };
    const [first, again, other] = [await inputsOf(7), await inputsOf(7), await inputsOf(8)];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe("a provider that fails with a 5xx is reported:", () => {
  const CASES: readonly (readonly [OperationId, (text: string) => boolean])[] = [
    ["findCandidates", (url) => url.includes("name=") && /%/.test(url)],
    ["getShift", (url) => /shifts\/[^?]*%/.test(url)],
  ];

  it.each(CASES)("%s", async (operation, isTooMuch) => {
    const faults: Faults = {
      before: (call) =>
        call.operation === operation && isTooMuch(call.url) ? jsonReply(500, {}) : undefined,
    };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([`server_error ${operation}`]);
  });

  it.each(["updateShift", "createCandidate"] as const)("%s", async (operation) => {
    const faults: Faults = {
      after: ({ status }, sent) =>
        sent.operation === operation && status === 400 ? jsonReply(500, {}) : undefined,
    };
    expect(codesOf((await run({ faults, options })).verification)).toEqual([`server_error ${operation}`]);
  });
});

describe("a 5xx is reported with the smallest input that causes it:", () => {
  const queryOf = (command: string) => decodeURIComponent(/name=([^&' ]*)/.exec(command)?.[1] ?? "");

  it.each([
    ["a text with a letter", /[a-z]/i, 1],
    ["a text of three characters and more", /^...+$/su, 3],
  ])("%s", async (_, pattern, length) => {
    const faults: Faults = {
      before: ({ operation, url }) => {
        const name = new URL(url, "http://127.0.0.1").searchParams.get("name");
        return operation === "findCandidates" && name !== null && pattern.test(name)
          ? jsonReply(500, {})
          : undefined;
      },
    };
    const { verification } = await run({ faults, options: { only: ["generated"], runs: 20 } });
    const [finding] = verification.findings.filter(({ code }) => code === "server_error");
    expect(queryOf(finding?.reproduce ?? "")).toHaveLength(length);
  });
});

describe("a provider that accepts invalid bodies is reported once:", () => {
  it("for an update", async () => {
    const faults: Faults = {
      after: ({ status }, { operation }) =>
        operation === "updateShift" && status === 400 ? noContent : undefined,
    };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    const warnings = verification.findings.filter(({ severity }) => severity === "warning");
    expect(warnings.map(({ code, count }) => [code, count])).toEqual([["invalid_tolerated", 1]]);
  });

  it("for a creation", async () => {
    const faults: Faults = {
      after: ({ status }, { operation }) =>
        operation === "createCandidate" && status === 400 ? jsonReply(201, { id: "4711" }) : undefined,
    };
    const { verification } = await run({ faults, options });
    const errors = verification.findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, count }) => [code, count])).toEqual([["invalid_accepted", 1]]);
  });
});
