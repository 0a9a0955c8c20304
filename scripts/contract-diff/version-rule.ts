import type { ComparedDocument } from "./change.ts";
import { CannotCompare } from "./documents.ts";

/** Checks whether `info.version` declares the changes: additions are a new minor version, a breaking change is a new major one. */
export type VersionVerdict =
  | { kind: "fits" }
  /** The document may still be published. */
  | { kind: "addition-not-declared"; version: string }
  /** The document was removed, and its version with it. */
  | { kind: "gone"; breaking: number }
  | { kind: "undeclared"; version: string; breaking: number };

/** @throws CannotCompare for a version that is not `major.minor.patch` */
export function versionVerdict({ document, version, changes }: ComparedDocument): VersionVerdict {
  const breaking = changes.filter(({ kind }) => kind === "breaking").length;
  if (version.base === undefined || version.revision === undefined) {
    return breaking > 0 ? { kind: "gone", breaking } : { kind: "fits" };
  }
  const before = parseVersion(document, version.base);
  const now = parseVersion(document, version.revision);
  if (now.major > before.major) return { kind: "fits" };
  if (breaking > 0) return { kind: "undeclared", version: `${before.major + 1}.0.0`, breaking };
  const added = changes.some(({ kind }) => kind === "addition");
  const isDeclared = now.major === before.major && now.minor > before.minor;
  if (added && !isDeclared)
    return { kind: "addition-not-declared", version: `${before.major}.${before.minor + 1}.0` };
  return { kind: "fits" };
}

function parseVersion(document: string, version: string): { major: number; minor: number } {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+$/.exec(version) ?? [];
  if (major !== undefined && minor !== undefined) return { major: Number(major), minor: Number(minor) };
  throw new CannotCompare(`info.version of ${document} is "${version}": write it as major.minor.patch`);
}
