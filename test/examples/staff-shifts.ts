/**
 * A platform engineer's script on the typed client: every open job gets the first candidates who are able and free. It prints why the others
 * could not be staffed.
 *
 *   PLATFORM_URL=http://127.0.0.1:3000 OPERATIONS_TOKEN=... node staff-shifts.ts
 */
import { createClient, type Job } from "shiftpact/operations";

const { PLATFORM_URL = "http://127.0.0.1:3000", OPERATIONS_TOKEN = "" } = process.env;
const platform = createClient({
  baseUrl: `${PLATFORM_URL}/operations/v1`,
  tokens: { operatorToken: OPERATIONS_TOKEN },
});

/** Every open job, page by page. */
async function* openJobs(): AsyncGenerator<Job> {
  let cursor: string | undefined;
  do {
    const query = { status: "open", ...(cursor !== undefined && { cursor }) } as const;
    const { data, error } = await platform.listJobs({ params: { query } });
    if (error) throw new Error(`the jobs cannot be listed: ${error.code}, ${error.detail ?? error.title}`);
    yield* data.items;
    cursor = data.nextCursor;
  } while (cursor !== undefined);
}

/** Returns how many seats were taken. */
async function staff({ jobId }: Job): Promise<number> {
  const path = { jobId };
  const { data } = await platform.listJobCandidates({ params: { path } });
  let taken = 0;
  for (const { candidateId, able, busy, booked } of data?.items ?? []) {
    if (!able || busy || booked) continue;
    const { error, response } = await platform.acceptJob({ params: { path }, body: { candidateId } });
    // 201: the provider confirmed; 202: it has been asked, and the seat is kept until it answers.
    if (response.ok) taken += 1;
    else if (error?.code === "job_filled") break;
  }
  return taken;
}

for await (const job of openJobs()) {
  const taken = await staff(job);
  const { data } = await platform.explainJob({ params: { path: { jobId: job.jobId } } });
  console.log(JSON.stringify({ shiftId: job.shiftId, taken, verdict: data?.verdict }));
}
