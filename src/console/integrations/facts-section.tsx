import type { Integration } from "../../../generated/operations/types.ts";
import { Time } from "../parts/time.tsx";
import { ROUTINGS } from "./labels.ts";
import { Section } from "./section.tsx";
import { webhookAddress } from "./webhook-address.ts";

/** The values of the registration. */
export function FactsSection({ integration }: { integration: Integration }) {
  const { providerId, kind, baseUrl, routing, timeZone, createdAt } = integration;
  return (
    <Section id="registered" title="Registered as">
      <dl class="facts">
        <dt>providerId</dt>
        <dd>
          <code>{providerId}</code>
        </dd>
        <dt>Kind</dt>
        <dd>
          <code>{kind}</code>
        </dd>
        <dt>Base URL</dt>
        <dd>
          <code>{baseUrl}</code>
        </dd>
        <dt>Routing</dt>
        <dd>{ROUTINGS[routing]}</dd>
        <dt>Time zone</dt>
        <dd>{timeZone}</dd>
        <dt>Webhook address</dt>
        <dd>
          <code>{webhookAddress(location.origin, kind)}</code>
        </dd>
        <dt>Registered</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
    </Section>
  );
}
