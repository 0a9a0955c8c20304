import type { Trouble } from "../data/trouble.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";

/** A call that needs the provider failed: what to look at, beside what the platform says. */
export function ProviderTrouble({ trouble }: { trouble: Trouble }) {
  return (
    <div class="stack">
      <TroubleBox trouble={trouble} />
      {trouble.code === "provider_unavailable" && (
        <p class="hint">
          Look whether the provider runs and is reached at its base URL (“Registered as”), and whether the
          provider token is the one that it issued (“Tokens”). Then try again.
        </p>
      )}
    </div>
  );
}
