import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chosenPostgres } from "./chosen-postgres.ts";

const run = promisify(execFile);
const BIN = join(chosenPostgres(), "bin");

/** The packaged PostgreSQL has no pg_dump, and one of an older version refuses its server. */
export const hasPgDump = existsSync(join(BIN, "pg_dump"));

/** As the guide for operators has it. */
export const pgDump = (url: string, file: string) =>
  run(join(BIN, "pg_dump"), ["--format=custom", `--file=${file}`, url]);

export const pgRestore = (file: string, url: string) =>
  run(join(BIN, "pg_restore"), ["--exit-on-error", "--no-owner", `--dbname=${url}`, file]);
