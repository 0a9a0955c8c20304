import type { Backlog, Integration } from "../../../generated/operations/types.ts";
import { backlogText } from "../../contract/operator-text.ts";
import { Badge } from "../parts/badge.tsx";
import { Time } from "../parts/time.tsx";
import { grouped, remainingText, restText, totalOf, waitingText } from "./backlog.ts";
import { Section } from "./section.tsx";

interface Props {
  backlog: Backlog;
  zone: string;
}

/** What waits for the provider, since when, what limits it, and when it is done. */
export function BacklogSection({ integration: { backlog, timeZone } }: { integration: Integration }) {
  if (!backlog) return null;
  const total = totalOf(backlog.waiting);
  const badge = total > 0 && <Badge tone={toneOf(backlog)}>{`${grouped(total)} waiting`}</Badge>;
  return (
    <Section id="backlog" title="Backlog" aside={badge}>
      {/* One element for both, so that screen readers announce the change. */}
      <p role="status">
        <Limit backlog={backlog} zone={timeZone} />
      </p>
      {total > 0 && <BacklogFacts backlog={backlog} zone={timeZone} />}
    </Section>
  );
}

/** Work that stands still needs attention. */
const toneOf = ({ limit: { code } }: Backlog) =>
  code === "paused" || code === "draft" || code === "suspended" ? "warn" : "busy";

function Limit({ backlog: { limit, ...backlog }, zone }: Props) {
  const { since, until } = limit.params;
  const rest = limit.code === "none" ? restText(backlog) : "";
  return (
    <>
      {backlogText(limit).detail}
      {rest && ` ${rest}.`}
      {since !== undefined && (
        <>
          {" "}
          Since <Time at={since} zone={zone} />.
        </>
      )}
      {until !== undefined && (
        <>
          {" "}
          Until <Time at={until} zone={zone} exact />.
        </>
      )}
    </>
  );
}

function BacklogFacts({ backlog, zone }: Props) {
  const { waiting, inProgress, mail, oldestAt, doneAt, perMinute, limit } = backlog;
  return (
    <dl class="facts">
      <dt>Waiting</dt>
      <dd>{waitingText(waiting)}</dd>
      <dt>In progress</dt>
      <dd>{grouped(inProgress)}</dd>
      {oldestAt !== null && (
        <>
          <dt>Waiting since</dt>
          <dd>
            <Time at={oldestAt} zone={zone} />
          </dd>
        </>
      )}
      <dt>Pace</dt>
      <dd>{grouped(perMinute)} finished in the last minute</dd>
      <dt>Done</dt>
      <dd>
        {doneAt === null ? (
          <span class="soft">{backlogText(limit).unknown}</span>
        ) : (
          <>
            <Time at={doneAt} zone={zone} />{" "}
            <span class="soft">in {remainingText(Date.parse(doneAt) - Date.now())}, at this pace</span>
          </>
        )}
      </dd>
      {mail > 0 && (
        <>
          <dt>Mail</dt>
          <dd>{grouped(mail)} to send</dd>
        </>
      )}
    </dl>
  );
}
