import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { unmapped } from "./onboarding.ts";
import type { Organisation } from "./use-integration.ts";

/** Activates the integration. A 409 lists what is missing, and is shown until nothing is. */
export function useActivation({ integration, discovery, reload }: Organisation): Action<[]> {
  const { trouble, ...action } = useAction(async () => {
    const path = { providerId: integration.providerId };
    try {
      await ask(api.activateIntegration({ params: { path } }));
    } finally {
      // Also after a refusal: the provider then has something that this page does not show yet.
      reload();
    }
    return `${integration.name} is active. Its provider is being checked.`;
  });
  const isReady = unmapped(discovery) === 0 && integration.routingSource !== "pending";
  const isFixed = trouble?.code === "not_ready" && isReady;
  return { ...action, ...(trouble && !isFixed && { trouble }) };
}
