import { useEffect, useMemo } from "preact/hooks";
import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";
import { readPages } from "../data/use-pages.ts";
import type { Query } from "../data/use-query.ts";
import { createJobFeed, type FeedData } from "./job-feed.ts";
import { type JobFilter, statusesToRead } from "./job-list.ts";

const PAGE = 200;
/** Of each status. A thousand jobs are more than an operator reads. */
const PAGES = 5;

/** The jobs of a filter, kept up to date by the stream. */
export function useJobFeed(filter: JobFilter): Query<FeedData> {
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
  return {
    jobs: lists.flatMap(({ items }) => items),
    isTruncated: lists.some(({ hasMore }) => hasMore),
  };
}

function readStatus(status: JobStatus, providerId: string | undefined) {
  const query = { status, limit: PAGE, ...(providerId && { providerId }) };
  return readPages((page) => ask(api.listJobs({ params: { query: { ...query, ...page } } })), PAGES);
}

async function readOne(jobId: string): Promise<Job | undefined> {
  try {
    return await ask(api.getJob({ params: { path: { jobId } } }));
  } catch (error) {
    if (error instanceof FailedCall && error.details.status === 404) return undefined;
    throw error;
  }
}
