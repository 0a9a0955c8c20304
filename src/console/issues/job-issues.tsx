import { Section } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useQuery } from "../data/use-query.ts";
import { IssueList } from "./issue-list.tsx";
import "./issues.css";

/** The open issues of a job: the refusal beside the cancellation that was requested. */
export function JobIssues({ jobId }: { jobId: string }) {
  const { data } = useQuery(
    `issues of job ${jobId}`,
    () => ask(api.listIssues({ params: { query: { jobId } } })),
    ({ type }) => type === "issue",
  );
  if (!data || data.items.length === 0) return null;
  return (
    <Section id="issues" title="Open issues">
      <IssueList issues={data.items} />
    </Section>
  );
}
