import type { RunSql } from "./engine.ts";

/** A migration that this version of the platform knows. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** The oldest schema whose processes keep working on this one, such as `013`; unset: none but its own. */
  worksWith: string | undefined;
}

/** The schema of a database, compared with the migrations of this process. */
export interface SchemaState {
  /** The number of the last migration that this process knows. */
  known: string;
  /** The number of the last migration that was applied; empty: none was. */
  version: string;
  missing: readonly Migration[];
  /** Of the migrations that this process does not know, the last one that excludes it. */
  incompatible: { name: string; worksWith: string | undefined } | undefined;
}

/** The schema of the database does not fit this process. One line. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

export const numberOf = (name: string): string => name.slice(0, 3);

interface Applied {
  name: string;
  checksum: string;
  works_with: string | null;
}

const READ = "select name, checksum, works_with from shiftpact.migrations";

const UNRELEASED = "until the first release, the schema itself is edited and no older one is migrated";

/**
 * Reads the state of the schema; needs no right but to read.
 * @throws SchemaError when the database is of another commit before the first release
 * @throws Error when an applied migration was changed
 */
export async function readSchemaState(run: RunSql, migrations: readonly Migration[]): Promise<SchemaState> {
  const { rows: found } = await run("select to_regclass('shiftpact.migrations') is not null as is_there");
  const applied: Applied[] = found[0]?.is_there ? (await run(READ)).rows : [];
  if (isOfAnotherCommit(applied, migrations))
    throw new SchemaError(
      `the schema of the database is that of another commit: ${UNRELEASED}; ` +
        "start on an empty database or data folder, or with the commit that made this one",
    );
  const byName = new Map(applied.map((row) => [row.name, row]));
  const known = numberOf(migrations.at(-1)?.name ?? "000");
  const excluding = applied
    .filter(({ name, works_with }) => numberOf(name) > known && (works_with ?? numberOf(name)) > known)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .at(-1);
  return {
    known,
    version: numberOf(
      applied
        .map(({ name }) => name)
        .sort()
        .at(-1) ?? "",
    ),
    missing: migrations.filter((migration) => !isApplied(migration, byName.get(migration.name)?.checksum)),
    incompatible: excluding && { name: excluding.name, worksWith: excluding.works_with ?? undefined },
  };
}

/** Whether what was applied does not begin with the schema that these migrations begin with. */
function isOfAnotherCommit(
  applied: readonly Pick<Applied, "name" | "checksum">[],
  [schema]: readonly Migration[],
): boolean {
  const { checksum } = applied.find(({ name }) => name === schema?.name) ?? {};
  return applied.length > 0 && checksum !== schema?.checksum;
}

function isApplied(migration: Migration, checksum: string | undefined): boolean {
  if (checksum !== undefined && checksum !== migration.checksum) {
    throw new Error(
      `migration ${migration.name} was changed after it was applied to this database: ` +
        "restore the file and put the change into a new migration",
    );
  }
  return checksum !== undefined;
}

/** @throws SchemaError when the schema was changed in a way that this process cannot work with. */
export function refuseIncompatible({ incompatible, known }: SchemaState): void {
  if (!incompatible) return;
  const { name, worksWith = numberOf(name) } = incompatible;
  throw new SchemaError(
    `the schema of the database is newer than this version: migration ${name} works with versions from schema ${worksWith} on, ` +
      `this one knows ${known}; start a newer version`,
  );
}

/** @throws SchemaError when migrations are missing. */
export function refuseMissing({ missing, version }: SchemaState): void {
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new SchemaError(
    `the schema of the database is ${version ? `at ${version}` : "missing"} and AUTO_MIGRATE is 0: ` +
      `run \`shiftpact migrate\`, which applies ${names}`,
  );
}
