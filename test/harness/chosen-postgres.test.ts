import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chosenPostgres, newestIn, packagedPostgres } from "./embedded-postgres.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-chosen-postgres-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function install(version: string, program: string): string {
  const native = join(folder, version);
  mkdirSync(join(native, "bin"), { recursive: true });
  writeFileSync(join(native, "bin", program), "");
  return native;
}

describe("the PostgreSQL of a test run", () => {
  it("is the packaged one unless POSTGRES names another", () => {
    expect(chosenPostgres("packaged")).toBe(packagedPostgres());
  });

  it("is in the folder that POSTGRES names", () => {
    const native = install("16", "postgres");
    expect(chosenPostgres(native)).toBe(native);
  });

  it("is the newest of the distribution, not one whose client alone is installed", () => {
    install("9", "postgres");
    const newest = install("15", "postgres");
    install("17", "psql");
    expect(newestIn(folder)).toBe(newest);
  });

  it("is refused when it is missing, instead of replaced by another", () => {
    install("17", "psql");
    expect(newestIn(folder)).toBeUndefined();
    expect(newestIn(join(folder, "missing"))).toBeUndefined();
    expect(() => chosenPostgres(folder)).toThrow(
      `POSTGRES=${folder}: there is no ${folder}/bin/postgres: install Debian's postgresql, or unset POSTGRES`,
    );
  });
});
