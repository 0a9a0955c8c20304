import type { Integration, Issue } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { nextStep, stepsOf } from "./onboarding.ts";
import { countByProvider } from "./open-issues.ts";

export interface IssueCounts {
  counts: ReadonlyMap<string, number>;
  /** There are more issues than the ones read. */
  isPart: boolean;
}

const PAGE = 200;
const MOST_PAGES = 5;

export function useIssueCounts() {
  return useQuery("issue counts", readCounts, ({ type }) => type === "issue");
}

async function readCounts(): Promise<IssueCounts> {
  const issues: Issue[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && (page === 0 || cursor !== undefined); page += 1) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const read = await ask(api.listIssues({ params: { query } }));
    issues.push(...read.items);
    cursor = read.nextCursor;
  }
  return { counts: countByProvider(issues), isPart: cursor !== undefined };
}

/** The progress of the onboarding, in one line. Only a draft needs a call. */
export function useProgress(integration: Integration) {
  const { providerId, state } = integration;
  return useQuery(`progress ${providerId} ${state}`, async () => {
    if (state !== "draft") return "complete";
    const discovery = await ask(api.getMappings({ params: { path: { providerId } } }));
    const steps = stepsOf(integration, discovery);
    const next = nextStep(integration, steps);
    return `${steps.filter(({ isDone }) => isDone).length} of ${steps.length}, next: ${NEXT[next?.name ?? "active"]}`;
  });
}

const NEXT = {
  registered: "register",
  read: "read outlets and roles",
  mapped: "map them",
  active: "activate",
};
