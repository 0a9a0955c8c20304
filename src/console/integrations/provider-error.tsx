import { ErrorBox } from "../components/error-box.tsx";
import type { CallError } from "../data/errors.ts";

/** A call that needs the provider failed: the problem, and what to check. */
export function ProviderError({ error }: { error: CallError }) {
  return (
    <div class="stack">
      <ErrorBox error={error} />
      {error.code === "provider_unavailable" && (
        <p class="hint">
          Check that the provider runs and responds at its base URL, and that the provider token is the one
          that it issued. Correct both under “Registration”. Then try again.
        </p>
      )}
    </div>
  );
}
