import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Answered, call, NEW_CANDIDATE } from "./calls.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");

let sandbox: Sandbox;
let now = NOW;
beforeEach(async () => {
  now = NOW;
  sandbox = await startSandbox({ now: () => now });
});
afterEach(() => sandbox.close());

const problemOf = ({ status, body }: Answered) => [status, (body as { code?: string } | undefined)?.code];
const pointers = ({ body }: Answered) =>
  (body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer);

function person(index: number): string {
  const candidate = sandbox.candidates[index];
  if (!candidate) throw new Error("not seeded");
  return candidate.id;
}

describe("assigning", () => {
  const assign = (shiftId: string, candidateId: string) =>
    call(sandbox, "PUT", `/shifts/${shiftId}/assign/${candidateId}`);

  it("adds the candidate to the shift, and is idempotent", async () => {
    const { shiftId } = sandbox.createShift({ positions: 2 });
    const first = await assign(shiftId, person(0));
    const second = await assign(shiftId, person(0));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    const { body } = await call(sandbox, "GET", `/shifts/${shiftId}`);
    expect(body).toMatchObject({ slots: 2, assignedCandidates: [{ candidateId: person(0) }] });
  });

  it("of a merged candidate is of the record that is left, whichever id is used", async () => {
    const [{ shiftId }, other] = [sandbox.createShift(), sandbox.createShift()];
    const formerId = person(0);
    await assign(shiftId, formerId);
    const { id } = sandbox.mergeCandidate(formerId);
    expect([...(sandbox.shift(shiftId)?.assigned.keys() ?? [])]).toEqual([id]);
    expect((await assign(other.shiftId, formerId)).body).toMatchObject({ candidateId: id });
    expect((await assign(other.shiftId, id)).body).toMatchObject({ candidateId: id });
    const { body } = await call(sandbox, "GET", "/candidates/registry");
    expect(JSON.stringify(body)).not.toContain(formerId);
    await call(sandbox, "PUT", `/shifts/${other.shiftId}/unassign/${formerId}`);
    expect(sandbox.shift(other.shiftId)?.assigned.size).toBe(0);
  });

  it("is refused when the shift is full, except for assigned candidates", async () => {
    const { shiftId } = sandbox.createShift({ positions: 1 });
    await assign(shiftId, person(0));
    expect(problemOf(await assign(shiftId, person(1)))).toEqual([409, "shift_full"]);
    expect((await assign(shiftId, person(0))).status).toBe(200);
  });

  it("is refused from the shift's start on", async () => {
    const { shiftId } = sandbox.createShift({ startTime: "2027-03-01T14:00:00+01:00" });
    expect(problemOf(await assign(shiftId, person(0)))).toEqual([200, undefined]);
    now = Date.parse("2027-03-01T13:00:00Z");
    expect(problemOf(await assign(shiftId, person(1)))).toEqual([409, "shift_started"]);
  });

  it("is refused for a cancelled shift, an unknown shift and an unknown candidate", async () => {
    const { shiftId } = sandbox.createShift();
    expect(problemOf(await assign(shiftId, "unknown"))).toEqual([404, "candidate_not_found"]);
    expect(problemOf(await assign("unknown", person(0)))).toEqual([404, "shift_not_found"]);
    sandbox.deleteShift(shiftId);
    expect(problemOf(await assign(shiftId, person(0)))).toEqual([409, "shift_cancelled"]);
  });

  it("never exceeds the positions when several calls are concurrent", async () => {
    const { shiftId, shift } = sandbox.createShift({ positions: 1 });
    const tries = await Promise.all([0, 1, 2, 3].map((index) => assign(shiftId, person(index))));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(shift.assigned.size).toBe(1);
  });

  it.each([
    ["PUT", "unassign", 200],
    ["DELETE", "assign", 204],
  ])("is undone by %s /%s/, which is idempotent", async (method, verb, status) => {
    const { shiftId, shift } = sandbox.createShift();
    await assign(shiftId, person(0));
    const path = `/shifts/${shiftId}/${verb}/${person(0)}`;
    expect((await call(sandbox, method, path)).status).toBe(status);
    expect(shift.assigned.size).toBe(0);
    expect((await call(sandbox, method, path)).status).toBe(status);
  });
});

