import type { Change } from "./change.ts";
import type { Difference } from "./redocly.ts";

/** Takes the place of what redocly says: who breaks, or what kind of change it is when nobody does. */
export interface Verdict {
  client?: boolean;
  server?: boolean;
  kind?: Exclude<Change["kind"], "breaking">;
}

/** What redocly blames on the wrong side, or does not tell from wording. The client calls, the server answers. */
export function verdictOn(difference: Difference, all: readonly Difference[]): Verdict | undefined {
  return (
    openUnion(difference, all) ??
    lostAnswer(difference, all) ??
    forbidden(difference, all) ??
    advice(difference) ??
    notice(difference)
  );
}

/** A union with a branch for whatever it does not name: one more name is one that used to be taken by that branch. */
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

/** Nothing when a name was taken out as well. */
function gainedBy({ base, revision }: Difference): unknown[] {
  const [before, after] = [[base?.value ?? []].flat(), [revision?.value ?? []].flat()];
  return before.every((name) => after.includes(name)) ? after.filter((name) => !before.includes(name)) : [];
}

function constantsIn(schema: unknown): unknown[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { const?: unknown }> };
  return Object.values(properties).flatMap((each) => each?.const ?? []);
}

/** Who still answers with it is not understood any more; who calls misses it only where something else takes its place. */
function lostAnswer({ typeName, kind, path }: Difference, all: readonly Difference[]): Verdict | undefined {
  const status = /\/responses\/(\d\d\d)$/.exec(path)?.[1];
  if (typeName !== "Response" || kind !== "removed" || status === undefined) return undefined;
  const parent = parentOf(path);
  const isReplaced = all.some(
    (each) => each.kind === "added" && parentOf(each.path) === parent && /\/2\d\d$/.test(each.path),
  );
  return { server: true, client: status.startsWith("2") && isReplaced, kind: "notice" };
}

/** A property that became `false`: redocly takes it for one that is gone. */
function forbidden({ typeName, kind, path, property, revision }: Difference, all: readonly Difference[]) {
  const isForbidding = typeName === "SchemaProperties" && kind === "modified" && revision?.value === false;
  if (isForbidding) return { [isSent(path) ? "client" : "server"]: true, kind: "notice" } satisfies Verdict;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isTold = all.some(
    (each) =>
      each.typeName === "SchemaProperties" &&
      each.property === name &&
      each.revision?.value === false &&
      each.path === parentOf(path),
  );
  // The same change a second time.
  return kind === "removed" && property === undefined && isTold
    ? ({ kind: "wording" } satisfies Verdict)
    : undefined;
}

const isSent = (path: string) => /\/(requestBody|parameters)\//.test(path);

const WORDING = /^(description|title|summary|examples?)$/;

/** What a provider should send is advice: nobody is refused for not following it. */
function advice({ path, base, revision, property = "" }: Difference): Verdict | undefined {
  const isComplete = /\/schemas\/Complete\w+/.test(revision?.pointer ?? base?.pointer ?? path);
  return isComplete && !WORDING.test(property) ? { kind: "advice" } : undefined;
}

function notice({ kind, property }: Difference): Verdict | undefined {
  const isTold = kind === "modified" && (property === "deprecated" || property === "default");
  return isTold ? { kind: "notice" } : undefined;
}
