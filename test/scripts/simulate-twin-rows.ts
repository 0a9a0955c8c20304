import { COMPETENCE_OF_ROLE, type Store } from "../../scripts/simulate/store.ts";
import { wholeMinute } from "../../src/contract/timestamp.ts";
import { underColumns } from "../../src/platform/db/names.ts";
import { toStored } from "../../src/platform/shifts/stored.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

export type Row = Record<string, unknown>;
export type Tables = Record<string, Row[]>;

/** The keys of the tables that the simulator has, in the order of their references. */
export const KEYS = {
  integrations: ["provider_id"],
  conditions: ["provider_id", "code", "key"],
  workplaces: ["workplace_id"],
  competences: ["competence_id"],
  outlets: ["provider_id", "outlet_id"],
  roles: ["provider_id", "role_id"],
  candidates: ["candidate_id"],
  candidate_competences: ["candidate_id", "competence_id"],
  provider_candidates: ["provider_id", "candidate_id"],
  jobs: ["provider_id", "job_id"],
  shifts: ["provider_id", "shift_id"],
  bookings: ["provider_id", "booking_id"],
  own_people: ["provider_id", "job_id", "candidate_id"],
  pending_operations: ["provider_id", "operation_id"],
  shift_changes: ["provider_id", "change_id"],
  events: ["provider_id", "shift_id", "event", "trace_id"],
  issues: ["provider_id", "issue_id"],
  notifications: ["provider_id", "notification_id"],
  work: ["provider_id", "kind", "key"],
};

// The simulator's ids are short; those of the database are UUIDs in the same order.
const KINDS = ["provider", "job", "b", "op", "change", "e", "c", "k", "w-o", "key", "i", "n", "claim"];
const ID = new RegExp(`"(${KINDS.join("|")})(\\d+)"`, "g");
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-([0-9a-f]{2})([0-9a-f]{10})/g;
const ANY_UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"/g;
const NUMBER = /"personalNumber":"c(\d+)"/g;
/** A time of which the simulator knows only that there is one. */
const SOME = "1970-01-01T00:00:00.000Z";
export const PROVIDER = "provider0";

const numberOf = (nth: number | string) => published.personnummer[Number(nth)] ?? "";

export function toSql<Value>(value: Value): Value {
  const text = JSON.stringify(value)
    .replace(NUMBER, (_, nth: string) => `"personalNumber":"${numberOf(nth)}"`)
    .replace(ID, (_, kind: string, nth: string) => {
      const digits = (number: number, length: number) => number.toString(16).padStart(length, "0");
      return `"00000000-0000-7000-8000-${digits(KINDS.indexOf(kind), 2)}${digits(Number(nth), 10)}"`;
    });
  return JSON.parse(text);
}

/** What is new in a step has no id. */
export function comparable<Value>(value: Value, lastId: number): Value {
  const text = JSON.stringify(value)
    .replace(
      UUID,
      (_, kind: string, nth: string) => KINDS[Number.parseInt(kind, 16)] + String(Number.parseInt(nth, 16)),
    )
    .replace(ANY_UUID, "new")
    .replace(/"(job|b|op|change|trace|notice)(\d+)"/g, (_, kind: string, nth: string) =>
      kind === "notice" || Number(nth) > lastId ? '"new"' : `"${kind}${Number(nth)}"`,
    )
    .replace(ID, (_, kind: string, nth: string) => `"${kind}${Number(nth)}"`)
    .replace(TIME, (time) => `"${new Date(JSON.parse(time)).toISOString()}"`);
  return JSON.parse(text);
}

/** A row of the provider under the names of its columns. */
function row(values: object): Row {
  const entries = Object.entries({ providerId: PROVIDER, ...values }).map(([name, value]) => {
    const isTime = typeof value === "number" && /(?:Time|At|[sS]ince|Before|Until)$/.test(name);
    return [name, isTime ? new Date(value).toISOString() : value];
  });
  return underColumns(Object.fromEntries(entries));
}

