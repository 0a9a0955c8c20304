/**
 * A scheduling system as a provider, on the generated stub: it keeps everything in memory, speaks variant B, and routes by path.
 *
 *   PROVIDER_TOKEN=... PROVIDER_ID=<uuid> PORT=8080 node provider.ts
 *
 * With PLATFORM_URL and PLATFORM_TOKEN it reports its first shift to the platform.
 */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import express from "express";
import { createWebhookClient, parsePersonalNumber, problem, readTimestamp } from "shiftpact";
import type { CompleteCandidate as Candidate, CompleteShiftVariantB as Shift } from "shiftpact/provider";
import { createRouter, type Handlers, problemHandler } from "shiftpact/provider/server";

const { PORT = "8080", PROVIDER_TOKEN = "", PROVIDER_ID = randomUUID() } = process.env;
const { PLATFORM_URL, PLATFORM_TOKEN = "" } = process.env;
if (PROVIDER_TOKEN === "") throw new Error("PROVIDER_TOKEN is not set: the platform calls with it");

const outlets = [{ id: randomUUID(), name: "Restaurang Stureplan", address: "Stureplan 2, Stockholm" }];
const roles = [{ id: randomUUID(), name: "Waiter" }];
const people = new Map<string, Candidate>();
const shifts = new Map<string, Shift>();

function addShift(startTime: string, endTime: string, numberOfPositions: number): string {
  const now = new Date().toISOString();
  const place = { outletId: outlets[0]?.id ?? "", roleId: roles[0]?.id ?? "" };
  const details = { breakMinutes: 30, description: "", createdAt: now, updatedAt: now };
  const seats = { numberOfPositions, assignedCandidates: [], status: "open" as const };
  const id = randomUUID();
  shifts.set(id, { id, startTime, endTime, ...place, ...details, ...seats });
  return id;
}

function knownShift(shiftId: string): Shift {
  const shift = shifts.get(shiftId);
  if (!shift) throw problem("shift_not_found");
  return shift;
}

function change(shift: Shift, values: Partial<Shift> = {}): Shift {
  Object.assign(shift, { ...values, updatedAt: new Date().toISOString() });
  shift.status = shift.assignedCandidates.length < shift.numberOfPositions ? "open" : "filled";
  return shift;
}

interface Seat {
  shiftId: string;
  candidateId: string;
}

/** Once more changes nothing: the platform may ask twice. */
function assign({ shiftId, candidateId: id }: Seat): void {
  const shift = knownShift(shiftId);
  const { assignedCandidates, numberOfPositions } = shift;
  const personalNumber = people.get(id)?.personalNumber;
  if (!personalNumber) throw problem("candidate_not_found");
  if (assignedCandidates.some((each) => each.id === id)) return;
  if (assignedCandidates.length >= numberOfPositions) throw problem("shift_full");
  assignedCandidates.push({ id, personalNumber });
  change(shift);
}

function unassign({ shiftId, candidateId }: Seat): void {
  const shift = knownShift(shiftId);
  if (!people.has(candidateId)) throw problem("candidate_not_found");
  const seat = shift.assignedCandidates.findIndex(({ id }) => id === candidateId);
  if (seat >= 0) shift.assignedCandidates.splice(seat, 1);
  change(shift);
}

const instant = (time: string) => readTimestamp(time, "Europe/Stockholm")?.instant ?? "";

/** The router has authenticated, read and validated each call, and checks what these answer against the document. */
const handlers: Handlers<undefined> = {
  getShift: ({ path }) => ({ status: 200, body: knownShift(path.shiftId) }),
  updateShift: ({ path, body: { startTime, endTime, slots: numberOfPositions } }) => {
    const shift = knownShift(path.shiftId);
    if (!(instant(startTime) < instant(endTime))) throw problem("unprocessable");
    return { status: 200, body: change(shift, { startTime, endTime, numberOfPositions }) };
  },
  cancelShift: ({ path }) => {
    shifts.delete(knownShift(path.shiftId).id);
    return { status: 204 };
  },
  assignCandidate: ({ path }) => {
    assign(path);
    return { status: 200, body: { success: true } };
  },
  unassignCandidate: ({ path }) => {
    unassign(path);
    return { status: 200, body: { success: true } };
  },
  deleteAssignment: ({ path }) => {
    unassign(path);
    return { status: 204 };
  },
  findCandidates: ({ query: { personalNumber, name = "" } }) => {
    const number = parsePersonalNumber(personalNumber ?? "");
    const isNamed = (person: Candidate) =>
      `${person.firstName} ${person.lastName}`.toLowerCase().includes(name.toLowerCase());
    const isMeant = (person: Candidate) => !personalNumber || person.personalNumber === number;
    return { status: 200, body: [...people.values()].filter((each) => isNamed(each) && isMeant(each)) };
  },
  createCandidate: ({ body: { firstName, lastName, email, phone, personalNumber: given } }) => {
    const personalNumber = parsePersonalNumber(given);
    if (!personalNumber) throw problem("unprocessable", { detail: "personalNumber is not one." });
    const isKnown = [...people.values()].some((each) => each.personalNumber === personalNumber);
    if (isKnown) throw problem("candidate_exists");
    const person = { id: randomUUID(), firstName, lastName, email, phone, personalNumber };
    people.set(person.id, person);
    return { status: 201, body: person };
  },
  // Only a company that brings its workforce along offers its registry (contract section 4.2).
  getCandidateRegistry: () => {
    throw problem("not_found");
  },
  listOutlets: () => ({ status: 200, body: outlets }),
  listRoles: () => ({ status: 200, body: roles }),
};

const digest = (text: string) => createHash("sha256").update(text).digest();

function authenticate({ headers, params }: express.Request): undefined {
  const isOurs = timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${PROVIDER_TOKEN}`));
  if (!isOurs) throw problem("unauthorized", {}, { "WWW-Authenticate": "Bearer" });
  if (params.providerId !== PROVIDER_ID) throw problem("provider_not_found");
}

const shiftId = addShift("2036-05-01T16:00:00+02:00", "2036-05-01T23:00:00+02:00", 2);
const cancellableShiftId = addShift("2036-05-02T16:00:00+02:00", "2036-05-02T23:00:00+02:00", 1);
const app = express();
app.use("/providers/:providerId", createRouter({ handlers, authenticate }), problemHandler());
const server = app.listen(Number(PORT), "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  console.error(`listens on http://127.0.0.1:${port} for organisation ${PROVIDER_ID}`);
  // What `shiftpact verify` takes as fixtures.
  console.log(JSON.stringify({ shiftId, cancellableShiftId }));
  if (!PLATFORM_URL) return;
  const webhooks = createWebhookClient({ platformUrl: PLATFORM_URL, token: PLATFORM_TOKEN });
  const event = { event: "shift.create", providerId: PROVIDER_ID, content: { shiftId } } as const;
  console.error(await webhooks.send({ ...event, traceId: randomUUID() }));
});
