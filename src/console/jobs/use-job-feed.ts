import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Job } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { onMessage } from "../data/live.ts";
import type { Query } from "../data/use-query.ts";
import { createJobFeed, type FeedData } from "./job-feed.ts";
import { isAbout, type JobFilter, type JobLookups, orderOf, queryOf } from "./job-list.ts";

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
