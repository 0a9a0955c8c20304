import { useEffect, useMemo } from "preact/hooks";
import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { onMessage } from "../data/live.ts";
import { ask, TroubleError } from "../data/trouble.ts";
import type { Query } from "../data/use-query.ts";
import { type BoardFilter, statusesToRead } from "./board-filter.ts";
import { createJobFeed, type FedJobs } from "./job-feed.ts";

const PAGE = 200;
/** Of each status: a thousand jobs are more than a person reads. */
const PAGES = 5;

/** The jobs of a filter, kept up to date by the stream. */
export function useJobFeed(filter: BoardFilter): Query<FedJobs> {
  const { providerId } = filter;
  const statuses = statusesToRead(filter);
  const feed = useMemo(
    () =>
      createJobFeed({
        all: () => readAll(statuses, providerId),
        one: async (jobId) => {
          const job = await readOne(jobId);
          return job && (providerId === undefined || job.providerId === providerId) ? job : undefined;
        },
      }),
    // A change from open to filled jobs needs no new feed: both are read already.
    [providerId, statuses.join()],
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
  };
}

async function readAll(statuses: readonly JobStatus[], providerId: string | undefined) {
  const lists = await Promise.all(statuses.map((status) => readStatus(status, providerId)));
  return { jobs: lists.flatMap(({ jobs }) => jobs), isCut: lists.some(({ isCut }) => isCut) };
}

async function readStatus(status: JobStatus, providerId: string | undefined) {
  const jobs: Job[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { status, limit: PAGE, ...(providerId && { providerId }), ...(cursor && { cursor }) };
    const read = await ask(api.listJobs({ params: { query } }));
    jobs.push(...read.items);
    cursor = read.nextCursor;
    if (cursor === undefined) break;
  }
  return { jobs, isCut: cursor !== undefined };
}

async function readOne(jobId: string): Promise<Job | undefined> {
  try {
    return await ask(api.getJob({ params: { path: { jobId } } }));
  } catch (error) {
    if (error instanceof TroubleError && error.trouble.status === 404) return undefined;
    throw error;
  }
}
