import { signal } from "@preact/signals";
import type { Job } from "../../../generated/operations/types.ts";
import { type CallError, errorOf } from "../data/errors.ts";
import type { StreamMessage } from "../data/live.ts";

/** How the feed reads jobs. */
export interface JobReads {
  /** Every job to show; `isTruncated` if there are more than are read. */
  all(): Promise<{ jobs: Job[]; isTruncated: boolean }>;
  /** Undefined for a job that this feed does not show. */
  one(jobId: string): Promise<Job | undefined>;
}

export interface FeedData {
  jobs: ReadonlyMap<string, Job>;
  /** There are more jobs than are read. */
  isTruncated: boolean;
  /** The jobs that a message of the stream has just changed: they are marked for a moment. */
  changed: ReadonlySet<string>;
}

export interface FeedState {
  /** Undefined until the first read has ended. */
  data?: FeedData;
  /** Of the last attempt. */
  error?: CallError;
}

/** Up to this many changed jobs are read one by one; above it, all jobs are read. */
const ONE_BY_ONE = 20;
const MARKED_FOR_MS = 2_500;
const RETRY_MS = 5_000;

/**
 * Keeps jobs up to date. One read runs at a time, and a message that arrives meanwhile is handled after it: an older response never
 * replaces a newer one, and a busy stream does not block the page.
 */
export function createJobFeed(reads: JobReads, wait = setTimeout) {
  const state = signal<FeedState>({});
  const toRead = new Set<string>();
  let isAllToRead = false;
  let isReading = false;
  let isStopped = false;

  const show = (data: FeedData) => {
    if (!isStopped) state.value = { data };
  };
  const unmark = (ids: readonly string[]) => {
    const { data, ...rest } = state.value;
    if (data) state.value = { ...rest, data: { ...data, changed: without(data.changed, ids) } };
  };
  const readAll = async () => {
    isAllToRead = false;
    toRead.clear();
    const { jobs, isTruncated } = await reads.all();
    const changed = state.value.data?.changed ?? new Set<string>();
    show({ jobs: new Map(jobs.map((job) => [job.jobId, job])), isTruncated, changed });
  };
  const readSome = async () => {
    const ids = [...toRead];
    toRead.clear();
    const read = (await Promise.all(ids.map(reads.one))).filter((job) => job !== undefined);
    const {
      jobs = new Map<string, Job>(),
      isTruncated = false,
      changed = new Set<string>(),
    } = state.value.data ?? {};
    const found = read.map(({ jobId }) => jobId);
    show({
      jobs: new Map([...jobs, ...read.map((job) => [job.jobId, job] as const)]),
      isTruncated,
      changed: new Set([...changed, ...found]),
    });
    wait(() => unmark(found), MARKED_FOR_MS);
  };
  const run = async () => {
    if (isReading) return;
    isReading = true;
    try {
      while (!isStopped && (isAllToRead || toRead.size > 0)) {
        await (isAllToRead || toRead.size > ONE_BY_ONE ? readAll() : readSome());
      }
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

function without(ids: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !gone.includes(id)));
}
