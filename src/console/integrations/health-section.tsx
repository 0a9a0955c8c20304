import type { Health, Integration } from "../../../generated/operations/types.ts";
import { healthText } from "../../contract/operator-text.ts";
import { Time } from "../parts/time.tsx";
import { HealthBadge } from "./health-badge.tsx";
import { Section } from "./section.tsx";

/** How the provider behaves, what that pauses, and what ends the pause. */
export function HealthSection({
  integration: { providerId, timeZone, health },
}: {
  integration: Integration;
}) {
  return (
    <Section id="health" title="Health" aside={<HealthBadge health={health} />}>
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
