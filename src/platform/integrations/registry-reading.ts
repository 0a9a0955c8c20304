import type { RegistryFault } from "../../../generated/operations/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { ProviderClient, ProviderClientOptions } from "../../clients/provider/client.ts";
import { type RegisteredPerson, readPeople } from "./registry-person.ts";
import { readWithRetries } from "./retried-read.ts";

/** What the thread that reads a registry gets. */
export interface RegistryOrder {
  target: Pick<ProviderClientOptions, "baseUrl" | "providerId" | "token" | "routing">;
  traceId: string;
  /** The longest wait before each further try of a page. Milliseconds. */
  waitsMs: readonly number[];
}

/** A part of a registry. The places are from 1. */
export interface RegistryPart {
  people: RegisteredPerson[];
  first: number;
  last: number;
  invalid: number;
}

/** How the reading ended. */
export interface RegistryEnd {
  /** Pages that were read. */
  pages: number;
  faults: RegistryFault[];
  /** Why there are no more. */
  failure?: Failure | { kind: "absent" };
}

const PAGE = 200;
const MOST_PAGES = 1_000;
const MOST_FAULTS = 100;

/** Reads a registry page by page, and stores it in parts of bounded length: a provider may ignore the limit. */
export async function readRegistry(
  client: Pick<ProviderClient, "openRegistry">,
  { traceId, waitsMs }: Omit<RegistryOrder, "target">,
  store: (part: RegistryPart) => Promise<unknown>,
): Promise<RegistryEnd> {
  const progress = { pages: 0, entries: 0, seen: new Set<string>(), faults: [] as RegistryFault[] };
  const ended = (failure?: RegistryEnd["failure"]): RegistryEnd => {
    const { pages, faults } = progress;
    return { pages, faults: faults.slice(0, MOST_FAULTS), ...(failure && { failure }) };
  };
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const read = await readWithRetries(() => client.openRegistry(query, { traceId }), { waitsMs });
    if (read.kind !== "page") return ended(read);
    progress.pages += 1;
    for (const entries of inParts(read.page.candidates)) {
      const { people, faults } = readPeople(entries, progress);
      const first = progress.entries + 1;
      progress.entries += entries.length;
      progress.faults.push(...faults);
      await store({ people, first, last: progress.entries, invalid: faults.length });
    }
    cursor = read.page.nextCursor;
    if (cursor === undefined) return ended();
    const trouble = whyToStop(cursor, cursors, progress.pages);
    if (trouble !== undefined) progress.faults.push({ entry: progress.entries, reason: trouble });
    if (trouble !== undefined) return ended();
    cursors.add(cursor);
  }
}

function* inParts<T>(entries: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const entry of entries) {
    part.push(entry);
    if (part.length < PAGE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** A provider that gives cursors and then ignores them would be read endlessly. */
function whyToStop(cursor: string, before: Set<string>, pages: number): string | undefined {
  if (!cursor.isWellFormed())
    return "the import stopped after it: the provider gave a cursor that cannot be sent";
  if (before.has(cursor))
    return "the import stopped after it: the provider gave a cursor for the second time";
  if (pages >= MOST_PAGES) return `the import stopped after it: there are more than ${MOST_PAGES} pages`;
  return undefined;
}
