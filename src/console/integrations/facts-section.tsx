import { Time } from "../parts/time.tsx";
import { ChangeButton } from "./change-button.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { Leaving } from "./leaving.tsx";
import { RoutingFacts } from "./routing-facts.tsx";
import { Section } from "./section.tsx";
import type { Organisation } from "./use-integration.ts";
import { webhookAddress } from "./webhook-address.ts";

/** The values of the registration. */
export function FactsSection({ integration, reload }: Pick<Organisation, "integration" | "reload">) {
  const { providerId, kind, baseUrl, timeZone, createdAt } = integration;
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
        <dd>
          <RoutingFacts {...integration} />
        </dd>
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
      <p class="row">
        <ChangeButton integration={integration} reload={reload} />
        {integration.state === "draft" && <DeleteButton integration={integration} />}
      </p>
      {integration.state !== "draft" && <Leaving integration={integration} reload={reload} />}
    </Section>
  );
}
