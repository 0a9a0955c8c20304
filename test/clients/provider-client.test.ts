import { describe, expect, it } from "vitest";
import { createProviderClient } from "../../src/clients/provider/client.ts";
import { dialectName, everyDialect } from "../../src/contract/dialect.ts";
import { ADA, ADAS_NUMBER, CALL, idsOf, providerSandboxes } from "../harness/provider-sandbox.ts";

const start = providerSandboxes();

describe.each(everyDialect().map((dialect) => [dialectName(dialect), dialect] as const))(
  "%s",
  (_, dialect) => {
    it("makes every call and detects the dialect", async () => {
      const { sandbox, client, seen } = await start({ dialect });
      const { shiftId, shift, seat } = idsOf(sandbox);

      expect(await client.findCandidates(ADAS_NUMBER, CALL)).toEqual({ kind: "found", candidates: [] });
      const created = await client.createCandidate(ADA, CALL);
      expect(created).toMatchObject({ kind: "created", candidate: ADA });
      expect(await client.createCandidate(ADA, CALL)).toEqual({ kind: "exists" });
      expect(await client.findCandidates(ADAS_NUMBER, CALL)).toMatchObject({
        kind: "found",
        candidates: [ADA],
      });

      expect(await client.assign(seat, CALL)).toEqual({ kind: "assigned" });
      expect(await client.assign(seat, CALL)).toEqual({ kind: "assigned" });
      expect(await client.getShift(shiftId, CALL)).toMatchObject({
        kind: "shift",
        shift: {
          id: shiftId,
          variant: dialect.variant,
          positions: 1,
          cancelled: false,
          assigned: [{ providerCandidateId: seat.candidateId }],
          warnings: [],
        },
      });
      expect(await client.unassign(seat, CALL)).toEqual({ kind: "unassigned" });
      expect(await client.unassign(seat, CALL)).toEqual({ kind: "unassigned" });
      expect(shift.assigned.size).toBe(0);

      const change = { startTime: shift.startTime, endTime: shift.endTime, positions: 3 };
      expect(await client.updateShift(shiftId, change, CALL)).toMatchObject({ shift: { positions: 3 } });
      expect(await client.cancelShift(shiftId, CALL)).toEqual({ kind: "cancelled" });
      const absent = { kind: "absent", final: false, code: "shift_not_found" };
      expect(await client.cancelShift(shiftId, CALL)).toEqual(absent);
      expect(await client.getShift(shiftId, CALL)).toEqual(absent);

      expect(await client.listOutlets(CALL)).toEqual({ kind: "list", items: sandbox.outlets, faults: [] });
      expect(await client.listRoles(CALL)).toEqual({ kind: "list", items: sandbox.roles, faults: [] });
      const { routing: _routing, ...learnt } = dialect;
      expect(seen.at(-1)).toEqual(learnt);
    });
  },
);

describe("header routing", () => {
  it("names the organisation in both headers of the contract", async () => {
    const sent: Request[] = [];
    const fetch = async (request: Request) => {
      sent.push(request);
      return new Response("[]");
    };
    const { sandbox, client } = await start({ dialect: { routing: "header" } }, { fetch });
    await client.listOutlets(CALL);
    const named = ["X-Provider-Id", "X-Platform-Provider-Id"].map((name) => sent[0]?.headers.get(name));
    expect(named).toEqual([sandbox.providerId, sandbox.providerId]);
  });
});

it("names the organisation in the path, and in no header, unless another routing is given", async () => {
  const [baseUrl, providerId] = ["https://provider.example", "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11"];
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    return new Response("[]");
  };
  await createProviderClient({ baseUrl, providerId, token: "token", fetch }).listOutlets(CALL);
  expect(sent[0]?.url).toBe(`${baseUrl}/providers/${providerId}/outlets`);
  expect(sent[0]?.headers.get("X-Provider-Id")).toBeNull();
});

describe("the registry", () => {
  it("comes in pages", async () => {
    const { sandbox, client } = await start();
    const first = await client.readRegistry({ limit: 3 }, CALL);
    if (first.kind !== "page") throw new Error(first.kind);
    expect(first.page.candidates).toHaveLength(3);
    const second = await client.readRegistry({ limit: 3, cursor: first.page.nextCursor ?? "" }, CALL);
    if (second.kind !== "page") throw new Error(second.kind);
    expect(second.page.nextCursor).toBeUndefined();
    expect(first.page.candidates.length + second.page.candidates.length).toBe(sandbox.candidates.length);
  });

  it("may be absent", async () => {
    const { client } = await start({ dialect: { registry: false } });
    expect(await client.readRegistry({ limit: 3 }, CALL)).toEqual({ kind: "absent" });
  });
});