describe("changing a shift", () => {
  const change = {
    startTime: "2027-03-27T22:00:00+01:00",
    endTime: "2027-03-28T06:00:00+02:00",
    slots: 3,
    numberOfPositions: 3,
  };

  it("replaces times and number of positions", async () => {
    const { shiftId } = sandbox.createShift();
    const { body } = await call(sandbox, "PUT", `/shifts/${shiftId}`, { body: change });
    const { startTime, endTime, slots } = change;
    expect(body).toMatchObject({ id: shiftId, startTime, endTime, slots });
    expect((await call(sandbox, "GET", `/shifts/${shiftId}`)).body).toEqual(body);
  });

  it("reports every invalid field", async () => {
    const { shiftId } = sandbox.createShift();
    const body = { ...change, endTime: change.startTime, numberOfPositions: 2 };
    const answer = await call(sandbox, "PUT", `/shifts/${shiftId}`, { body });
    expect(problemOf(answer)).toEqual([422, "unprocessable"]);
    expect(pointers(answer)).toEqual(["/endTime", "/numberOfPositions"]);
  });

  it("is refused once the shift is cancelled", async () => {
    const { shiftId } = sandbox.createShift();
    sandbox.deleteShift(shiftId);
    const answer = await call(sandbox, "PUT", `/shifts/${shiftId}`, { body: change });
    expect(problemOf(answer)).toEqual([409, "shift_cancelled"]);
  });

  it("cancels the shift permanently with DELETE", async () => {
    const { shiftId } = sandbox.createShift();
    expect((await call(sandbox, "DELETE", `/shifts/${shiftId}`)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) {
      expect(problemOf(await call(sandbox, method, `/shifts/${shiftId}`))).toEqual([404, "shift_not_found"]);
    }
  });
});

describe("candidates", () => {
  const find = (query: string) => call(sandbox, "GET", `/candidates?${query}`);

  it.each(["197606252380", "19760625-2380"])(
    "are created with %s, and found under both forms",
    async (form) => {
      const created = await call(sandbox, "POST", "/candidates", {
        body: { ...NEW_CANDIDATE, personalNumber: form },
      });
      expect(created).toMatchObject({ status: 201, body: { ...NEW_CANDIDATE, id: expect.any(String) } });
      for (const text of ["197606252380", "19760625-2380"]) {
        expect((await find(`personalNumber=${text}`)).body).toEqual([created.body]);
      }
    },
  );

  it("exist once, whichever form is used", async () => {
    await call(sandbox, "POST", "/candidates", { body: NEW_CANDIDATE });
    const body = { ...NEW_CANDIDATE, personalNumber: "19760625-2380" };
    expect(problemOf(await call(sandbox, "POST", "/candidates", { body }))).toEqual([
      409,
      "candidate_exists",
    ]);
  });

  it("require a personal number with a valid check digit", async () => {
    const body = { ...NEW_CANDIDATE, personalNumber: "199007212394" };
    const answer = await call(sandbox, "POST", "/candidates", { body });
    expect(problemOf(answer)).toEqual([422, "unprocessable"]);
    expect(pointers(answer)).toEqual(["/personalNumber"]);
  });

  it("are found by a part of the name in any case, and by number and name together", async () => {
    const number = sandbox.candidates[0]?.personalNumber;
    expect((await find("name=rid%20LI")).body).toMatchObject([{ firstName: "Astrid" }]);
    expect((await find(`name=unknown&personalNumber=${number}`)).body).toEqual([]);
    expect((await find(`name=astrid&personalNumber=${number}`)).body).toHaveLength(1);
  });

  it("are hired with the full payload, and listed in the registry without the documents", async () => {
    const hire = {
      ...NEW_CANDIDATE,
      address: "Storgatan 2",
      postCode: "11122",
      city: "Stockholm",
      countryCode: "se",
      emergencyContact: { name: "Bo Strand", phone: "+46701740606", relationship: "sibling" },
      bankDetails: { clearingNumber: "8327", accountNumber: "9044226" },
    };
    const documents = {
      citizenship: "SE",
      workPermitRequired: false,
      workPermitExpiry: null,
      passportVerified: true,
    };
    const body = { ...hire, documents, workHistory: "unknown" };
    expect((await call(sandbox, "POST", "/candidates", { body })).status).toBe(201);
    const registry = await call(sandbox, "GET", "/candidates/registry");
    const entry = (registry.body as { candidates: object[] }).candidates.at(-1);
    expect(entry).toEqual({ id: expect.any(String), ...hire });
  });

  it("are listed in pages by the registry", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { body } = await call(sandbox, "GET", `/candidates/registry?limit=3${next}`);
      const page = body as { candidates: { id: string }[]; nextCursor?: string };
      expect(page.candidates.length).toBeLessThanOrEqual(3);
      seen.push(...page.candidates.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(sandbox.candidates.map(({ id }) => id));
  });

  it("cannot be listed with an unknown cursor", async () => {
    const answer = await call(sandbox, "GET", "/candidates/registry?cursor=made-up");
    expect(problemOf(answer)).toEqual([400, "validation_failed"]);
  });
});
