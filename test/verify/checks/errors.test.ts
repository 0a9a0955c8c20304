import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import { dialects } from "./dialects.ts";
import { type Call, type Faults, jsonReply, play, type Reply, told } from "./faulty-provider.ts";
import { noContent } from "./spoil.ts";

const options = { only: ["errors"] as const };

describe("a provider that refuses what is wrong", () => {
  it.each(dialects)("passes: %s", async (_, dialect) => {
    const { verification, sandbox, shiftId } = await play({ dialect, options });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual([]);
    expect(sandbox.shift(shiftId)).toMatchObject({ positions: 2, assigned: new Map() });
    // Four are there from the start, one is the fixtures', and two are the run's own.
    expect(sandbox.candidates).toHaveLength(7);
  });

  it("passes with ids that are counted", async () => {
    const prepare = (sandbox: Parameters<NonNullable<Parameters<typeof play>[0]["prepare"]>>[0]) => {
      sandbox.createShift({ id: "7", positions: 2 });
      sandbox.createShift({ id: "8" });
      return { fixtures: { shiftId: "7", cancellableShiftId: "8" } };
    };
    const { verification } = await play({ dialect: { variant: "b" }, options, prepare });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["shift_id_not_uuid getShift"]);
  });

  it("is asked with GET only when read-only", async () => {
    const methods = new Set<string>();
    const faults: Faults = {
      before: ({ method }) => {
        methods.add(method);
        return undefined;
      },
    };
    await play({ faults, options: { ...options, readOnly: true } });
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

/** Where a success to an id that is nobody's is an error. */
const ACCEPTED: Partial<Record<OperationId, (call: Call) => Reply>> = {
  getShift: anyShift,
  updateShift: () => noContent,
  cancelShift: () => noContent,
  assignCandidate: acknowledged,
};
const isMalformed = ({ url }: Call) => /not-a-uuid|%00|%F0|%20or|aaaa|\.\.%2F/.test(url);

describe("ids that nobody has:", () => {
  it("are accepted", async () => {
    const faults: Faults = {
      after: ({ status }, sent) => {
        const accept = sent.operation && ACCEPTED[sent.operation];
        return status === 404 && !isMalformed(sent) ? accept?.(sent) : undefined;
      },
    };
    const expected = Object.keys(ACCEPTED).map((operation) => `unknown_id_accepted ${operation}`);
    expect(told((await play({ faults, options })).verification)).toEqual(expected.sort());
  });

  it("are refused oddly", async () => {
    const faults: Faults = {
      after: ({ status }, sent) =>
        status === 404 && sent.operation && !isMalformed(sent) ? jsonReply(422, {}) : undefined,
    };
    const { verification } = await play({ faults, options });
    expect(told(verification)).toEqual([]);
    const expected = ["cancelShift", "getShift", "updateShift"].map((each) => `unknown_id_status ${each}`);
    expect(told(verification, "warning")).toEqual(["error_not_problem provider", ...expected]);
  });

  it("an unassignment from no shift", async () => {
    const faults: Faults = {
      after: ({ status }, { operation }) =>
        operation === "unassignCandidate" && status === 404 ? acknowledged() : undefined,
    };
    const { verification } = await play({ faults, options });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["unknown_id_tolerated unassignCandidate"]);
  });

  it("an unknown candidate who is put on the shift is taken off again", async () => {
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
    const { verification, sandbox, shiftId } = await play({ faults, options });
    expect(told(verification)).toContain("unknown_id_accepted assignCandidate");
    expect(added).not.toEqual([]);
    expect(sandbox.shift(shiftId)?.assigned.size).toBe(0);
  });
});

describe("ids that are none:", () => {
  it("are accepted", async () => {
    const faults: Faults = {
      after: (_, sent) =>
        sent.operation && isMalformed(sent) ? ACCEPTED[sent.operation]?.(sent) : undefined,
    };
    const expected = Object.keys(ACCEPTED).map((operation) => `malformed_accepted ${operation}`);
    expect(told((await play({ faults, options })).verification)).toEqual(expected.sort());
  });

  it("a 5xx is an error of its own, and no other", async () => {
    const faults: Faults = { after: (_, { url }) => (url.includes("%00") ? jsonReply(500, {}) : undefined) };
    const { verification } = await play({ faults, options });
    const errors = told(verification);
    expect(errors.length).toBeGreaterThan(4);
    expect(errors.every((each) => each.startsWith("server_error "))).toBe(true);
  });

  it.each([/candidates$/, /personalNumber=1{600}/, /name=1{600}/])(
    "a lookup that breaks: %s",
    async (url) => {
      const faults: Faults = {
        before: (call) => (call.method === "GET" && url.test(call.url) ? jsonReply(500, {}) : undefined),
      };
      expect(told((await play({ faults, options })).verification)).toEqual(["server_error findCandidates"]);
    },
  );

  it("a server that tidies up paths is not accused", async () => {
    const reply: Reply = { status: 301, headers: { location: "/" }, body: "" };
    const faults: Faults = { before: ({ url }) => (url.includes("..%2F") ? reply : undefined) };
    expect(told((await play({ faults, options })).verification)).toEqual([]);
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

/** Accepts bodies of that kind where the sandbox refuses them. */
const accepts = (operation: OperationId, isTaken: (body: unknown) => boolean): Faults => ({
  after: ({ status }, sent) => {
    const isRefused = sent.operation === operation && (status === 400 || status === 422);
    if (!isRefused || !isTaken(parsed(sent.body))) return undefined;
    return operation === "updateShift" ? noContent : jsonReply(201, { id: "4711" });
  },
});

const hasAll = (body: unknown, ...names: string[]) =>
  isObject(body) && names.every((name) => typeof body[name] === "string" && body[name] !== "");

/** Each is accepted and the rest refused. */
const IN_UPDATES = {
  "no JSON": (body: unknown) => body === undefined,
  "no object": (body: unknown) => body !== undefined && !isObject(body),
  "values that cannot be": (body: unknown) => isObject(body) && "startTime" in body,
  "parts alone": (body: unknown) => isObject(body) && !("startTime" in body),
};
const IN_CREATIONS = {
  ...{ "no JSON": IN_UPDATES["no JSON"], "no object": IN_UPDATES["no object"] },
  "no number": (body: unknown) => isObject(body) && typeof body.personalNumber !== "string",
  "no name": (body: unknown) =>
    hasAll(body, "personalNumber", "email", "phone") && !hasAll(body, "firstName", "lastName"),
  "no address": (body: unknown) =>
    hasAll(body, "personalNumber", "firstName", "lastName") && !hasAll(body, "email", "phone"),
  "a number that cannot be": (body: unknown) =>
    hasAll(body, "personalNumber", "firstName", "lastName", "email", "phone"),
};

describe("bodies:", () => {
  const CASES: readonly (readonly [
    update: keyof typeof IN_UPDATES,
    creation: keyof typeof IN_CREATIONS,
    errors: readonly string[],
    warnings: readonly string[],
  ])[] = [
    ["no JSON", "no JSON", ["malformed_accepted createCandidate", "malformed_accepted updateShift"], []],
    ["no object", "no object", ["malformed_accepted createCandidate"], ["invalid_tolerated updateShift"]],
    [
      "values that cannot be",
      "no number",
      // The right update of a shift whose id is a zero byte is taken too.
      ["invalid_accepted createCandidate", "malformed_accepted updateShift"],
      ["invalid_tolerated updateShift"],
    ],
    ["parts alone", "no name", ["invalid_accepted createCandidate"], []],
    ["parts alone", "no address", [], ["invalid_tolerated createCandidate"]],
    ["parts alone", "a number that cannot be", [], ["invalid_tolerated createCandidate"]],
  ];

  it.each(CASES)("%s in an update, %s in a creation", async (update, creation, errors, warnings) => {
    const updates = accepts("updateShift", IN_UPDATES[update]);
    const creations = accepts("createCandidate", IN_CREATIONS[creation]);
    const faults: Faults = {
      after: (...all) => updates.after?.(...all) ?? creations.after?.(...all),
    };
    const { verification } = await play({ faults, options });
    expect(told(verification)).toEqual(errors);
    expect(told(verification, "warning")).toEqual(warnings);
  });

  it("of a kind that was accepted no second one is sent", async () => {
    const taken: unknown[] = [];
    const faults = accepts("createCandidate", (body) => {
      const isOfKind = isObject(body) && typeof body.personalNumber !== "string";
      if (isOfKind) taken.push(body);
      return isOfKind;
    });
    await play({ faults, options });
    expect(taken).toHaveLength(1);
  });

  it("a provider that stores anything is left as it was, and accused of nothing that it only repeats", async () => {
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
    const { verification, sandbox, shiftId } = await play({ faults, options });
    expect(told(verification)).toEqual(
      ["unknown_id_accepted updateShift", "malformed_accepted updateShift"].sort(),
    );
    expect(told(verification, "warning")).toContain("invalid_tolerated updateShift");
    const kept = sandbox.shift(shiftId);
    expect(kept?.positions).toBe(2);
    expect(Date.parse(kept?.endTime ?? "")).toBeGreaterThan(Date.parse(kept?.startTime ?? ""));
  });
});
