import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { unmapped } from "./onboarding.ts";
import type { Organisation } from "./use-integration.ts";

/** 409 lists what is missing: it is told for as long as something is. */
export function useActivation({ integration, discovery, reload }: Organisation): Action<[]> {
  const { trouble, ...action } = useAction(async () => {
    const path = { providerId: integration.providerId };
    try {
      await ask(api.activateIntegration({ params: { path } }));
    } finally {
      // Also when it is refused: then the provider has something that this page does not show yet.
      reload();
    }
    return `${integration.name} is active; its provider is being checked`;
  });
  const isMended = trouble?.code === "not_ready" && unmapped(discovery) === 0;
  return { ...action, ...(trouble && !isMended && { trouble }) };
}