/** The rows of the tables that the memory stands for. */
export function tablesOf(store: Store): Tables {
  const { pausedSince, heldSince, implausibleSince, routes, ...integration } = store.integration;
  const known = Object.entries(routes);
  const conditions: [code: string, key: string, since: unknown][] = [
    ["token_rejected", "", pausedSince],
    ["mass_disappearance", "", heldSince],
    ["implausible", "", implausibleSince],
    ...known.map(([key, { since }]): [string, string, unknown] => ["route_missing", key, since ?? null]),
  ];
  const routeRecoveries = Object.fromEntries(
    known.flatMap(([key, { recoveries }]) => (recoveries > 0 ? [[key, recoveries]] : [])),
  );
  const place = {
    kind: "simulated",
    name: "simulated",
    baseUrl: "https://provider.example",
    providerToken: "-",
  };
  const jobId = (shiftId: string) => store.jobs.get(shiftId)?.jobId;
  const some = (isThere: boolean) => (isThere ? SOME : null);
  const able = [...store.competences];
  return {
    integrations: [row({ ...place, ...integration, routeRecoveries })],
    conditions: conditions
      .filter(([, , since]) => since !== null)
      .map(([code, key, since]) => row({ code, key, since })),
    workplaces: [...store.outlets.keys()].map((id) => ({ workplace_id: `w-${id}`, name: id })),
    competences: Object.values(COMPETENCE_OF_ROLE).map((id) => ({ competence_id: id, name: id })),
    outlets: [...store.outlets].map(([outletId, workplaceId]) =>
      row({ outletId, name: outletId, workplaceId }),
    ),
    roles: Object.entries(COMPETENCE_OF_ROLE).map(([roleId, competenceId]) =>
      row({ roleId, name: roleId, competenceId }),
    ),
    candidates: able.map(([candidate_id], nth) => ({
      candidate_id,
      personal_number_hash: numberOf(nth),
      ...{ first_name: "-", last_name: "-", email: "-", phone: "-" },
    })),
    candidate_competences: able.flatMap(([candidate_id, ids]) =>
      [...ids].map((competence_id) => ({ candidate_id, competence_id })),
    ),
    provider_candidates: [...store.people].map(([candidateId, { id, knownAs, fault, ...person }]) =>
      row({ candidateId, providerCandidateId: id, knownAt: knownAs || null, trouble: fault, ...person }),
    ),
    jobs: [...store.jobs.values()].map(row),
    shifts: [...store.shifts.values()].map(({ shiftId, nextReadAt, belief, believedAt }) =>
      row({
        shiftId,
        nextReadAt,
        belief: toStored(belief, believedAt),
        believedAt,
        missingSince: belief.missingSince,
      }),
    ),
    bookings: store.bookings.map(({ shiftId, isWithdrawn, isMoved: _, ...booking }) =>
      row({ ...booking, jobId: jobId(shiftId), withdrawnAt: some(isWithdrawn) }),
    ),
    own_people: [...store.ownSince].map(([key, createdAt]) => {
      const [shiftId = "", candidateId] = key.split(" ");
      return row({ jobId: jobId(shiftId), candidateId, createdAt });
    }),
    pending_operations: store.operations.map((operation) => row({ ...operation, operation: "delete" })),
    shift_changes: store.changes.map(({ shiftId, ...change }) => row({ ...change, jobId: jobId(shiftId) })),
    events: store.events.map(({ isReplayed, ...event }) => row({ ...event, replayedAt: some(isReplayed) })),
    issues: store.issues.map(({ code, subject, isOpen }, nth) =>
      row({ issueId: `i${nth}`, code, subject: JSON.parse(subject), resolvedAt: some(!isOpen) }),
    ),
    notifications: store.notifications.map(
      ({ shiftId, startTime, endTime, reason, at: _, isWithdrawn, ...rest }, nth) => {
        const times = { startTime: minuteOf(startTime), endTime: minuteOf(endTime) };
        const content = { ...times, outletName: null, roleName: null, reason };
        const ids = { notificationId: `n${nth}`, jobId: jobId(shiftId), traceId: "-" };
        return row({ ...rest, ...ids, content, withdrawnAt: some(isWithdrawn) });
      },
    ),
    work: [...store.work.values()].map(({ claim, ...work }) =>
      row({ ...work, claim: claim && `claim${claim}` }),
    ),
  };
}

const minuteOf = (time: number) => new Date(wholeMinute(time)).toISOString();

/** Returns what differs in the first table in which rows do, as far as the memory has columns. */
export function rowsDiffer(left: Tables, expected: Tables): object | undefined {
  for (const table of Object.keys(KEYS)) {
    const columns = Object.keys(expected[table]?.[0] ?? {}).filter(
      (name) => !LEFT_OUT.includes(`${table}.${name}`),
    );
    const [stored, memory] = [textsOf(left[table] ?? [], columns), textsOf(expected[table] ?? [], columns)];
    const more = { sql: without(stored, memory), memory: without(memory, stored) };
    if (more.sql.length + more.memory.length > 0) return { table, columns, ...more };
  }
  return undefined;
}

const without = (some: readonly string[], others: readonly string[]) =>
  some.filter((each) => !others.includes(each));

/** Of these the simulator knows only whether they are set. */
const MARKS = ["withdrawn_at", "resolved_at", "replayed_at"];
/** The simulator has none of these, or counts otherwise. */
const LEFT_OUT = [
  "issues.issue_id",
  "notifications.notification_id",
  "notifications.trace_id",
  "work.revision",
];

/** The columns that the memory has, as text: rows have no order. */
function textsOf(rows: readonly Row[], columns: readonly string[]): string[] {
  const texts = rows.map((each) =>
    JSON.stringify(
      columns.map((name) => (MARKS.includes(name) ? each[name] && SOME : each[name])),
      sorted,
    ),
  );
  return texts.sort();
}

const sorted = (_: string, value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;
