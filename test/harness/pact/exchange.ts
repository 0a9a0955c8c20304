import type { MatchersV3, PactV4 } from "@pact-foundation/pact";
import type { ProviderClient } from "../../../src/clients/provider/client.ts";
import type { Dialect, SeenDialect } from "../../../src/contract/dialect.ts";
import type { KnownForms } from "../../../src/verify/contracts.ts";
import { aBearerToken, aJsonType, aTraceparent, aUuid, EXAMPLES, stated } from "./matching.ts";

/** One request and its response: one interaction of the contract. `{names}` are values of the provider state. */
export interface Exchange {
  does: string;
  /** The forms of the providers that it applies to. */
  forms?: KnownForms;
  given: { state: string; parameters?: Record<string, number> };
  method: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  query?: Record<string, MatchersV3.Matcher<string>>;
  body?: unknown;
  status: number | MatchersV3.StatusCodeMatcher<number>;
  /** The members that the platform needs; any body unless given. */
  answer?: unknown;
}

/** One call of the client and its exchanges, in their order. */
export interface Row {
  calls: string;
  exchanges: readonly [Exchange, ...Exchange[]];
  /** The provider's dialect as seen in earlier calls. */
  seen?: SeenDialect;
  call: (client: ProviderClient) => Promise<unknown>;
  /** The result of the client. */
  gives: object;
}

/** The options of every call. */
export const CALL = { traceId: EXAMPLES.traceId };

const HEADERS = {
  Authorization: aBearerToken(),
  "X-Trace-Id": aUuid(EXAMPLES.traceId),
  traceparent: aTraceparent(),
};

const TENANT_HEADERS = {
  "X-Provider-Id": stated("{providerId}"),
  "X-Platform-Provider-Id": stated("{providerId}"),
};

/** `/providers/{providerId}/shifts/{shiftId}` or `/shifts/{shiftId}` (contract 4.1). */
export function routed({ path }: Exchange, routing: Dialect["routing"]): string {
  return routing === "path" ? `/providers/{providerId}${path}` : path;
}

/** Adds the interaction to those of the test's mock server. */
export function addExchange(pact: PactV4, exchange: Exchange, routing: Dialect["routing"]) {
  const { does, forms, given, method, query, body, status, answer } = exchange;
  return pact
    .addInteraction()
    .given(given.state, given.parameters)
    .uponReceiving(describeInteraction(does, { routing, ...forms }))
    .withRequest(method, stated(routed(exchange, routing)), (request) => {
      request.headers({ ...HEADERS, ...(routing === "header" && TENANT_HEADERS) });
      if (query) request.query(query);
      if (body) request.jsonBody(body);
    })
    .willRespondWith(status, (response) => {
      if (answer) response.headers({ "Content-Type": aJsonType() }).jsonBody(answer);
    });
}

/**
 * Returns an interaction's description with the forms it is limited to: `reads a shift [routing=path variant=a]`.
 * The description contains the forms, because every Pact verifier can filter by it.
 */
export function describeInteraction(does: string, forms: KnownForms): string {
  const pairs = Object.entries(forms).map(([form, value]) => `${form}=${value}`);
  return pairs.length === 0 ? does : `${does} [${pairs.join(" ")}]`;
}
