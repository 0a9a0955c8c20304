import { breaksInAsyncapi } from "./asyncapi-rules.ts";
import type { Change } from "./change.ts";
import { adviceOn, describe, placeOf } from "./describe.ts";
import { verdictOn } from "./openapi-rules.ts";
import type { Parties, Party } from "./parties.ts";
import type { Difference } from "./redocly.ts";

/** One change as redocly found it in both directions; its values are those of the forward direction. */
interface Finding {
  difference: Difference;
  /** Found forward: it breaks callers or readers. */
  client: readonly string[];
  /** Found backward: it breaks servers or senders. */
  server: readonly string[];
}

/**
 * Rates the changes in both directions. Redocly finds only what breaks a client of the old document, but many providers are servers of
 * it. A new client of an old server equals an old client of a new server with the documents swapped, so the backward comparison finds
 * what breaks the server.
 */
export function rate(
  forward: readonly Difference[],
  backward: readonly Difference[],
  parties: Parties,
  completeForms: readonly string[],
): Change[] {
  const findings = new Map<string, Finding>();
  for (const difference of forward) {
    findings.set(keyOf(difference), { difference, client: rulesOf(difference), server: [] });
  }
  for (const reversed of backward) {
    const server = rulesOf(reversed).filter((rule) => !isFree(reversed, rule));
    if (server.length === 0) continue;
    const difference = reverse(reversed);
    const found = findings.get(keyOf(difference)) ?? { difference, client: [] };
    findings.set(keyOf(difference), { ...found, server });
  }
  return [...findings.values()].map((finding) => changeOf(finding, forward, parties, completeForms));
}

function changeOf(
  { difference, client, server }: Finding,
  all: readonly Difference[],
  parties: Parties,
  completeForms: readonly string[],
): Change {
  const own = breaksInAsyncapi(difference);
  const verdict = verdictOn(difference, all, completeForms) ?? {
    client: client.length > 0 || own?.client === true,
    server: server.length > 0 || own?.server === true,
  };
  const breaks = new Set<Party>();
  if (verdict.client) breaks.add(parties.client);
  if (verdict.server && !parties.isReleasedWithDocument) breaks.add(parties.server);
  const side = difference.revision ?? difference.base;
  const change = {
    breaks: [...breaks],
    place: placeOf(difference.path),
    message: describe(difference),
    file: (side?.file ?? "").replace(/^(base|revision)\//, ""),
    line: side?.line ?? 0,
    pointer: side?.pointer ?? difference.path,
  };
  if (breaks.size > 0) return { ...change, kind: "breaking", advice: adviceOn(difference) };
  if (verdict.kind) return { ...change, kind: verdict.kind };
  const added = difference.impact === "minor" && difference.kind === "added";
  return { ...change, kind: added || server.length > 0 ? "addition" : "wording" };
}

/** Additions break no party: servers need not offer them, and clients must not rely on them before that. */
function isFree(reversed: Difference, rule: string): boolean {
  return reversed.kind === "removed" && (rule.endsWith("-removed") || rule === "security-scheme-changed");
}

function rulesOf(difference: Difference): string[] {
  const sameAddress = (rule: string) => rule === "channel-address-changed" && onlyNamesDiffer(difference);
  return difference.verdicts.map(({ ruleId }) => ruleId).filter((rule) => !sameAddress(rule));
}

/** Another name of a path parameter does not change the URL. */
function onlyNamesDiffer({ base, revision }: Difference): boolean {
  const shape = (address: unknown) => String(address).replaceAll(/\{[^}]*\}/g, "{}");
  return shape(base?.value) === shape(revision?.value);
}

const REVERSED_KIND = { added: "removed", removed: "added", modified: "modified" } as const;

function reverse({ base, revision, ...rest }: Difference): Difference {
  return {
    ...rest,
    kind: REVERSED_KIND[rest.kind],
    ...(revision && { base: revision }),
    ...(base && { revision: base }),
  };
}

function keyOf({ base, revision, property }: Difference): string {
  return JSON.stringify([base?.file, base?.pointer, revision?.file, revision?.pointer, property]);
}
