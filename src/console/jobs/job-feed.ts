import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask, type CallError, errorOf, FailedCall } from "../data/errors.ts";
import { onMessage, type StreamMessage } from "../data/live.ts";
import { type Page, readPages } from "../data/pages.ts";
import type { Query } from "../data/use-query.ts";
import { isAbout, type JobFilter, type JobLookups, orderOf, queryOf } from "./job-table.tsx";

/** How the feed reads jobs. */
export interface JobReads {
  /** The page of the list that starts at the cursor. */
  page(cursor?: string): Promise<Page<Job>>;
  /** Undefined for a job that this feed does not show. */
  one(jobId: string): Promise<Job | undefined>;
  /** The order of the list, as the platform has it. */
  compare(one: Job, other: Job): number;
}

export interface FeedData {
  /** In the order of the list. */
  jobs: readonly Job[];
  /** There are more jobs than are read. */
  hasMore: boolean;
  /** The jobs that a message of the stream has just changed: they are marked for a moment. */
  changed: ReadonlySet<string>;
}

export interface FeedState {
  /** Undefined until the first read has ended. */
  data?: FeedData;
  /** Of the last attempt. */
  error?: CallError;
}

/** Up to this many changed jobs are read one by one; above it, all pages are read. */
const ONE_BY_ONE = 20;
const MARKED_FOR_MS = 2_500;
const RETRY_MS = 5_000;

/** The start of the list: what has been read, and where the rest begins. */
interface Start {
  pages: number;
  jobs: readonly Job[];
  nextCursor?: string | undefined;
}

/**
 * Keeps the start of a list of jobs up to date. One read runs at a time, and a message that arrives meanwhile is handled after it: an older
 * response never replaces a newer one, and a busy stream does not block the page.
 */
export function createJobFeed(reads: JobReads, wait = setTimeout) {
  const state = signal<FeedState>({});
  const toRead = new Set<string>();
  let start: Start = { pages: 1, jobs: [] };
  let isAllToRead = false;
  let isMoreToRead = false;
  let isReading = false;
  let isStopped = false;

  const show = (read: Start, found: readonly string[] = []) => {
    start = read;
    const changed = new Set([...(state.value.data?.changed ?? []), ...found]);
    const hasMore = read.nextCursor !== undefined;
    if (!isStopped) state.value = { data: { jobs: read.jobs, hasMore, changed } };
  };
  const unmark = (ids: readonly string[]) => {
    const { data, ...rest } = state.value;
    if (data) state.value = { ...rest, data: { ...data, changed: without(data.changed, ids) } };
  };
  const readAll = async () => {
    isAllToRead = false;
    toRead.clear();
    const { items, nextCursor } = await readPages(({ cursor }) => reads.page(cursor), start.pages);
    show({ pages: start.pages, jobs: items, nextCursor });
  };
  const readMore = async () => {
    isMoreToRead = false;
    if (start.nextCursor === undefined) return;
    const { items, nextCursor } = await reads.page(start.nextCursor);
    show({ pages: start.pages + 1, jobs: merged(start.jobs, items, reads.compare), nextCursor });
  };
  const readSome = async () => {
    const ids = [...toRead];
    toRead.clear();
    const read = (await Promise.all(ids.map(reads.one))).filter((job) => job !== undefined);
    const last = start.nextCursor === undefined ? undefined : start.jobs.at(-1);
    // A job after the last one that was read belongs to a page that was not.
    const isShown = (job: Job) => last === undefined || reads.compare(job, last) <= 0;
    const jobs = merged(start.jobs, read, reads.compare).filter((job) => !read.includes(job) || isShown(job));
    const found = read.map(({ jobId }) => jobId);
    show({ ...start, jobs }, found);
    wait(() => unmark(found), MARKED_FOR_MS);
  };
  const readNext = () => {
    if (isAllToRead || toRead.size > ONE_BY_ONE) return readAll();
    return toRead.size > 0 ? readSome() : readMore();
  };
  const run = async () => {
    if (isReading) return;
    isReading = true;
    try {
      while (!isStopped && (isAllToRead || isMoreToRead || toRead.size > 0)) await readNext();
    } catch (error) {
      if (!isStopped) state.value = { ...state.value, error: errorOf(error) };
      if (!isStopped) wait(reload, RETRY_MS);
    } finally {
      isReading = false;
    }
  };
  const reload = () => {
    isAllToRead = true;
    return run();
  };
  return {
    state,
    reload,
    showMore: () => {
      isMoreToRead = true;
      return run();
    },
    handle: ({ type, data }: StreamMessage): Promise<void> => {
      if (type === "gap") return reload();
      if (type !== "job" && type !== "booking") return Promise.resolve();
      toRead.add(`${data.jobId}`);
      return run();
    },
    stop: () => {
      isStopped = true;
    },
  };
}

/** The jobs with those of the second list in place of earlier versions, in order. */
function merged(known: readonly Job[], read: readonly Job[], compare: JobReads["compare"]): Job[] {
  const together = new Map([...known, ...read].map((job) => [job.jobId, job]));
  return [...together.values()].sort(compare);
}

function without(ids: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !gone.includes(id)));
}

const PAGE = 50;

interface JobFeed extends Query<FeedData> {
  showMore(): void;
}

/** The jobs of a filter, kept up to date by the stream. */
export function useJobFeed(filter: JobFilter, given: JobLookups): JobFeed {
  const query = { ...queryOf(filter), limit: PAGE };
  const lookups = useRef(given);
  lookups.current = given;
  const feed = useMemo(
    () =>
      createJobFeed({
        page: (cursor) => ask(api.listJobs({ params: { query: { ...query, ...(cursor && { cursor }) } } })),
        one: async (jobId) => {
          const job = await readOne(jobId);
          return job && isAbout(job, filter, lookups.current) ? job : undefined;
        },
        compare: orderOf(filter),
      }),
    [JSON.stringify(filter)],
  );
  useEffect(() => {
    void feed.reload();
    const unfollow = onMessage((message) => void feed.handle(message));
    return () => {
      unfollow();
      feed.stop();
    };
  }, [feed]);
  return {
    ...feed.state.value,
    isLoading: feed.state.value.data === undefined,
    reload: () => void feed.reload(),
    showMore: () => void feed.showMore(),
  };
}

async function readOne(jobId: string): Promise<Job | undefined> {
  try {
    return await ask(api.getJob({ params: { path: { jobId } } }));
  } catch (error) {
    if (error instanceof FailedCall && error.details.status === 404) return undefined;
    throw error;
  }
}
