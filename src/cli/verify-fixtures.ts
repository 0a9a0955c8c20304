import { readFileSync } from "node:fs";
import { parsePersonalNumber } from "../contract/personal-number.ts";
import type { Fixtures } from "../verify/options.ts";
import { codeOf } from "./io.ts";
import { UsageError } from "./usage.ts";

/** Each member of the file, and its meaning. */
export const FIXTURE_MEMBERS = {
  shiftId: "a shift in the future, which may be read, changed and assigned to",
  cancellableShiftId: "another shift, which may be cancelled permanently; or a list of them",
  knownPersonalNumber: "the personal number of a candidate of yours, in either form",
  knownCandidateId: "the same candidate's id",
} as const satisfies Record<keyof Fixtures, string>;

const NAMES = Object.keys(FIXTURE_MEMBERS) as (keyof Fixtures)[];
const EXAMPLE = '{"shiftId": "..."}';

/**
 * Reads the file of `--fixtures`.
 * @throws UsageError that describes the mistake; never a value, which may be personal data
 */
export function readFixtures(file: string): Fixtures {
  const members = membersOf(file);
  for (const [name, value] of members) {
    if (!NAMES.some((each) => each === name)) {
      throw new UsageError(
        `--fixtures ${file}: there is no member ${JSON.stringify(name)}; there are ${NAMES.join(", ")}`,
      );
    }
    const values = name === "cancellableShiftId" ? [value].flat() : [value];
    if (values.some((each) => typeof each !== "string" || each.trim() === "")) {
      throw new UsageError(`--fixtures ${file}: ${name} must be a text that is not empty`);
    }
  }
  return Object.fromEntries(members);
}

function membersOf(file: string): [string, unknown][] {
  const text = textOf(file);
  const value = jsonOf(text, file);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`--fixtures ${file}: must hold one JSON object like ${EXAMPLE}`);
  }
  return Object.entries(value);
}

/** Fewer would be in use after a few runs. */
const FEWEST = 40;

/**
 * Reads the file of `--numbers`.
 * @throws UsageError that names the line; never a value, which may be personal data
 */
export function readNumbers(file: string): string[] {
  const lines = textOf(file, "--numbers", "a text file with a personal number a line").trim().split(/\s+/);
  const numbers = lines.map((line, index) => {
    const number = parsePersonalNumber(line);
    if (number === undefined)
      throw new UsageError(`--numbers ${file}: entry ${index + 1} is no valid personal number`);
    return number;
  });
  if (new Set(numbers).size >= FEWEST) return [...new Set(numbers)];
  throw new UsageError(`--numbers ${file}: has fewer than ${FEWEST} different numbers`);
}

function textOf(file: string, flag = "--fixtures", wanted = `a JSON file like ${EXAMPLE}`): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageError(`${flag} ${file}: cannot be read (${codeOf(error)}); give ${wanted}`);
  }
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--fixtures ${file}: is not JSON; it must hold one object like ${EXAMPLE}`);
  }
}
