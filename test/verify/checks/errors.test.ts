import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { dialects } from "./dialects.ts";
import { type Call, codesOf, type Faults, jsonReply, type Reply, run } from "./faulty-provider.ts";
import { noContent } from "./spoil.ts";

const options = { only: ["errors"] as const };

describe("a provider that refuses invalid requests", () => {
  it.each(dialects)("passes: %s", async (_, dialect) => {
    const { verification, sandbox, shiftId } = await run({ dialect, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual([]);
    expect(sandbox.shift(shiftId)).toMatchObject({ positions: 2, assigned: new Map() });
    // Four are seeded, one is the known candidate, and the run creates two.
    expect(sandbox.candidates).toHaveLength(7);
  });

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

  it("receives GET only in a read-only run", async () => {
    const methods = new Set<string>();
    const faults: Faults = {
      before: ({ method }) => {
        methods.add(method);
        return undefined;
      },
    };
    await run({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
  });
});

const shift = {
  ...{ id: "", outletId: "o", outletName: "O", roleId: "r", roleName: "R", slots: 1, assignedCandidates: [] },
  ...{ startTime: "2030-01-01T08:00:00Z", endTime: "2030-01-01T16:00:00Z" },
};
const anyShift = ({ url }: Call) =>
  jsonReply(200, { ...shift, id: decodeURIComponent(/shifts\/([^/?]*)/.exec(url)?.[1] ?? "") });
const acknowledged = () => jsonReply(200, { success: true });

/** Successful replies to an unknown id that are errors. */
const ACCEPTED: Partial<Record<OperationId, (call: Call) => Reply>> = {
  getShift: anyShift,
  updateShift: () => noContent,
  cancelShift: () => noContent,
  assignCandidate: acknowledged,
};
const isMalformed = ({ url }: Call) => /not-a-uuid|%00|%F0|%20or|aaaa|\.\.%2F/.test(url);

describe("an unknown id", () => {
  it("is reported where it is accepted", async () => {
    const faults: Faults = {
      after: ({ status }, sent) => {
        const accept = sent.operation && ACCEPTED[sent.operation];
        return status === 404 && !isMalformed(sent) ? accept?.(sent) : undefined;
      },
    };
    const expected = Object.keys(ACCEPTED).map((operation) => `unknown_id_accepted ${operation}`);
    expect(codesOf((await run({ faults, options })).verification)).toEqual(expected.sort());
  });

  it("causes a warning where it is refused with an unusual status", async () => {
    const faults: Faults = {
      after: ({ status }, sent) =>
        status === 404 && sent.operation && !isMalformed(sent) ? jsonReply(422, {}) : undefined,
    };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    const expected = ["cancelShift", "getShift", "updateShift"].map((each) => `unknown_id_status ${each}`);
    expect(codesOf(verification, "warning")).toEqual(["error_not_problem provider", ...expected]);
  });

  it("causes a warning where an unassignment accepts it", async () => {
    const faults: Faults = {
      after: ({ status }, { operation }) =>
        operation === "unassignCandidate" && status === 404 ? acknowledged() : undefined,
    };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["unknown_id_tolerated unassignCandidate"]);
  });

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
  it("is reported where it is accepted", async () => {
    const faults: Faults = {
      after: (_, sent) =>
        sent.operation && isMalformed(sent) ? ACCEPTED[sent.operation]?.(sent) : undefined,
    };
    const expected = Object.keys(ACCEPTED).map((operation) => `malformed_accepted ${operation}`);
    expect(codesOf((await run({ faults, options })).verification)).toEqual(expected.sort());
  });

  it("causes one finding for a 5xx, and no other", async () => {
    const faults: Faults = { after: (_, { url }) => (url.includes("%00") ? jsonReply(500, {}) : undefined) };
    const { verification } = await run({ faults, options });
    const errors = codesOf(verification);
    expect(errors.length).toBeGreaterThan(4);
    expect(errors.every((each) => each.startsWith("server_error "))).toBe(true);
  });

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

/** Accepts bodies that the sandbox refuses, if `isTaken` selects them. */
const accepts = (operation: OperationId, isTaken: (body: unknown) => boolean): Faults => ({
  after: ({ status }, sent) => {
    const isRefused = sent.operation === operation && (status === 400 || status === 422);
    if (!isRefused || !isTaken(parsed(sent.body))) return undefined;
    return operation === "updateShift" ? noContent : jsonReply(201, { id: "4711" });
  },
});

const hasAll = (body: unknown, ...names: string[]) =>
  isObject(body) && names.every((name) => typeof body[name] === "string" && body[name] !== "");

/** Kinds of bodies; one is accepted in each case, and the others refused. */
const IN_UPDATES = {
  "not JSON": (body: unknown) => body === undefined,
  "not an object": (body: unknown) => body !== undefined && !isObject(body),
  "invalid values": (body: unknown) => isObject(body) && "startTime" in body,
  "some members only": (body: unknown) => isObject(body) && !("startTime" in body),
};
const IN_CREATIONS = {
  ...{ "not JSON": IN_UPDATES["not JSON"], "not an object": IN_UPDATES["not an object"] },
  "no number": (body: unknown) => isObject(body) && typeof body.personalNumber !== "string",
  "no name": (body: unknown) =>
    hasAll(body, "personalNumber", "email", "phone") && !hasAll(body, "firstName", "lastName"),
  "no address": (body: unknown) =>
    hasAll(body, "personalNumber", "firstName", "lastName") && !hasAll(body, "email", "phone"),
  "an invalid number": (body: unknown) =>
    hasAll(body, "personalNumber", "firstName", "lastName", "email", "phone"),
};

describe("an accepted invalid body", () => {
  const CASES: readonly (readonly [
    update: keyof typeof IN_UPDATES,
    creation: keyof typeof IN_CREATIONS,
    errors: readonly string[],
    warnings: readonly string[],
  ])[] = [
    ["not JSON", "not JSON", ["malformed_accepted createCandidate", "malformed_accepted updateShift"], []],
    [
      "not an object",
      "not an object",
      ["malformed_accepted createCandidate"],
      ["invalid_tolerated updateShift"],
    ],
    [
      "invalid values",
      "no number",
      // The valid update of a shift with a zero byte as id is accepted as well.
      ["invalid_accepted createCandidate", "malformed_accepted updateShift"],
      ["invalid_tolerated updateShift"],
    ],
    ["some members only", "no name", ["invalid_accepted createCandidate"], []],
    ["some members only", "no address", [], ["invalid_tolerated createCandidate"]],
    ["some members only", "an invalid number", [], ["invalid_tolerated createCandidate"]],
  ];

  it.each(CASES)("is reported: %s (update), %s (creation)", async (update, creation, errors, warnings) => {
    const updates = accepts("updateShift", IN_UPDATES[update]);
    const creations = accepts("createCandidate", IN_CREATIONS[creation]);
    const faults: Faults = {
      after: (...all) => updates.after?.(...all) ?? creations.after?.(...all),
    };
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual(errors);
    expect(codesOf(verification, "warning")).toEqual(warnings);
  });

  it("of a creation is the last one of its kind", async () => {
    const taken: unknown[] = [];
    const faults = accepts("createCandidate", (body) => {
      const isOfKind = isObject(body) && typeof body.personalNumber !== "string";
      if (isOfKind) taken.push(body);
      return isOfKind;
    });
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
      ["unknown_id_accepted updateShift", "malformed_accepted updateShift"].sort(),
    );
    expect(codesOf(verification, "warning")).toContain("invalid_tolerated updateShift");
    const kept = sandbox.shift(shiftId);
    expect(kept?.positions).toBe(2);
    expect(Date.parse(kept?.endTime ?? "")).toBeGreaterThan(Date.parse(kept?.startTime ?? ""));
  });
});