describe("a shift", () => {
  it("is absent after its deletion, permanently after a 410", async () => {
    const { sandbox, client } = await start({ dialect: { deleted: "410" } });
    const { shiftId } = idsOf(sandbox);
    sandbox.deleteShift(shiftId);
    const absent = { kind: "absent", final: true, code: "shift_gone" };
    expect(await client.getShift(shiftId, CALL)).toEqual(absent);
    expect(await client.cancelShift(shiftId, CALL)).toEqual(absent);
  });

  it("may remain as cancelled after its deletion", async () => {
    const { sandbox, client } = await start({ dialect: { variant: "b", deleted: "cancelled" } });
    const { shiftId } = idsOf(sandbox);
    sandbox.deleteShift(shiftId);
    expect(await client.getShift(shiftId, CALL)).toMatchObject({ shift: { cancelled: true } });
  });

  it("is read again when the response to a change is empty", async () => {
    const { sandbox, client } = await start({ dialect: { updateAnswer: 204 } });
    const { shiftId, shift } = idsOf(sandbox);
    const change = { startTime: shift.startTime, endTime: shift.endTime, positions: 9 };
    expect(await client.updateShift(shiftId, change, CALL)).toMatchObject({ shift: { positions: 9 } });
  });

  it("is refused when its change is not possible", async () => {
    const { sandbox, client } = await start();
    const { shiftId, shift } = idsOf(sandbox);
    const change = { startTime: shift.endTime, endTime: shift.startTime, positions: 1 };
    expect(await client.updateShift(shiftId, change, CALL)).toEqual({
      kind: "refused",
      status: 422,
      code: "unprocessable",
    });
  });

  it("is read in the integration's time zone, with a warning, when a time lacks its offset", async () => {
    const { sandbox, client } = await start({ faults: ["time-without-offset"] });
    const times = { startTime: "2027-03-27T22:00:00+01:00", endTime: "2027-03-28T06:00:00+02:00" };
    const { shiftId } = sandbox.createShift(times);
    expect(await client.getShift(shiftId, CALL)).toMatchObject({
      shift: {
        startTime: "2027-03-27T21:00:00.000Z",
        endTime: "2027-03-28T04:00:00.000Z",
        warnings: ["time_without_offset"],
      },
    });
  });

  it("is unusable when it ends before it starts", async () => {
    const { sandbox, client } = await start({ faults: ["end-before-start"] });
    expect(await client.getShift(idsOf(sandbox).shiftId, CALL)).toEqual({
      kind: "unusable",
      unusable: { fault: "end_not_after_start", pointer: "/endTime" },
    });
  });

  it("may lag behind its event", async () => {
    const { sandbox, client } = await start();
    const { shiftId } = idsOf(sandbox);
    sandbox.setFault("shift-lag", { times: 1 });
    expect(await client.getShift(shiftId, CALL)).toMatchObject({ kind: "absent", final: false });
    expect(await client.getShift(shiftId, CALL)).toMatchObject({ kind: "shift" });
  });
});

