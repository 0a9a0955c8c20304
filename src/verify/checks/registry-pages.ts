import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { type Exchange, isPlain } from "../exchange.ts";
import type { Run } from "../run.ts";

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
export async function readPages(run: Run, limit?: string): Promise<Pages> {
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
