import { readFileSync } from "node:fs";

/** Settings that hold a secret: each may be given as a file, `NAME_FILE`. */
export const SECRETS = [
  "DATABASE_URL",
  "OPERATIONS_TOKEN",
  "SECRET_KEY",
  "SECRET_KEYS",
  "SMTP_URL",
  "DIRECT_DATABASE_URL",
] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment with the contents of the files, without their last line break, and one line for each that cannot be used. */
export function withSecretFiles(env: Env): { env: Record<string, string | undefined>; faults: string[] } {
  const read: Record<string, string | undefined> = { ...env };
  const faults: string[] = [];
  for (const name of SECRETS) {
    const setting = `${name}_FILE`;
    const path = env[setting];
    if (!path) continue;
    if (env[name]) {
      faults.push(`${name} and ${setting} are both set: keep one of them`);
      continue;
    }
    try {
      read[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (read[name] === "") faults.push(`${setting} names an empty file: ${path}`);
    } catch (error) {
      faults.push(`${setting} cannot be read: ${(error as NodeJS.ErrnoException).code} at ${path}`);
    }
  }
  return { env: read, faults };
}