describe("an assignment", () => {
  it.each([
    ["assign-conflict", { kind: "refused", status: 409, code: "shift_full" }],
    ["assign-not-successful", { kind: "refused", status: 200, code: "assignment_not_successful" }],
    ["assign-of-another", { kind: "refused", status: 200, code: "assignment_of_another" }],
    ["assign-for-another-shift", { kind: "refused", status: 200, code: "assignment_of_another" }],
    ["assign-no-content", { kind: "assigned" }],
    ["assign-lost-answer", { kind: "unavailable", failure: "http_error", status: 500 }],
  ] as const)("has the outcome of the fault %s", async (fault, outcome) => {
    const { sandbox, client } = await start({ faults: [fault] });
    expect(await client.assign(idsOf(sandbox).seat, CALL)).toMatchObject(outcome);
  });

  it("names the one who is on the shift instead, unless it is another shift", async () => {
    for (const [fault, id] of [
      ["assign-of-another", expect.any(String)],
      ["assign-for-another-shift", undefined],
    ] as const) {
      const { sandbox, client } = await start({ faults: [fault] });
      const outcome = await client.assign(idsOf(sandbox).seat, CALL);
      expect("assignedAs" in outcome ? outcome.assignedAs : undefined).toEqual(id);
    }
  });

  it("exists once when it is retried after a lost response", async () => {
    const { sandbox, client } = await start({ faults: ["assign-lost-answer"] });
    const { seat, shift } = idsOf(sandbox);
    expect(await client.assign(seat, CALL)).toMatchObject({ kind: "unavailable" });
    expect(await client.assign(seat, CALL)).toEqual({ kind: "assigned" });
    expect([...shift.assigned.keys()]).toEqual([seat.candidateId]);
  });

  it("is removed by the other form when PUT /unassign/ is an unknown path, and the form is remembered", async () => {
    const methods: string[] = [];
    const fetch = (request: Request) => {
      methods.push(request.method);
      return globalThis.fetch(request);
    };
    const { sandbox, client, seen } = await start({ faults: ["unassign-unknown-path"] }, { fetch });
    const { seat, shift } = idsOf(sandbox);
    await client.assign(seat, CALL);
    methods.length = 0;
    expect(await client.unassign(seat, CALL)).toEqual({ kind: "unassigned" });
    expect(shift.assigned.size).toBe(0);
    expect(seen.at(-1)).toMatchObject({ unassign: "delete" });
    await client.unassign(seat, CALL);
    expect(methods).toEqual(["PUT", "DELETE", "DELETE"]);
  });

  it("of a deleted shift counts as removed", async () => {
    const { client } = await start();
    const seat = { shiftId: "gone", candidateId: "unknown" };
    expect(await client.unassign(seat, CALL)).toEqual({ kind: "unassigned" });
  });

  it("is not removed when the provider refuses", async () => {
    const { sandbox, client } = await start({ faults: ["unassign-not-successful"] });
    expect(await client.unassign(idsOf(sandbox).seat, CALL)).toEqual({
      kind: "refused",
      status: 200,
      code: "unassignment_not_successful",
    });
  });

  it("reaches its ids, whatever characters they hold", async () => {
    const { sandbox, client } = await start();
    const shiftId = "week 12/å?#%2F";
    const { shift } = sandbox.createShift({ id: shiftId });
    const { id: candidateId } = sandbox.addCandidate({ ...ADA, id: "a/b c" });
    expect(await client.assign({ shiftId, candidateId }, CALL)).toEqual({ kind: "assigned" });
    expect([...shift.assigned.keys()]).toEqual([candidateId]);
  });
});

describe("a candidate", () => {
  it("is found under the hyphenated number when the provider supports only that form", async () => {
    const { sandbox, client } = await start({ dialect: { personalNumbers: "hyphenated" } });
    const { id } = sandbox.addCandidate(ADA);
    const candidates = [{ ...ADA, id, personalNumber: "19760625-2380" }];
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toEqual({ kind: "found", candidates });
  });

  it.each([400, 422])(
    "is missing when the provider refuses the hyphenated number with %i",
    async (status) => {
      const fetch = async ({ url }: Request) =>
        url.includes("-2380") ? new Response(null, { status }) : Response.json([]);
      const { client } = await start({}, { fetch });
      expect(await client.findCandidates(ADAS_NUMBER, CALL)).toEqual({ kind: "found", candidates: [] });
    },
  );

  it("is a refusal when the provider refuses the 12 digits", async () => {
    const { client } = await start({}, { fetch: () => Promise.resolve(new Response(null, { status: 400 })) });
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toMatchObject({ kind: "refused", status: 400 });
  });

  it("is never another person in the result of a lookup", async () => {
    const { client } = await start({ faults: ["foreign-candidate"] });
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toEqual({ kind: "found", candidates: [] });
  });

  it("is found among other people", async () => {
    const { sandbox, client } = await start({ faults: ["foreign-candidate"] });
    const { id } = sandbox.addCandidate(ADA);
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toMatchObject({ candidates: [{ id }] });
  });

  it("may exist twice, and the caller gets both", async () => {
    const { sandbox, client } = await start({ faults: ["two-candidates"] });
    sandbox.addCandidate(ADA);
    const found = await client.findCandidates(ADAS_NUMBER, CALL);
    if (found.kind !== "found") throw new Error(found.kind);
    expect(found.candidates).toHaveLength(2);
  });

  it("is found by the next lookup after a concurrent creation", async () => {
    const { client } = await start({ faults: ["candidate-race"] });
    expect(await client.createCandidate(ADA, CALL)).toEqual({ kind: "exists" });
    expect(await client.findCandidates(ADAS_NUMBER, CALL)).toMatchObject({ candidates: [ADA] });
  });

  it("is not accepted when the response holds another person", async () => {
    const { client } = await start({ faults: ["created-another"] });
    expect(await client.createCandidate(ADA, CALL)).toMatchObject({ kind: "unavailable" });
  });

  it("may be created with status 200", async () => {
    const { client } = await start({ dialect: { createAnswer: 200 } });
    expect(await client.createCandidate(ADA, CALL)).toMatchObject({ kind: "created" });
  });
});
