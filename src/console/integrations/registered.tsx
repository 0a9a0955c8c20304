import { useEffect, useRef } from "preact/hooks";
import type { IntegrationCreate } from "../../../generated/operations/types.ts";
import { SecretOnce } from "./secret-once.tsx";
import { webhookAddress } from "./webhook-address.ts";

/** What a registration leaves to be handed to the provider. */
export interface Registration {
  order: Pick<IntegrationCreate, "name" | "kind">;
  providerId: string;
  platformToken: string;
}

/** What the provider is given now (contract section 5: two tokens are exchanged during setup). */
export function Registered({ order, providerId, platformToken }: Registration) {
  const panel = useRef<HTMLElement>(null);
  // The form that had the focus is gone.
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
        The provider sends each webhook with <code>Authorization: Bearer PLATFORM_TOKEN</code>. The address is
        written as this browser reaches the platform; put the host by which the provider reaches it. A lost
        token is replaced under “Tokens” of the integration.
      </p>
      <p>
        <a class="button primary" href={`/console/integrations/${providerId}`}>
          On to outlets and roles
        </a>
      </p>
    </section>
  );
}
