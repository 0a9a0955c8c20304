import type { ProviderHealth } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { grouped, restText, totalOf } from "../integrations/backlog.ts";
import { HealthBadge } from "../integrations/health-badge.tsx";
import { StateBadge } from "../integrations/state-badge.tsx";
import { ShortId } from "../parts/short-id.tsx";
import { Time } from "../parts/time.tsx";

export function HealthTable({ providers }: { providers: ProviderHealth[] }) {
  return (
    <table class="cards">
      <caption class="unseen">Providers, those that need attention first</caption>
      <thead>
        <tr>
          <th scope="col">Organisation</th>
          <th scope="col">Health</th>
          <th scope="col">Waiting</th>
          <th scope="col">Last webhook</th>
          <th scope="col">Last hour</th>
          <th scope="col">Open issues</th>
        </tr>
      </thead>
      <tbody>
        {providers.map((provider) => (
          <Row key={provider.providerId} provider={provider} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ provider }: { provider: ProviderHealth }) {
  const { providerId, state, health, openIssues } = provider;
  const integration = useNames().integration(providerId);
  const zone = integration && { zone: integration.timeZone };
  const href = `/console/integrations/${providerId}`;
  return (
    <tr>
      <td data-label="Organisation">
        <span>
          {integration ? <a href={href}>{integration.name}</a> : <ShortId id={providerId} href={href} />}{" "}
          {state !== "active" && <StateBadge state={state} />}
        </span>
      </td>
      <td data-label="Health">
        <span>
          <HealthBadge health={health} />
          <br />
          <span class="soft">
            since <Time at={health.since} {...zone} />
          </span>
        </span>
      </td>
      <td data-label="Waiting">
        <Waiting provider={provider} {...zone} />
      </td>
      <td data-label="Last webhook">
        {provider.lastWebhookAt === undefined ? (
          <span class="soft">none</span>
        ) : (
          <Time at={provider.lastWebhookAt} {...zone} />
        )}
      </td>
      <td data-label="Last hour">
        <LastHour {...provider.lastHour} />
      </td>
      <td data-label="Open issues">
        {openIssues === 0 ? (
          <span class="soft">none</span>
        ) : (
          <a href={`/console/issues?providerId=${providerId}`}>{openIssues} open</a>
        )}
      </td>
    </tr>
  );
}

function Waiting({ provider, zone }: { provider: ProviderHealth; zone?: string }) {
  const { backlog, oldestPendingBookingAt: pendingAt } = provider;
  const total = totalOf(backlog.waiting);
  const shown = zone === undefined ? {} : { zone };
  return (
    <ul>
      <li>
        {total === 0 ? <span class="soft">{restText(backlog) || "nothing"}</span> : grouped(total)}
        {backlog.oldestAt !== null && (
          <span class="soft">
            {" "}
            since <Time at={backlog.oldestAt} {...shown} />
          </span>
        )}
      </li>
      {pendingAt !== undefined && (
        <li>
          a booking <span class="soft">since </span>
          <Time at={pendingAt} {...shown} />
        </li>
      )}
    </ul>
  );
}

/** Few failures of many calls are worth a look: the count, not the share. */
function LastHour({ webhooks, calls, failures }: ProviderHealth["lastHour"]) {
  return (
    <ul>
      <li>{grouped(webhooks)} webhooks</li>
      <li>
        {grouped(calls)} calls{failures > 0 && <strong>, {grouped(failures)} failed</strong>}
      </li>
    </ul>
  );
}
