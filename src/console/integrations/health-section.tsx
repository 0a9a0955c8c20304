import type { Health, Integration } from "../../../generated/operations/types.ts";
import { counted, healthText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { useRefresh } from "../data/use-refresh.ts";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { Section } from "./section.tsx";

/** How the provider behaves, what that pauses, what ends the pause, and how much waits. */
export function HealthSection({ integration }: { integration: Integration }) {
  const { providerId, timeZone } = integration;
  const query = useQuery(
    `health ${providerId}`,
    () => ask(api.getIntegration({ params: { path: { providerId } } })),
    ({ type, data }) => type === "integration" && data.providerId === providerId,
  );
  // What waits changes without a message about the integration.
  useRefresh(query.reload);
  const { health } = query.data ?? integration;
  return (
    <Section id="health" title="Health" aside={<HealthBadge health={health} />}>
      {query.trouble && <TroubleBox trouble={query.trouble} onRetry={query.reload} />}
      <HealthFacts health={health} providerId={providerId} zone={timeZone} />
    </Section>
  );
}

function HealthFacts({ health, providerId, zone }: { health: Health; providerId: string; zone: string }) {
  const { detail, paused } = healthText(health);
  return (
    <div class="stack">
      <p role="status">{detail}</p>
      <dl class="facts">
        <dt>Since</dt>
        <dd>
          <Time at={health.since} zone={zone} />
        </dd>
        <dt>Paused</dt>
        <dd>{paused}</dd>
        {health.paused !== "nothing" && <Resumption health={health} providerId={providerId} zone={zone} />}
        {health.waiting !== undefined && (
          <>
            <dt>Waiting</dt>
            <dd>{counted(health.waiting, "shift or person", "shifts and people")}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** What ends the pause, with a link where an operator can do it. */
function Resumption({ health, providerId, zone }: { health: Health; providerId: string; zone: string }) {
  const issues = `/console/issues?${new URLSearchParams({ providerId, code: "mass_disappearance" })}`;
  return (
    <>
      <dt>Resumes</dt>
      <dd>
        {healthText(health).resumes} {health.resumes === "with_operator" && <a href={issues}>Open issue</a>}
        {health.code === "token_rejected" && <a href="#tokens">Enter a new token</a>}
        {health.until !== undefined && (
          <span class="soft">
            Not before <Time at={health.until} zone={zone} exact />
          </span>
        )}
      </dd>
    </>
  );
}
