import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { judge } from "../judge/judge.ts";
import type { Run } from "../run.ts";
import { idsOf, lookUp } from "../test-candidates.ts";
import type { Check } from "./check.ts";

/** The optional registry: its pages end, and GET /candidates finds its people (contract 2.5, 4.2). */
export const registry: Check = {
  group: "registry",
  needs: ["registry", "unknownCandidate", "number", "person", "second"],
  holds: { people: "reads" },
  run: check,
};

const NO_PAGES: Pages = { entries: [], pages: [], end: "stopped" };
/** Page size that gives several pages for few people. */
const FEW = "2";
const MOST_LOOKUPS = 3;

async function* check(run: Run): AsyncGenerator<Outcome> {
  if (run.forms.registry === "absent") {
    const title = "the people of the registry, and its pages";
    return yield skipped("skipped_not_offered", "getCandidateRegistry", title, "the provider has none");
  }
  const [whole, small] = run.isPolite
    ? [await readPages(run), NO_PAGES]
    : await Promise.all([readPages(run), readPages(run, FEW)]);
  const [first] = whole.pages;
  if (first && isPlain(first) && first.answer.status >= 400) {
    return yield refused(first, "200 with the registry");
  }
  yield judgeEnd(whole);
  yield* judgeSmallPages(small, whole);
  yield* judgePeople(run, whole.entries);
}

function judgeEnd({ pages, end }: Pages): Outcome {
  const exchange = pages.at(-1);
  const title = "the pages of the registry end";
  if (end === "ended") return passed("getCandidateRegistry", title);
  if (end === "stopped" || !exchange) {
    const reason = "a page failed, or there are too many to follow";
    return skipped("skipped_after_failure", "getCandidateRegistry", title, reason);
  }
  const expected = "a next page with other people, or no nextCursor";
  return found("registry_loops", { exchange, expected, actual: "a repeated nextCursor or page" });
}

/** Judges small pages, if the provider offers pages. It may ignore the limit. */
function* judgeSmallPages(small: Pages, whole: Pages): Generator<Outcome> {
  if (small.pages.length < 2) return;
  yield judgeEnd(small);
  const [exchange] = small.pages;
  if (small.end !== "ended" || whole.end !== "ended" || !exchange) return;
  const listed = new Set(small.entries.map(({ id }) => id));
  if (listed.size < small.entries.length && isEachOnce(small.pages)) {
    const actual = "a person on two pages";
    yield found("duplicate_id", { exchange, expected: "each person on one page", actual });
  }
  const expected = "every person on some page, as without limit";
  yield whole.entries.every(({ id }) => listed.has(id))
    ? passed("getCandidateRegistry", "small pages contain every person")
    : found("registry_incomplete", { exchange, expected, actual: "people are missing" });
}

/** Whether no page contains a candidate twice, which the judge reports. */
const isEachOnce = (pages: readonly Exchange[]) =>
  pages.flatMap(judge).every(({ code }) => code !== "duplicate_id");

async function* judgePeople(run: Run, entries: readonly Entry[]): AsyncGenerator<Outcome> {
  const title = "people of the registry are found by their personal number";
  const people = entries.flatMap(({ id, number }) => (number === undefined ? [] : [{ id, number }]));
  if (people.length === 0) {
    const reason = "the registry has no person with a personal number";
    return yield skipped("skipped_not_prepared", "getCandidateRegistry", title, reason);
  }
  const few = people.slice(0, MOST_LOOKUPS);
  const lookups = await Promise.all(few.map(({ number }) => findEntry(run, number)));
  for (const [index, { id, number }] of few.entries()) {
    const lookup = lookups[index];
    yield (lookup && judgeFound(lookup, id, number)) ?? passed("getCandidateRegistry", title);
  }
}

/** Looks up the other format of the number if the first one finds no candidate. */
async function findEntry(run: Run, number: PersonalNumber): Promise<Exchange> {
  const forms = [number, hyphenated(number)];
  const [first = number, second = number] = run.forms.numbers === "hyphenated" ? forms.reverse() : forms;
  const lookup = await lookUp(run, first);
  return !isPlain(lookup) || idsOf(lookup, number).length > 0 ? lookup : lookUp(run, second);
}

function judgeFound(lookup: Exchange, id: string, number: PersonalNumber): Found | undefined {
  const ids = idsOf(lookup, number);
  if (!isPlain(lookup) || ids.includes(id)) return undefined;
  return found("registry_unmatched", {
    operation: "getCandidateRegistry",
    exchange: lookup,
    expected: "the person of the registry, under the same id",
    actual: ids.length === 0 ? "not found" : "a person with another id",
  });
}

/** The part of a registry entry that identifies the candidate. */
export interface Entry {
  id: string;
  /** Undefined if it is not valid, which the judge reports. */
  number: PersonalNumber | undefined;
}

export interface Pages {
  entries: readonly Entry[];
  pages: readonly Exchange[];
  /** `ended`: no further page. `loops`: a cursor or a page was repeated. `stopped`: a page failed, or there are too many. */
  end: "ended" | "loops" | "stopped";
}

const MOST_PAGES = 20;
const FEW_PAGES = 3;

/** Follows the pages. A provider without paging may return every entry at once. */
async function readPages(run: Run, limit?: string): Promise<Pages> {
  const entries: Entry[] = [];
  const pages: Exchange[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  const most = run.isPolite ? FEW_PAGES : MOST_PAGES;
  while (pages.length < most) {
    const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    const page = await run.send({ operation: "getCandidateRegistry", query });
    pages.push(page);
    const { candidates, nextCursor } = bodyOf(page);
    if (!candidates) return { entries, pages, end: "stopped" };
    const isNew = candidates.some(({ id }) => !entries.some((entry) => entry.id === id));
    entries.push(...candidates);
    if (nextCursor === undefined) return { entries, pages, end: "ended" };
    if (cursors.has(nextCursor) || !isNew) return { entries, pages, end: "loops" };
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { entries, pages, end: "stopped" };
}

/** Returns no candidates if the page is unusable, which the judge reports. */
function bodyOf(page: Exchange): { candidates?: Entry[]; nextCursor?: string } {
  if (!isPlain(page) || page.answer.status !== 200) return {};
  const { candidates, nextCursor } = (page.answer.json ?? {}) as Record<string, unknown>;
  if (!Array.isArray(candidates) || candidates.some((entry) => typeof entry?.id !== "string")) return {};
  const entries = candidates.map((entry) => ({
    id: String(entry?.id),
    number: parsePersonalNumber(String(entry?.personalNumber)),
  }));
  const isNext = typeof nextCursor === "string" && nextCursor !== "";
  return { candidates: entries, ...(isNext && { nextCursor }) };
}
