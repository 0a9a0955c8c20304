import type { Backlog, Health, Integration } from "../../../generated/operations/types.ts";
import { backlogText, entryOf, healthText } from "../../contract/operator-text.ts";
import { Badge } from "../components/badge.tsx";
import { Facts } from "../components/facts.tsx";
import { Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { formatCount } from "../components/times.ts";
import { may } from "../session/me.ts";
import { restText, totalOf, waitingText } from "./backlog.ts";
import { HealthBadge } from "./badges.tsx";

interface Props {
  integration: Integration;
}

/** How the provider behaves, what that pauses, and what ends the pause. */
export function HealthSection({ integration: { providerId, timeZone, health, state } }: Props) {
  const { detail, paused } = healthText(health);
  const isPaused = health.paused !== "nothing";
  return (
    <Section id="health" title="Health" aside={<HealthBadge health={health} />}>
      <p role="status">{detail}</p>
      <Facts
        of={{
          Since: <Time at={health.since} zone={timeZone} />,
          Paused: entryOf(PAUSED_BY_STATE, state) ?? paused,
          Resumes: isPaused ? (
            <Resumption health={health} providerId={providerId} zone={timeZone} />
          ) : undefined,
        }}
      />
    </Section>
  );
}

/** What an integration that is not active stops, however its provider responds. */
const PAUSED_BY_STATE = {
  draft: "Everything: the integration is a draft",
  suspended: "Everything: the integration is suspended",
};

/** What ends the pause, with a link where an operator can do it. */
function Resumption({ health, providerId, zone }: { health: Health; providerId: string; zone: string }) {
  const issues = `/console/issues?${new URLSearchParams({ providerId, code: "mass_disappearance" })}`;
  return (
    <>
      {healthText(health).resumes} {health.resumes === "with_operator" && <a href={issues}>Open issue</a>}
      {health.code === "token_rejected" && may("rotateToken") && <a href="#tokens">Enter a new token</a>}
      {health.until !== undefined && (
        <span class="soft">
          Not before <Time at={health.until} zone={zone} exact />
        </span>
      )}
    </>
  );
}

/** What waits for the provider, since when, and what limits it. */
export function BacklogSection({ integration: { backlog, timeZone } }: Props) {
  if (!backlog) return null;
  const total = totalOf(backlog.waiting);
  const badge = total > 0 && <Badge tone={toneOf(backlog)}>{`${formatCount(total)} waiting`}</Badge>;
  return (
    <Section id="backlog" title="Backlog" aside={badge}>
      {/* One element for both, so that screen readers announce the change. */}
      <p role="status">
        <Limit backlog={backlog} zone={timeZone} />
      </p>
      {total === 0 && <p class="hint">Counted every 10 seconds; the count is up to half a minute old.</p>}
      {total > 0 && <BacklogFacts backlog={backlog} zone={timeZone} />}
    </Section>
  );
}

/** Paused work needs attention. */
const toneOf = ({ limit: { code } }: Backlog) =>
  code === "paused" || code === "draft" || code === "suspended" ? "warn" : "busy";

interface BacklogProps {
  backlog: Backlog;
  zone: string;
}

function Limit({ backlog: { limit, ...backlog }, zone }: BacklogProps) {
  const { since, until } = limit.params;
  const rest = limit.code === "none" ? restText(backlog) : "";
  return (
    <>
      {backlogText(limit)}
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

function BacklogFacts({ backlog, zone }: BacklogProps) {
  const { waiting, inProgress, mail, oldestAt } = backlog;
  return (
    <Facts
      of={{
        Waiting: waitingText(waiting),
        "In progress": formatCount(inProgress),
        "Waiting since": oldestAt === null ? undefined : <Time at={oldestAt} zone={zone} />,
        Mail: mail > 0 ? `${formatCount(mail)} to send` : undefined,
      }}
    />
  );
}
