import { type Kysely, sql } from "kysely";
import { jsonRows } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";
import type { Listed, MappedList, Option } from "./mapped-lists.ts";

/** What an operator may confirm. */
export interface Suggestion {
  id: string;
  name: string;
  /** 0 to 1. */
  score: number;
}

type Wanted = Omit<Option, "id">;

/**
 * Returns a function that finds the one option that an entry certainly is, which has the same normalised name or the same address. Reads the options once:
 * thousands of outlets are compared with thousands of workplaces.
 */
export function matcher(options: readonly Option[]): (wanted: Wanted) => string | undefined {
  const equal = new Map<string, Set<string>>();
  for (const option of options)
    for (const key of keysOf(option)) equal.set(key, (equal.get(key) ?? new Set()).add(option.id));
  return (wanted) => {
    const [only, another] = new Set(keysOf(wanted).flatMap((key) => [...(equal.get(key) ?? [])]));
    return another === undefined ? only : undefined;
  };
}

/** What two equal ones have in common. */
function keysOf({ name, address }: Wanted): string[] {
  const [ofName, ofAddress] = [normalise(name), normalise(address ?? "")];
  return [ofName && `name ${ofName}`, ofAddress && `address ${ofAddress}`].filter((key) => key !== "");
}

const NOISE = new Set(["ab", "hb", "restaurang"]);

/** Drops case, diacritics, punctuation and noise words. */
function normalise(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && !NOISE.has(word));
  return words.join(" ");
}

/** decisions, "mapping suggestions": "Stureplan" and "Sturegatan" score 0.4 and are two places. */
const SIMILAR = 0.5;
const MOST = 3;

/** Returns the most similar options of each entry of a page that is not mapped, the best first; none where the database has no pg_trgm. */
export async function suggestionsFor(
  db: Kysely<Schema>,
  { targets, target }: MappedList,
  page: readonly Listed[],
): Promise<Map<string, Suggestion[]>> {
  const asked = page.flatMap(({ id, name, target }) => (target === null ? [{ entry: id, name }] : []));
  if (asked.length === 0 || !(await hasTrigrams(db))) return new Map();
  const { rows } = await sql<Suggestion & { entry: string }>`
    select entry, id, name, score from (
      select entry, ${sql.ref(target)} as id, known.name, similarity(known.name, asked.name)::float8 as score,
        row_number() over (partition by entry order by similarity(known.name, asked.name) desc, known.name, ${sql.ref(target)}) as place
      from ${jsonRows(asked)} as asked (entry text, name text) join ${sql.table(targets)} as known on known.name % asked.name
      where similarity(known.name, asked.name) >= ${SIMILAR}) as alike
    where place <= ${sql.lit(MOST)} order by entry, place`.execute(db);
  const byEntry = Map.groupBy(rows, ({ entry }) => entry);
  return new Map([...byEntry].map(([entry, of]) => [entry, of.map(({ entry: _, ...each }) => each)]));
}

async function hasTrigrams(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select to_regprocedure('similarity(text, text)') is not null as has`.execute(db);
  return rows[0]?.has === true;
}
