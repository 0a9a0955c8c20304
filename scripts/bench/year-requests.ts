import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS } from "../../src/contract/timestamp.ts";
import type { Deployment } from "./deployment.ts";
import { acknowledgements } from "./probes.ts";
import type { Setting } from "./section.ts";
import { median, quantile } from "./statistics.ts";

/** The median duration of repeated requests, by their name. Milliseconds. */
export type Times = ReadonlyMap<string, number>;

export const REPETITIONS = 7;
/** The number of a page deep in a list. */
const DEEP_PAGE = 20;

/** Measures acknowledgements at a steady rate, and then every list. */
export async function measureRequests(setting: Setting, deployment: Deployment): Promise<Times> {
  const times = new Map<string, number>();
  const [perSecond, seconds] = setting.quick ? [20, 1] : [50, 120];
  setting.report(`${perSecond} webhooks a second for ${seconds} s, then every list`);
  const probe = acknowledgements(deployment, deployment.organisations, perSecond);
  await sleep(seconds * 1_000);
  const acknowledged = await probe.stop();
  times.set("acknowledgement, median", median(acknowledged));
  times.set("acknowledgement, p99", quantile(acknowledged, 0.99));
  await deployment.platform.child.ask("idle");
  const known = await knownIds(deployment);
  for (const [name, path] of pagesOf(known)) times.set(name, await timed(deployment, path));
  for (const list of ["jobs", "events", "notifications"]) {
    const path = await deepPage(deployment, list);
    if (path) times.set(`${list}, page ${DEEP_PAGE}`, await timed(deployment, path));
  }
  return times;
}

const pagesOf = ({ jobId, shiftId, traceId, candidateId, providerId }: Known) =>
  [
    ["/metrics", "/metrics"],
    ["jobs", "/operations/v1/jobs"],
    ["open jobs", "/operations/v1/jobs?status=open"],
    ["jobs of an organisation", `/operations/v1/jobs?providerId=${providerId}`],
    ["jobs of a week, half a year ago", `/operations/v1/jobs?${weekOf(180)}&limit=200`],
    ["jobs of a trace", `/operations/v1/jobs?traceId=${traceId}`],
    ["a job", `/operations/v1/jobs/${jobId}`],
    ["events", "/operations/v1/events"],
    ["events that failed", "/operations/v1/events?status=failed"],
    ["events of an organisation", `/operations/v1/events?providerId=${providerId}`],
    ["events of a shift", `/operations/v1/events?shiftId=${shiftId}`],
    ["a trace", `/operations/v1/traces/${traceId}`],
    ["notifications", "/operations/v1/notifications"],
    ["notifications of a candidate", `/operations/v1/notifications?candidateId=${candidateId}`],
    ["candidates", "/operations/v1/candidates"],
    ["issues", "/operations/v1/issues"],
    ["statistics", "/operations/v1/statistics"],
    ["health of all providers", "/operations/v1/provider-health"],
    ["an integration, with its backlog", `/operations/v1/integrations/${providerId}`],
  ] as const;

/** Returns the query for the shifts of a week that began this many days ago. */
function weekOf(daysAgo: number): URLSearchParams {
  const from = Date.now() - daysAgo * DAY_MS;
  const [start, end] = [from, from + 7 * DAY_MS].map((ms) => new Date(ms).toISOString());
  return new URLSearchParams({ from: start ?? "", until: end ?? "" });
}

type Known = Record<"jobId" | "shiftId" | "traceId" | "candidateId" | "providerId", string>;

async function knownIds(deployment: Deployment): Promise<Known> {
  const { operations } = deployment.platform;
  const { data } = await operations.listJobs({ params: { query: { limit: 1 } } });
  const { data: people } = await operations.listCandidates({ params: { query: { limit: 1 } } });
  const [job] = data?.items ?? [];
  const candidateId = people?.items[0]?.candidateId ?? "";
  if (!job) throw new Error("no job was created");
  return {
    jobId: job.jobId,
    shiftId: job.shiftId,
    traceId: job.traceId ?? "",
    providerId: job.providerId,
    candidateId,
  };
}

async function timed({ platform }: Deployment, path: string): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < REPETITIONS; nth += 1) {
    const begun = performance.now();
    await get(platform, path);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function get({ child, operationsToken }: Deployment["platform"], path: string): Promise<string> {
  const response = await fetch(`${child.url}${path}`, {
    headers: { Authorization: `Bearer ${operationsToken}` },
  });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.text();
}

/** Returns the path of the deep page; undefined for a shorter list. */
async function deepPage({ platform }: Deployment, list: string): Promise<string | undefined> {
  let path = `/operations/v1/${list}?limit=10`;
  for (let nth = 1; nth < DEEP_PAGE; nth += 1) {
    const { nextCursor } = JSON.parse(await get(platform, path));
    if (nextCursor === undefined) return undefined;
    path = `/operations/v1/${list}?limit=10&cursor=${nextCursor}`;
  }
  return path;
}
