import { useEffect, useRef } from "preact/hooks";
import type { IntegrationCreate } from "../../../generated/operations/types.ts";
import { SecretOnce } from "./secret-once.tsx";
import { webhookAddress } from "./webhook-address.ts";

/** The result of a registration, for the provider. */
export interface Registration {
  order: Pick<IntegrationCreate, "name" | "kind">;
  providerId: string;
  platformToken: string;
}

/** What the provider needs to send webhooks (contract section 5: two tokens are exchanged during setup). */
export function Registered({ order, providerId, platformToken }: Registration) {
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
      </dl>
      <p class="hint">
        The provider sends each webhook with <code>Authorization: Bearer PLATFORM_TOKEN</code>. The address
        contains the host by which this browser reaches the platform; replace it with the host by which the
        provider reaches it. A lost token can be replaced under “Tokens” of the integration.
      </p>
      <p>
        <a class="button primary" href={`/console/integrations/${providerId}`}>
          Continue with outlets and roles
        </a>
      </p>
    </section>
  );
}
