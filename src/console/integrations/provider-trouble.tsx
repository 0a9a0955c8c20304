import type { Trouble } from "../data/trouble.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";

/** A call that needs the provider failed: the problem, and what to check. */
export function ProviderTrouble({ trouble }: { trouble: Trouble }) {
  return (
    <div class="stack">
      <TroubleBox trouble={trouble} />
      {trouble.code === "provider_unavailable" && (
        <p class="hint">
          Check that the provider runs and responds at its base URL, and that the provider token is the one
          that it issued. Correct both under “Registered as”. Then try again.
        </p>
      )}
    </div>
  );
}
