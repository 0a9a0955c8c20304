import { afterEach, describe, expect, it } from "vitest";
import { schemas } from "../../generated/provider/validators.js";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import { type Answered, call, NEW_CANDIDATE } from "./calls.ts";

let sandbox: Sandbox | undefined;
afterEach(() => sandbox?.close());

async function start(dialect: Partial<Forms>): Promise<Sandbox> {
  sandbox = await startSandbox({ dialect });
  return sandbox;
}

/** Starts a sandbox with a candidate assigned to a shift. */
async function startAssigned(dialect: Partial<Forms>) {
  const running = await start(dialect);
  const { shiftId, shift } = running.createShift({ positions: 2 });
  const candidateId = running.candidates[0]?.id ?? "";
  const assigned = await call(running, "PUT", `/shifts/${shiftId}/assign/${candidateId}`);
  return { running, shift, shiftId, candidateId, assigned };
}

const code = ({ body }: Answered) => (body as { code?: string } | undefined)?.code;

describe("the shift's variant", () => {
  it.each([
    ["a", schemas.CompleteShiftVariantA],
    ["b", schemas.CompleteShiftVariantB],
  ] as const)("%s contains every field of that variant", async (variant, validator) => {
    const { running, shiftId } = await startAssigned({ variant });
    const { body } = await call(running, "GET", `/shifts/${shiftId}`);
    expect(validator.errorsOf(body)).toEqual([]);
  });

  it("b has the status filled once no position is free, and lists the candidates", async () => {
    const { running, shift, shiftId, candidateId } = await startAssigned({ variant: "b" });
    expect((await call(running, "GET", `/shifts/${shiftId}`)).body).toMatchObject({ status: "open" });
    shift.positions = 1;
    const personalNumber = running.candidates[0]?.personalNumber;
    expect((await call(running, "GET", `/shifts/${shiftId}`)).body).toMatchObject({
      status: "filled",
      assignedCandidates: [{ id: candidateId, personalNumber }],
    });
  });
});

describe("routing", () => {
  it.each([
    ["path", 200, 404],
    ["header", 404, 200],
    [undefined, 200, 200],
  ] as const)("%s returns %d with a prefix, %d without", async (routing, withPrefix, bare) => {
    const running = await start({ routing });
    const headers = { "X-Provider-Id": running.providerId };
    expect((await call(running, "GET", "/roles")).status).toBe(withPrefix);
    expect((await call(running, "GET", "/roles", { bare: true, headers })).status).toBe(bare);
  });
});

describe("a lookup without a match", () => {
  it.each([
    ["empty", 200, undefined],
    ["404", 404, "candidate_not_found"],
  ] as const)("in the form %s returns %d", async (notFound, status, expected) => {
    const answer = await call(await start({ notFound }), "GET", "/candidates?personalNumber=197606252380");
    expect([answer.status, code(answer)]).toEqual([status, expected]);
  });
});

describe("unassigning", () => {
  it.each([
    ["put", 200, 405],
    ["delete", 405, 204],
    ["both", 200, 204],
  ] as const)("by %s returns %d for PUT and %d for DELETE", async (unassign, putStatus, deleteStatus) => {
    const { running, shift, shiftId, candidateId } = await startAssigned({ unassign });
    const put = await call(running, "PUT", `/shifts/${shiftId}/unassign/${candidateId}`);
    expect(put.status).toBe(putStatus);
    expect(shift.assigned.size).toBe(putStatus === 200 ? 0 : 1);
    const other = await call(running, "DELETE", `/shifts/${shiftId}/assign/${candidateId}`);
    expect(other.status).toBe(deleteStatus);
    expect(shift.assigned.size).toBe(0);
  });
});

describe("the acknowledgement of an assignment", () => {
  it("in the minimal form contains only success", async () => {
    const { assigned } = await startAssigned({ acknowledgement: "minimal" });
    expect(assigned.body).toEqual({ success: true });
  });

  it("in the full form contains shift, candidate and time", async () => {
    const { assigned, shiftId, candidateId } = await startAssigned({ acknowledgement: "full" });
    expect(schemas.CompleteDetailedAssignment.errorsOf(assigned.body)).toEqual([]);
    expect(assigned.body).toMatchObject({ success: true, shiftId, candidateId });
  });
});

describe("a deleted shift", () => {
  it.each([
    [{ deleted: "404" }, 404, 404],
    [{ deleted: "410" }, 410, 410],
    [{ deleted: "cancelled", variant: "b" }, 200, 404],
  ] as const)("of the forms %o returns %d, then %d for DELETE", async (forms, getStatus, deleteStatus) => {
    const running = await start(forms);
    const { shiftId } = running.createShift();
    running.deleteShift(shiftId);
    const read = await call(running, "GET", `/shifts/${shiftId}`);
    expect(read.status).toBe(getStatus);
    if (read.status === 200) expect(read.body).toMatchObject({ status: "cancelled" });
    expect((await call(running, "DELETE", `/shifts/${shiftId}`)).status).toBe(deleteStatus);
  });

  it("cannot have a status in variant A", async () => {
    await expect(startSandbox({ dialect: { deleted: "cancelled" } })).rejects.toThrow("variant");
  });
});

describe("the forms of a provider", () => {
  it("may return 204 for an update", async () => {
    const running = await start({ updateAnswer: 204 });
    const { shiftId, shift } = running.createShift();
    const body = { startTime: shift.startTime, endTime: shift.endTime, slots: 7 };
    const answer = await call(running, "PUT", `/shifts/${shiftId}`, { body });
    expect([answer.status, answer.body, shift.positions]).toEqual([204, undefined, 7]);
  });

  it("may return 200 for a creation", async () => {
    const answer = await call(await start({ createAnswer: 200 }), "POST", "/candidates", {
      body: NEW_CANDIDATE,
    });
    expect(answer.status).toBe(200);
  });

  it("may omit the registry", async () => {
    const answer = await call(await start({ registry: false }), "GET", "/candidates/registry");
    expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
  });

  it("may find candidates under the hyphenated number only", async () => {
    const running = await start({ personalNumbers: "hyphenated" });
    running.addCandidate(NEW_CANDIDATE);
    expect((await call(running, "GET", "/candidates?personalNumber=197606252380")).body).toEqual([]);
    const { body } = await call(running, "GET", "/candidates?personalNumber=19760625-2380");
    expect(body).toMatchObject([{ personalNumber: "19760625-2380" }]);
  });
});
