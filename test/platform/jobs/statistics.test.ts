import { randomUUID } from "node:crypto";
import type { Insertable } from "kysely";
import { describe, expect, it } from "vitest";
import type {
  OrganisationFigures,
  StaffingFigures,
  Statistics,
} from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import type { Schema } from "../../../src/platform/db/schema.ts";
import { type Period, readStatistics } from "../../../src/platform/jobs/statistics.ts";
import { engines, featureEngines, useEngine } from "../../harness/engines.ts";
import { expectProblem, pointersOf } from "../../harness/http.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { useTenants } from "../../harness/tenants.ts";

/** A Wednesday. */
const START = new Date("2031-03-05T09:00:00Z");
const hoursBefore = (hours: number) => new Date(START.getTime() - hours * HOUR_MS);
const MARCH: Period = { from: "2031-03-01", until: "2031-03-31", providerId: undefined };
const NONE: StaffingFigures = { positions: 0, filled: 0, cancelled: 0, withdrawn: 0, late: 0 };

type JobColumns = Partial<Insertable<Schema["jobs"]>>;
type BookingColumns = Partial<Insertable<Schema["bookings"]>>;

interface Shift {
  job?: JobColumns;
  bookings?: readonly BookingColumns[];
  /** When booked people were notified of a change; two people of each. */
  changedAt?: readonly Date[];
}

const confirmed = (hoursAfterCreation = 1): BookingColumns => ({
  status: "confirmed",
  createdAt: new Date(hoursBefore(100).getTime() + hoursAfterCreation * HOUR_MS),
});
const ended = (reason: "withdrawn" | "shift_full", hours: number): BookingColumns => ({
  status: "released",
  reason,
  updatedAt: hoursBefore(hours),
});

const CASES: [string, Shift[], Partial<StaffingFigures>][] = [
  ["an open shift", [{}], { positions: 1 }],
  [
    "a booking that is confirmed, not one that is pending, failed or refused",
    [
      {
        job: { positions: 4 },
        bookings: [confirmed(), { status: "pending" }, { status: "failed" }, ended("shift_full", 1)],
      },
    ],
    { positions: 4, filled: 1, timeToFillMinutes: 60 },
  ],
  [
    "an overfilled shift as filled, no further",
    [{ job: { positions: 1 }, bookings: [confirmed(), confirmed()] }, {}],
    { positions: 2, filled: 1, timeToFillMinutes: 60 },
  ],
  [
    "the positions that the provider filled itself as none",
    [{ job: { positions: 3, ownPeopleCount: 2 } }, { job: { positions: 1, ownPeopleCount: 2 } }],
    { positions: 1 },
  ],
  [
    "the median of the times to fill, of all bookings",
    [
      { job: { positions: 3 }, bookings: [confirmed(1), confirmed(2), confirmed(50)] },
      { bookings: [confirmed(4)] },
    ],
    { positions: 4, filled: 4, timeToFillMinutes: 180 },
  ],
  [
    "a cancelled shift, with none of its positions",
    [{ job: { status: "cancelled", positions: 5, updatedAt: hoursBefore(24.5) } }],
    { cancelled: 1 },
  ],
  [
    "a cancellation less than 24 hours before the start as late",
    [{ job: { status: "cancelled", updatedAt: hoursBefore(23) } }],
    { cancelled: 1, late: 1 },
  ],
  [
    "withdrawals, and the late ones of them",
    [{ bookings: [ended("withdrawn", 24.5), ended("withdrawn", 23), ended("shift_full", 23)] }],
    { positions: 1, withdrawn: 2, late: 1 },
  ],
  [
    "a late change once, however many people were notified",
    [{ changedAt: [hoursBefore(24.5), hoursBefore(23), hoursBefore(1)] }],
    { positions: 1, late: 2 },
  ],
  [
    "a shift on the first and the last day",
    [
      { job: { startTime: new Date("2031-03-01T00:00:00+01:00") } },
      { job: { startTime: new Date("2031-03-31T23:59:00+02:00") } },
    ],
    { positions: 2 },
  ],
  [
    "no shift on the day before or after",
    [
      { job: { startTime: new Date("2031-02-28T23:59:00+01:00") } },
      { job: { startTime: new Date("2031-04-01T00:00:00+02:00") } },
    ],
    {},
  ],
];

