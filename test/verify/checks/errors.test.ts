import { describe, expect, it } from "vitest";
import { codesOf, type Faults, jsonReply, type Reply, run } from "../../harness/faulty-provider.ts";

const options = { only: ["errors"] as const };

describe("a provider that refuses invalid requests", () => {
  it("passes with sequential ids", async () => {
    const prepare = (sandbox: Parameters<NonNullable<Parameters<typeof run>[0]["prepare"]>>[0]) => {
      sandbox.createShift({ id: "7", positions: 2 });
      sandbox.createShift({ id: "8" });
      return { fixtures: { shiftId: "7", cancellableShiftId: "8" } };
    };
    const { verification } = await run({ dialect: { variant: "b" }, options, prepare });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["shift_id_not_uuid getShift"]);
  });
});

const shift = {
  id: "",
  outletId: "o",
  outletName: "O",
  roleId: "r",
  roleName: "R",
  slots: 1,
  assignedCandidates: [],
  startTime: "2030-01-01T08:00:00Z",
  endTime: "2030-01-01T16:00:00Z",
};

describe("an unknown id", () => {
  it("of an assigned candidate leads to the unassignment", async () => {
    const added: string[] = [];
    const faults: Faults = {
      before: ({ operation, url }, sandbox) => {
        const candidateId = url.split("/").at(-1) ?? "";
        if (operation === "assignCandidate" && !sandbox.candidates.some(({ id }) => id === candidateId)) {
          added.push(sandbox.addCandidate({ id: candidateId, personalNumber: "189005069811" }).id);
        }
        return undefined;
      },
    };
    const { verification, sandbox, shiftId } = await run({ faults, options });
    expect(codesOf(verification)).toContain("unknown_id_accepted assignCandidate");
    expect(added).not.toEqual([]);
    expect(sandbox.shift(shiftId)?.assigned.size).toBe(0);
  });
});

describe("a malformed id", () => {
  it.each([/candidates$/, /personalNumber=1{600}/, /name=1{600}/])(
    "in a lookup that fails causes one finding: %s",
    async (url) => {
      const faults: Faults = {
        before: (call) => (call.method === "GET" && url.test(call.url) ? jsonReply(500, {}) : undefined),
      };
      const { verification } = await run({ faults, options });
      expect(codesOf(verification)).toEqual(["server_error findCandidates"]);
    },
  );

  it("may be redirected by the server", async () => {
    const reply: Reply = { status: 301, headers: { location: "/" }, body: "" };
    const faults: Faults = { before: ({ url }) => (url.includes("..%2F") ? reply : undefined) };
    expect(codesOf((await run({ faults, options })).verification)).toEqual([]);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

describe("an accepted invalid body", () => {
  it("of a creation is the last one of its kind", async () => {
    const taken: unknown[] = [];
    const faults: Faults = {
      after: ({ status }, { operation, body }) => {
        const json = parsed(body);
        const isRefused = operation === "createCandidate" && (status === 400 || status === 422);
        if (!isRefused || !isObject(json) || typeof json.personalNumber === "string") return undefined;
        taken.push(json);
        return jsonReply(201, { id: "4711" });
      },
    };
    await run({ faults, options });
    expect(taken).toHaveLength(1);
  });

  it("that is stored is undone, and its echo is not reported", async () => {
    const faults: Faults = {
      before: ({ operation, body }, sandbox) => {
        const json = parsed(body);
        const [first] = sandbox.shifts;
        if (operation !== "updateShift" || !isObject(json) || !first) return undefined;
        const {
          startTime = first.startTime,
          endTime = first.endTime,
          slots = first.positions,
        } = json as never;
        sandbox.updateShift(first.id, { startTime, endTime, positions: slots });
        return jsonReply(200, { ...shift, id: first.id, startTime, endTime, slots });
      },
    };
    const { verification, sandbox, shiftId } = await run({ faults, options });
    expect(codesOf(verification)).toEqual(
      // The sandbox fails to read a shift whose start is a number.
      ["unknown_id_accepted updateShift", "malformed_accepted updateShift", "server_error getShift"].sort(),
    );
    expect(codesOf(verification, "warning")).toContain("invalid_tolerated updateShift");
    const kept = sandbox.shift(shiftId);
    expect(kept?.positions).toBe(2);
    expect(Date.parse(kept?.endTime ?? "")).toBeGreaterThan(Date.parse(kept?.startTime ?? ""));
  });
});
