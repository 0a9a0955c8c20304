import { signal } from "@preact/signals";
import type { Job } from "../../../generated/operations/types.ts";
import type { News } from "../data/live.ts";
import { type Trouble, troubleOf } from "../data/trouble.ts";

/** What the feed reads with. */
export interface JobReads {
  /** Everything that is to be shown; `isCut` when there is more than is read. */
  all(): Promise<{ jobs: Job[]; isCut: boolean }>;
  /** Undefined when it does not concern this feed. */
  one(jobId: string): Promise<Job | undefined>;
}

export interface FedJobs {
  jobs: ReadonlyMap<string, Job>;
  /** There are more than are read. */
  isCut: boolean;
  /** Who changed lately by the stream, to be marked for a moment. */
  changed: ReadonlySet<string>;
}

export interface FeedState {
  /** Undefined until they were read once. */
  data?: FedJobs;
  /** Of the last try. */
  trouble?: Trouble;
}

/** As many jobs are read one by one; of more, everything is read anew. */
const ONE_BY_ONE = 20;
const MARKED_FOR_MS = 2_500;
const TRY_AGAIN_MS = 5_000;

/**
 * Jobs, kept as they are now. One reading at a time, and what the stream tells meanwhile is read after it: so nothing older ever
 * takes the place of something newer, and a stream that never pauses does not hold up the page.
 */
export function createJobFeed(reads: JobReads, wait = setTimeout) {
  const state = signal<FeedState>({});
  const toRead = new Set<string>();
  let isAllToRead = false;
  let isReading = false;
  let isStopped = false;

  const show = (data: FedJobs) => {
    if (!isStopped) state.value = { data };
  };
  const unmark = (ids: readonly string[]) => {
    const { data, ...rest } = state.value;
    if (data) state.value = { ...rest, data: { ...data, changed: without(data.changed, ids) } };
  };
  const readAll = async () => {
    isAllToRead = false;
    toRead.clear();
    const { jobs, isCut } = await reads.all();
    const changed = state.value.data?.changed ?? new Set<string>();
    show({ jobs: new Map(jobs.map((job) => [job.jobId, job])), isCut, changed });
  };
  const readSome = async () => {
    const ids = [...toRead];
    toRead.clear();
    const read = (await Promise.all(ids.map(reads.one))).filter((job) => job !== undefined);
    const {
      jobs = new Map<string, Job>(),
      isCut = false,
      changed = new Set<string>(),
    } = state.value.data ?? {};
    const found = read.map(({ jobId }) => jobId);
    show({
      jobs: new Map([...jobs, ...read.map((job) => [job.jobId, job] as const)]),
      isCut,
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
      if (!isStopped) state.value = { ...state.value, trouble: troubleOf(error) };
      if (!isStopped) wait(reload, TRY_AGAIN_MS);
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
    heed: ({ type, data }: News): Promise<void> => {
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
