import { useEffect, useRef } from "preact/hooks";
import type { IntegrationCreate, IntegrationCreated } from "../../../generated/operations/types.ts";
import { RoutingFacts } from "./routing-facts.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { webhookAddress } from "./webhook-address.ts";

/** The result of a registration, for the provider. */
export interface Registration extends IntegrationCreated {
  order: Pick<IntegrationCreate, "name" | "kind">;
}

/** What the provider needs to send webhooks (contract section 5: two tokens are exchanged during setup). */
export function Registered({ order, ...created }: Registration) {
  const { providerId, platformToken } = created;
  const panel = useRef<HTMLElement>(null);
  // The form that had the focus is closed.
  useEffect(() => panel.current?.focus(), []);
  return (
    <section class="panel stack narrow" ref={panel} tabIndex={-1} aria-labelledby="to-the-provider">
      <h2 id="to-the-provider">Give this to the provider</h2>
      <SecretOnce name="PLATFORM_TOKEN" secret={platformToken} />
      <dl class="facts">
        <dt>Webhook address</dt>
        <dd>
          <code>{webhookAddress(location.origin, order.kind)}</code>
        </dd>
        <dt>providerId</dt>
        <dd>
          <code>{providerId}</code>
        </dd>
        <dt>Routing</dt>
        <dd>
          <RoutingFacts {...created} />
        </dd>
      </dl>
      <p class="hint">
        The provider sends each webhook with <code>Authorization: Bearer PLATFORM_TOKEN</code>. The address
        contains the host by which this browser reaches the platform; replace it with the host by which the
        provider reaches it. A lost token can be replaced under “Tokens” of the integration.
      </p>
      {created.routingSource === "pending" && (
        <p>
          The draft is saved. The routing is detected when the provider responds, at the latest by the
          activation. If the base URL or the token is wrong, correct it under “Registered as” of the
          integration.
        </p>
      )}
      <p>
        <a class="button primary" href={`/console/integrations/${providerId}`}>
          Continue with outlets and roles
        </a>
      </p>
    </section>
  );
}
