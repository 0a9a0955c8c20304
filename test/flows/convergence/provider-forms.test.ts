import { describe, expect, it } from "vitest";
import { ask, create, kindsOf, NUMBER, PERSON, seat, useProviders } from "./provider-calls.ts";

describe("the independent provider without faults", () => {
  const start = useProviders();

  it("returns a shift with the fields of variant A", async () => {
    const provider = await start();
    const { id } = provider.createShift({ positions: 2, ownPeople: 1 });
    const { status, body } = await ask(provider, "GET", `/shifts/${id}`);
    expect([status, body.slots]).toEqual([200, 2]);
    expect(body.assignedCandidates).toEqual([{ candidateId: expect.any(String) }]);
  });

  it("returns a shift with the fields of variant B", async () => {
    const provider = await start({ variant: "b" });
    const { id } = provider.createShift({ ownPeople: 1 });
    const { body } = await ask(provider, "GET", `/shifts/${id}`);
    expect(body).toMatchObject({ numberOfPositions: 1, status: "filled" });
    expect(body.assignedCandidates).toEqual([{ id: expect.any(String), personalNumber: expect.any(String) }]);
  });

  it.each([
    ["full", { success: true, shiftId: expect.any(String) }],
    ["minimal", { success: true }],
    ["none", ""],
  ] as const)(
    "acknowledges an assignment in the form %s, and assigns once for two calls",
    async (form, body) => {
      const provider = await start({ acknowledgement: form });
      const { assign } = await seat(provider);
      expect((await assign()).body).toEqual(form === "full" ? expect.objectContaining(body) : body);
      expect((await assign()).status).toBe(form === "none" ? 204 : 200);
      expect(provider.effects.filter(({ kind }) => kind === "assign")).toMatchObject([{ delivered: true }]);
    },
  );

  it.each(["put", "delete", "both"] as const)("offers unassign as %s", async (unassign) => {
    const provider = await start({ unassign });
    const { path, assign, unassign: put } = await seat(provider);
    await assign();
    expect((await put()).status).toBe(unassign === "delete" ? 404 : 200);
    expect((await ask(provider, "DELETE", path)).status).toBe(unassign === "put" ? 404 : 204);
    expect(kindsOf(provider)).toEqual(["create", "assign", "unassign"]);
  });

  it.each([
    ["empty", 200],
    ["404", 404],
  ] as const)("responds to a lookup of an unknown candidate with %s", async (notFound, status) => {
    const provider = await start({ notFound });
    expect((await ask(provider, "GET", `/candidates?personalNumber=${NUMBER}`)).status).toBe(status);
  });

  it("finds a known person, and refuses to create one, in either form of the number", async () => {
    const provider = await start();
    const id = await create(provider);
    const hyphenated = `${NUMBER.slice(0, 8)}-${NUMBER.slice(8)}`;
    const found = await ask(provider, "GET", `/candidates?personalNumber=${hyphenated}`);
    expect(found.body).toMatchObject([{ id }]);
    expect(await ask(provider, "POST", "/candidates", PERSON)).toMatchObject({ status: 409 });
  });

  it("replaces times and positions, and has no effect when nothing changes", async () => {
    const provider = await start();
    const { id, startTime, endTime } = provider.createShift();
    const body = { startTime, endTime, slots: 3 };
    expect((await ask(provider, "PUT", `/shifts/${id}`, body)).body.slots).toBe(3);
    await ask(provider, "PUT", `/shifts/${id}`, body);
    expect(provider.effects).toMatchObject([{ kind: "put", changed: ["positions"] }]);
  });

  it.each([
    ["a", "cancelled", 404],
    ["b", "absent", 404],
    ["b", "cancelled", 200],
  ] as const)("shows a deleted shift of variant %s as %s with %i", async (variant, deletedShows, status) => {
    const provider = await start({ variant, deletedShows });
    const { id } = provider.createShift();
    expect((await ask(provider, "DELETE", `/shifts/${id}`)).status).toBe(204);
    expect((await ask(provider, "GET", `/shifts/${id}`)).status).toBe(status);
    expect(kindsOf(provider)).toEqual(["delete"]);
  });

  it("refuses a full shift", async () => {
    const provider = await start();
    const { shiftId, assign } = await seat(provider);
    provider.assignOwn(shiftId);
    expect(await assign()).toMatchObject({ status: 409, body: { code: "shift_full" } });
  });

  it("omits the code from its problem documents when it uses none", async () => {
    const provider = await start({ codes: false });
    const { status, body } = await ask(provider, "GET", "/shifts/unknown");
    expect([status, body.code]).toEqual([404, undefined]);
  });

  it("reads the organisation from a header", async () => {
    const provider = await start({ routing: "header" });
    const headers = { Authorization: `Bearer ${provider.token()}` };
    const ok = await fetch(`${provider.url}/roles`, {
      headers: { ...headers, "X-Provider-Id": provider.providerId },
    });
    expect([ok.status, (await fetch(`${provider.url}/roles`, { headers })).status]).toEqual([200, 404]);
  });

  it("responds with 401 to the previous token after its exchange", async () => {
    const provider = await start();
    const before = provider.token();
    expect(provider.rotateToken()).not.toBe(before);
    const headers = { Authorization: `Bearer ${before}` };
    const response = await fetch(`${provider.url}/providers/${provider.providerId}/roles`, { headers });
    expect([response.status, (await ask(provider, "GET", "/roles")).status]).toEqual([401, 200]);
  });
});
