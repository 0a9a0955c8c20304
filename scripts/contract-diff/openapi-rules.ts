import type { Change } from "./change.ts";
import type { Difference } from "./redocly.ts";

/** Replaces redocly's rating: the broken parties, or the kind of change if there are none. */
export interface Verdict {
  client?: boolean;
  server?: boolean;
  kind?: Exclude<Change["kind"], "breaking">;
}

/** Corrects changes that redocly assigns to the wrong side, or counts as wording. The client calls, the server responds. */
export function verdictOn(
  difference: Difference,
  all: readonly Difference[],
  completeForms: readonly string[],
): Verdict | undefined {
  return (
    openUnion(difference, all) ??
    lostAnswer(difference, all) ??
    forbidden(difference, all) ??
    advice(difference, completeForms) ??
    notice(difference)
  );
}

/** A union with a branch for unknown names: a new name used to match that branch. */
function openUnion(difference: Difference, all: readonly Difference[]): Verdict | undefined {
  const { path, kind, property } = difference;
  const [, union] = /^(.*\/oneOf)\/\d+(?:\/.*\/not)?$/.exec(path) ?? [];
  if (union === undefined) return undefined;
  const branches = all.filter((each) => each.kind === "added" && parentOf(each.path) === union);
  const named = new Set(branches.flatMap(({ revision }) => constantsIn(revision?.value)));
  const left = all.filter((each) => each.path.startsWith(`${union}/`) && isNameList(each));
  const gained = left.flatMap(gainedBy);
  if (gained.length === 0 || gained.some((name) => !named.has(name))) return undefined;
  if (isNameList(difference)) return { kind: "wording" };
  const isNamed =
    kind === "added" && constantsIn(difference.revision?.value).some((name) => gained.includes(name));
  return isNamed && property === undefined ? { kind: "addition" } : undefined;
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

const isNameList = ({ path, property }: Difference) => path.endsWith("/not") && property === "enum";

/** Returns undefined when a name was removed as well. */
function gainedBy({ base, revision }: Difference): unknown[] {
  const [before, after] = [[base?.value ?? []].flat(), [revision?.value ?? []].flat()];
  return before.every((name) => after.includes(name)) ? after.filter((name) => !before.includes(name)) : [];
}

function constantsIn(schema: unknown): unknown[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { const?: unknown }> };
  return Object.values(properties).flatMap((each) => each?.const ?? []);
}

/** A server that still sends it is no longer understood; a client misses it only where something replaces it. */
function lostAnswer({ typeName, kind, path }: Difference, all: readonly Difference[]): Verdict | undefined {
  const status = /\/responses\/(\d\d\d)$/.exec(path)?.[1];
  if (typeName !== "Response" || kind !== "removed" || status === undefined) return undefined;
  const parent = parentOf(path);
  const isReplaced = all.some(
    (each) => each.kind === "added" && parentOf(each.path) === parent && /\/2\d\d$/.test(each.path),
  );
  return { server: true, client: status.startsWith("2") && isReplaced, kind: "notice" };
}

/** A property that became `false`: redocly reads it as removed. */
function forbidden({ typeName, kind, path, property, revision }: Difference, all: readonly Difference[]) {
  const isForbidding = typeName === "SchemaProperties" && kind === "modified" && revision?.value === false;
  if (isForbidding) return { [isSent(path) ? "client" : "server"]: true, kind: "notice" } satisfies Verdict;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isReported = all.some(
    (each) =>
      each.typeName === "SchemaProperties" &&
      each.property === name &&
      each.revision?.value === false &&
      each.path === parentOf(path),
  );
  // A repetition of the same change.
  return kind === "removed" && property === undefined && isReported
    ? ({ kind: "wording" } satisfies Verdict)
    : undefined;
}

const isSent = (path: string) => /\/(requestBody|parameters)\//.test(path);

const WORDING = /^(description|title|summary|examples?)$/;

/** A complete form is advice to providers, which are not refused without it. */
function advice(
  { path, base, revision, property = "" }: Difference,
  completeForms: readonly string[],
): Verdict | undefined {
  const [, name = ""] = /\/schemas\/(\w+)/.exec(revision?.pointer ?? base?.pointer ?? path) ?? [];
  return completeForms.includes(name) && !WORDING.test(property) ? { kind: "advice" } : undefined;
}

function notice({ kind, property }: Difference): Verdict | undefined {
  const isReported = kind === "modified" && (property === "deprecated" || property === "default");
  return isReported ? { kind: "notice" } : undefined;
}
