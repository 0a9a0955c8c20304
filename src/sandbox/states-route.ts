import { Router } from "express";
import { problem } from "../contract/problem.ts";
import { readContent } from "../runtime/body.ts";
import { BODY_LIMIT } from "../runtime/server.ts";
import type { ProviderState, StateParameters } from "./provider-states.ts";

/** Path of the route. */
export const STATES_PATH = "/states";

/**
 * Returns Pact's callback for provider states: `POST {"state", "params", "action": "setup"}` returns the values of the
 * state. It requires no token, because it is for tests and not for deployed providers.
 */
export function statesRoute(states: Readonly<Record<string, ProviderState>>): Router {
  return Router({ caseSensitive: true }).post(STATES_PATH, async (request, response) => {
    const body = await readContent(request, { contentType: "application/json", limit: BODY_LIMIT });
    const { state, params, action } = (body ?? {}) as {
      state?: string;
      params?: StateParameters;
      action?: string;
    };
    if (action === "teardown") return response.json({});
    const make = state !== undefined && Object.hasOwn(states, state) ? states[state] : undefined;
    if (!make) {
      const known = Object.keys(states).map((name) => `"${name}"`);
      throw problem("validation_failed", { detail: `state must be one of ${known.join(", ")}` });
    }
    return response.json(make(params));
  });
}