describe.each(engines)("the statistics on %s", (engine) => {
  const database = useEngine(engine);

  const addOrganisation = async (timeZone = "Europe/Stockholm") => {
    const providerId = randomUUID();
    const rest = { kind: "k", name: "n", baseUrl: "https://provider.example", providerToken: "t" };
    await database()
      .kysely.insertInto("integrations")
      .values({ ...rest, providerId, timeZone })
      .execute();
    return providerId;
  };
  const addCandidate = async () => {
    const candidateId = randomUUID();
    const contact = { firstName: "Robin", lastName: "Ek", email: "robin@example.com", phone: "" };
    await database()
      .kysely.insertInto("candidates")
      .values({ ...contact, personalNumberSealed: "sealed", candidateId })
      .execute();
    return candidateId;
  };
  const add = async (providerId: string, { job, bookings = [], changedAt = [] }: Shift) => {
    const { kysely } = database();
    const ids = { providerId, jobId: randomUUID() };
    const startTime = job?.startTime ?? START;
    const endTime = new Date(new Date(startTime).getTime() + HOUR_MS);
    const rest = { variant: "a", positions: 1, outletId: "o", roleId: "r", traceId: "t" } as const;
    const times = { startTime, endTime, createdAt: hoursBefore(100) };
    await kysely
      .insertInto("jobs")
      .values({ status: "open", ...rest, ...times, shiftId: randomUUID(), ...ids, ...job })
      .execute();
    for (const booking of bookings) {
      const more = { bookingId: randomUUID(), candidateId: await addCandidate(), traceId: "t" };
      await kysely
        .insertInto("bookings")
        .values({ status: "confirmed", ...ids, ...more, ...booking })
        .execute();
    }
    for (const [nth, createdAt] of changedAt.flatMap((at) => [at, at]).entries()) {
      const of = {
        kind: "shift_changed",
        changeKey: `change ${nth >> 1}`,
        content: "{}",
        traceId: "t",
      } as const;
      const more = { notificationId: randomUUID(), candidateId: await addCandidate() };
      await kysely
        .insertInto("notifications")
        .values({ ...ids, ...of, ...more, createdAt })
        .execute();
    }
  };
  const read = (period: Partial<Period> = {}) => readStatistics(database(), { ...MARCH, ...period });

  it.each(CASES)("count %s", async (_what, shifts, figures) => {
    const provider = await addOrganisation();
    for (const shift of shifts) await add(provider, shift);
    expect((await read()).total).toEqual({ ...NONE, ...figures });
  });

  it("have every week of the period, by the organisation's days, from Monday on", async () => {
    // Sunday in Stockholm, and Monday in Auckland.
    const job = { startTime: new Date("2031-03-09T22:30:00Z") };
    await add(await addOrganisation(), { job });
    await add(await addOrganisation("Pacific/Auckland"), { job });
    const { weeks } = await read({ from: "2031-03-05", until: "2031-03-17" });
    expect(weeks).toEqual([
      { ...NONE, week: "2031-03-03", positions: 1 },
      { ...NONE, week: "2031-03-10", positions: 1 },
      { ...NONE, week: "2031-03-17" },
    ]);
  });

  it("have the organisation with the most unfilled positions first, or one alone", async () => {
    const [filled, unfilled, other] = [
      await addOrganisation(),
      await addOrganisation(),
      await addOrganisation(),
    ];
    await add(filled, { job: { positions: 2 }, bookings: [confirmed(), confirmed(3)] });
    await add(unfilled, { job: { positions: 2 } });
    const first: OrganisationFigures = { ...NONE, providerId: unfilled, positions: 2 };
    const second = { ...NONE, providerId: filled, positions: 2, filled: 2, timeToFillMinutes: 120 };
    expect((await read()).organisations).toEqual([first, second]);
    expect((await read({ providerId: filled })).organisations).toEqual([second]);
    expect(await read({ providerId: other })).toMatchObject({ total: NONE, organisations: [] });
  });
});

const NOW = new Date("2031-03-05T08:00:00Z");

describe.each(featureEngines)("GET /statistics on %s", (engine) => {
  const harness = useHarness(engine, { now: () => NOW });

  it("counts what was booked, withdrawn and cancelled through the platform", async () => {
    const organisation = await harness().onboard();
    const [one, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const day = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS).toISOString();
    const open = (startHours: number, slots: number) =>
      organisation.open({ startTime: day(startHours), endTime: day(startHours + 8), positions: slots });
    const job = await open(10, 3);
    await organisation.accept(job, one);
    await organisation.accept(job, other);
    await organisation.idle();
    await organisation.withdraw(job, other);
    await organisation.idle();
    await organisation.cancel(await open(48, 1));
    await organisation.idle();
    const query = { until: "2031-03-10", providerId: organisation.providerId };
    const { from, until, total, weeks } = ok(await harness().operations.getStatistics({ params: { query } }));
    const figures = { positions: 3, filled: 1, timeToFillMinutes: 0, cancelled: 1, withdrawn: 1, late: 1 };
    expect(total).toEqual(figures);
    expect([from, until, weeks.length]).toEqual(["2030-12-17", "2031-03-10", 13]);
    expect(weeks.at(-2)).toEqual({ ...figures, week: "2031-03-03" });
  });
});

describe("GET /statistics", () => {
  const harness = useTenants("postgres", { now: () => NOW });

  it.each([
    ["", "2030-12-12", "2031-03-05", 13],
    ["?from=2031-03-05", "2031-03-05", "2031-03-05", 1],
    ["?until=2031-03-02", "2030-12-09", "2031-03-02", 12],
    ["?from=2021-03-01&until=2031-03-01", "2021-03-01", "2031-03-01", 522],
  ])("has the period of %s", async (query, from, until, weeks) => {
    const { status, body } = await harness().operate("GET", `/statistics${query}`);
    expect(status).toBe(200);
    const statistics = body as Statistics;
    expect(statistics).toMatchObject({ from, until, total: NONE, organisations: [] });
    expect(statistics.weeks).toHaveLength(weeks);
  });

  it.each([
    ["from=2031-03-06", "from"],
    ["from=2021-02-01&until=2031-03-01", "from"],
    ["from=2031-02-30", "from"],
    ["until=today", "until"],
    ["providerId=none", "providerId"],
  ])("refuses %s", async (query, pointer) => {
    const answer = await harness().operate("GET", `/statistics?${query}`);
    expect(pointersOf(expectProblem(answer, "validation_failed"))).toEqual([`#/query/${pointer}`]);
  });

  it("needs an operator's token", async () => {
    expect((await harness().send("/operations/v1/statistics")).status).toBe(401);
  });
});
