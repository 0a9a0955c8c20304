import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { createEmailChannel } from "../../../src/platform/notifications/email.ts";
import { type ReadEvent, readCalendar } from "../../harness/calendar.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type Mail, type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { ok } from "../../harness/operations.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "../../harness/started-organisation.ts";

const FROM = "shifts@platform.example";
const ADDRESS = "robin@example.com";
const TO = "MAILTO:robin@example.com";
const SHIFT = { startTime: "2027-10-30T22:00:00+02:00", endTime: "2027-10-31T06:00:00+01:00" };

describe.each(featureEngines)("the calendar file of a mail on %s", (engine) => {
  const database = useEngine(engine);
  let server: MailServer;
  let organisation: StartedOrganisation;
  const start = async (options: OrganisationOptions = {}) => {
    const channel = createEmailChannel({ url: server.url, from: FROM, timeoutMs: 5_000 });
    organisation = await startOrganisation(database(), { channel, ...options });
  };
  beforeEach(async () => {
    server = await startMailServer();
    await start();
  });
  afterEach(async () => {
    await organisation.close();
    await server.close();
  });

  interface Entry extends ReadEvent {
    method: string;
  }
  const entryOf = ({ calendar }: Mail): Entry | undefined => {
    if (!calendar) return undefined;
    const { method, events } = readCalendar(calendar.text);
    expect(calendar.type).toBe(`text/calendar; method=${method}`);
    const [event] = events;
    return event && { method, ...event };
  };
  const entries = () => server.mails.map(entryOf).filter((entry) => entry !== undefined);
  const booked = async (person: { firstName?: string } = {}) => {
    const { candidateId } = await organisation.addPerson({ firstName: "Robin", email: ADDRESS, ...person });
    const job = await organisation.open(SHIFT);
    await organisation.accept(job, { candidateId });
    await organisation.idle();
    return { job, candidateId };
  };

  it("comes with the confirmation, in UTC, and asks for no answer", async () => {
    const { job } = await booked();
    const [outlet] = organisation.provider.outlets;
    const [role] = organisation.provider.roles;
    expect(entries()).toEqual([
      {
        method: "REQUEST",
        uid: expect.stringMatching(/^[\da-f-]{36}$/),
        sequence: 0,
        status: "CONFIRMED",
        summary: `${role?.name}, ${outlet?.name}`,
        location: expect.stringContaining(outlet?.name ?? "-"),
        description: "Kvarteret",
        start: "2027-10-30T20:00:00Z",
        end: "2027-10-31T05:00:00Z",
        stamp: expect.stringMatching(/Z$/),
        organizer: `mailto:${FROM}`,
        attendee: TO,
        attendeeName: "Robin",
        attendeeStatus: "ACCEPTED",
        rsvp: "FALSE",
      },
    ]);
    const [offer, confirmation] = server.mails;
    expect(confirmation?.attachments).toEqual(["application/ics"]);
    expect(offer).not.toHaveProperty("calendar");
    for (const mail of server.mails)
      expect(mail.headers.references).toBe(`<shift.${job.jobId}@platform.example>`);
  });

  it("keeps its UID and raises its SEQUENCE with a change and a withdrawal; a booking after that is another one", async () => {
    const { job, candidateId } = await booked();
    organisation.provider.updateShift(job.shiftId, {
      endTime: new Date(Date.parse(job.endTime) + HOUR_MS).toISOString(),
    });
    await organisation.process("shift.update", job.shiftId);
    await organisation.withdraw(job, { candidateId });
    await organisation.idle();
    await organisation.accept(job, { candidateId });
    await organisation.idle();
    const [uid, , , next] = entries().map((entry) => entry.uid);
    expect(
      entries().map((entry) => [entry.method, entry.uid, entry.sequence, entry.status, entry.end]),
    ).toEqual([
      ["REQUEST", uid, 0, "CONFIRMED", "2027-10-31T05:00:00Z"],
      ["REQUEST", uid, 1, "CONFIRMED", "2027-10-31T06:00:00Z"],
      ["CANCEL", uid, 2, "CANCELLED", "2027-10-31T06:00:00Z"],
      ["REQUEST", next, 0, "CONFIRMED", "2027-10-31T06:00:00Z"],
    ]);
    expect(next).not.toBe(uid);
  });

  it("removes the entry of a shift that is cancelled", async () => {
    const { job } = await booked();
    organisation.provider.deleteShift(job.shiftId);
    await organisation.process("shift.delete", job.shiftId);
    expect(entries().map(({ method, sequence }) => [method, sequence])).toEqual([
      ["REQUEST", 0],
      ["CANCEL", 1],
    ]);
    expect(new Set(entries().map(({ uid }) => uid)).size).toBe(1);
    expect(server.mails.at(-1)?.headers.subject).toMatch(/is cancelled$/);
  });

  it("is in no mail about a booking that was never confirmed", async () => {
    organisation.provider.setFault("assign-conflict");
    await booked();
    const subjects = server.mails.map(({ headers }) => headers.subject);
    expect(subjects).toContainEqual(expect.stringMatching(/no longer booked/));
    expect(entries()).toEqual([]);
  });

  it("moves with a person whom the provider moves to another shift", async () => {
    const { job, candidateId } = await booked();
    await organisation.process("shift.update", job.shiftId);
    const to = await organisation.open({
      startTime: "2027-10-31T00:00:00+02:00",
      endTime: "2027-10-31T07:00:00+01:00",
    });
    const [person = ""] = organisation.provider.shift(job.shiftId)?.assigned.keys() ?? [];
    organisation.provider.assign(to.shiftId, person);
    organisation.provider.unassign(job.shiftId, person);
    await organisation.process("shift.update", to.shiftId);
    await organisation.process("shift.update", job.shiftId);
    await expect.poll(() => organisation.booking(to, { candidateId })).toMatchObject({ status: "confirmed" });
    await organisation.idle();
    expect(entries().map((entry) => [entry.method, entry.sequence, entry.start])).toEqual([
      ["REQUEST", 0, "2027-10-30T20:00:00Z"],
      ["REQUEST", 1, "2027-10-30T22:00:00Z"],
    ]);
    expect(new Set(entries().map(({ uid }) => uid)).size).toBe(1);
  });

  it("is in the newest mail alone when several waited, and in none that is sent again afterwards", async () => {
    const { job, candidateId } = await booked();
    server.fail("away");
    organisation.provider.updateShift(job.shiftId, { endTime: "2027-10-31T07:00:00+01:00" });
    await organisation.send("shift.update", job.shiftId);
    await expect.poll(() => organisation.notifications(job, "shift_changed")).toHaveLength(1);
    await organisation.withdraw(job, { candidateId });
    await expect.poll(() => organisation.notifications(job, "booking_released")).toHaveLength(1);
    await server.recover();
    await expect.poll(() => server.mails.length).toBe(4);
    expect(server.mails.map(entryOf).map((entry) => entry?.method)).toEqual([
      undefined,
      "REQUEST",
      undefined,
      "CANCEL",
    ]);
    const [confirmation] = await organisation.notifications(job, "booking_confirmed");
    const path = { notificationId: confirmation?.notificationId ?? "" };
    ok(await organisation.operations.resendNotification({ params: { path } }));
    await organisation.idle();
    expect(server.mails).toHaveLength(5);
    expect(server.mails.at(-1)).not.toHaveProperty("calendar");
  });

  it("is read back as it was written, whatever names it has", async () => {
    const names = ['"Ä"; b, c\\n:', "👩🏽 שלום", "A".repeat(100)];
    for (const firstName of names) {
      const { job } = await booked({ firstName });
      const entry = entries().at(-1);
      expect(entry).toMatchObject({
        method: "REQUEST",
        attendee: TO,
        attendeeName: firstName.replace("\\", " "),
      });
      for (const line of server.mails.at(-1)?.calendar?.text.split("\n") ?? [])
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(76);
      organisation.provider.deleteShift(job.shiftId);
      await organisation.process("shift.delete", job.shiftId);
    }
  });
});
