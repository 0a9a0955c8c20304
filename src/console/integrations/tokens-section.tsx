import type { Integration } from "../../../generated/operations/types.ts";
import { PlatformToken } from "./platform-token.tsx";
import { ProviderToken } from "./provider-token.tsx";
import { Section } from "./section.tsx";

/** Contract section 5: one token for each direction. */
export function TokensSection({ integration }: { integration: Integration }) {
  return (
    <Section id="tokens" title="Tokens">
      <div class="pair">
        <div class="stack tight">
          <h3>PLATFORM_TOKEN</h3>
          <p class="soft">The provider sends webhooks with it. The platform keeps only its hash.</p>
          <PlatformToken {...integration} />
        </div>
        <div class="stack tight">
          <h3>PROVIDER_TOKEN</h3>
          <p class="soft">The platform calls the provider with it. It is stored encrypted and never shown.</p>
          <ProviderToken {...integration} />
        </div>
      </div>
    </Section>
  );
}
