import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Database, type Engine, openDatabase } from "../../../src/platform/db/database.ts";
import { migrate } from "../../../src/platform/db/migrate.ts";
import { openPglite } from "../../../src/platform/db/pglite.ts";
import { openPostgres } from "../../../src/platform/db/postgres.ts";
import { copyDatabase, engines, silent } from "../../engines.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [PROVIDER, JOB] = [id(1), id(2)];
const [NAMED, UNNAMED, DELIVERED] = [id(11), id(12), id(13)];

/** Candidate, and what became of the mail. */
const NOTIFICATIONS: readonly (readonly [candidate: string, notification: string, outcome: string])[] = [
  [NAMED, id(21), "null, 'gave_up'"],
  [NAMED, id(22), "null, 'gave_up'"],
  [UNNAMED, id(23), "null, 'gave_up'"],
  [UNNAMED, id(24), "null, 'address_unusable'"],
  [UNNAMED, id(25), "now(), null"],
  [UNNAMED, id(26), "null, 'mail_server_unreachable'"],
  [DELIVERED, id(27), "now(), null"],
];

const recipient = (candidateId: string) => `{"kind": "mail_recipient", "candidateId": "${candidateId}"}`;

/** Subject, params, and when it was closed, as the version before stored them. */
const ISSUES: readonly (readonly [subject: string, params: string, resolvedAt: string])[] = [
  [recipient(NAMED), `{"notificationId": "${id(21)}", "status": 550}`, "null"],
  [recipient(UNNAMED), "{}", "null"],
  [recipient(DELIVERED), "{}", "null"],
  [recipient(DELIVERED), "{}", "'2026-01-01Z'"],
  ['{"kind": "mail_server"}', "{}", "null"],
];

const CONVERTED = [
  { subject: { kind: "notification", candidateId: NAMED, notificationId: id(21) }, isOpen: true },
  { subject: { kind: "notification", candidateId: UNNAMED, notificationId: id(24) }, isOpen: true },
  { subject: { kind: "notification", candidateId: DELIVERED }, isOpen: false },
  { subject: { kind: "notification", candidateId: DELIVERED }, isOpen: false },
  { subject: { kind: "mail_server" }, isOpen: true },
];

async function fill({ raw }: Pick<Database, "raw">): Promise<void> {
  const statements = [
    `insert into integrations (provider_id, kind, name, base_url, provider_token, state)
      values ('${PROVIDER}', 'probe', 'Probe', 'https://p.example', 't', 'active')`,
    `insert into jobs (job_id, provider_id, shift_id, status, variant, start_time, end_time, positions, outlet_id, role_id, trace_id)
      values ('${JOB}', '${PROVIDER}', 's', 'open', 'a', now() + interval '1 day', now() + interval '2 days', 2, 'o', 'r', 't')`,
    ...[NAMED, UNNAMED, DELIVERED].map(
      (
        candidate,
        n,
      ) => `insert into candidates (candidate_id, personal_number, first_name, last_name, email, phone)
        values ('${candidate}', 'n${n}', 'F', 'L', 'e@example.com', '')`,
    ),
    ...NOTIFICATIONS.map(
      (
        [candidate, notification, outcome],
        n,
      ) => `insert into notifications (provider_id, notification_id, candidate_id, job_id, kind,
        change_key, content, trace_id, channel, delivered_at, delivery_error)
        values ('${PROVIDER}', '${notification}', '${candidate}', '${JOB}', 'shift_changed', '${n}', '{}', 't', 'email', ${outcome})`,
    ),
    ...ISSUES.map(
      (
        [subject, params, resolvedAt],
        n,
      ) => `insert into issues (provider_id, issue_id, code, subject, params, resolved_at)
        values ('${PROVIDER}', '${id(31 + n)}', 'notification_failed', '${subject}', '${params}', ${resolvedAt})`,
    ),
  ];
  for (const statement of statements) await raw.executeSql(`set search_path to shiftpact; ${statement}`);
}

/** A database of the version before, closed. */
async function makeBefore(engine: Engine) {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-before-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "012");
  for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(folder, name));
  const dataDir = join(folder, "data");
  const postgres = engine === "postgres" ? await copyDatabase({ empty: true }) : undefined;
  if (postgres) onTestFinished(postgres.remove);
  const database = postgres ? openPostgres(postgres.where.url, silent) : await openPglite(dataDir, silent);
  await migrate(database.raw, pathToFileURL(`${folder}/`));
  await fill(database);
  await database.close();
  return postgres?.where ?? { dataDir };
}

describe.each(engines)("the upgrade to issues about one notification on %s", (engine) => {
  it("names the notification of each refused mail, and closes the issue where none is undelivered", async () => {
    const where = await makeBefore(engine);
    const database = await openDatabase({ ...where, log: silent });
    try {
      const rows = await database.kysely.selectFrom("issues").selectAll().orderBy("issue_id").execute();
      expect(rows.map(({ subject, resolved_at }) => ({ subject, isOpen: resolved_at === null }))).toEqual(
        CONVERTED,
      );
      const notifications = await database.kysely.selectFrom("notifications").select("resends").execute();
      expect(notifications).toEqual(NOTIFICATIONS.map(() => ({ resends: 0 })));
    } finally {
      await database.close();
    }
  });
});
