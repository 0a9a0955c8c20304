import { createClient } from "../../../generated/provider/client.ts";
import { withoutTrailingSlashes } from "../../contract/base-url.ts";
import type { Dialect, SeenDialect } from "../../contract/dialect.ts";
import { pathFiller, requireHeaders } from "../../runtime/path.ts";
import { type Unavailable, withShallowErrors } from "./answer.ts";
import { assignmentCalls } from "./assignments.ts";
import { candidateCalls } from "./candidates.ts";
import { globalFetch, type ProviderFetch } from "./global-fetch.ts";
import { organisationCalls } from "./organisation.ts";
import type { ProviderParts } from "./parts.ts";
import { shiftCalls } from "./shifts.ts";

export interface ProviderClientOptions {
  /** The URL of the provider's API, without the `/providers/{providerId}` prefix. */
  baseUrl: string;
  /** UUID of the organisation (contract 2.1). */
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  /** Path prefix (the default, recommended) or header (contract 4.1). */
  routing?: Dialect["routing"];
  /** IANA zone in which a time without offset is read; Europe/Stockholm unless given. */
  timeZone?: string;
  /** The provider's dialect as seen in earlier calls. */
  seen?: SeenDialect;
  /** Called when a response shows a form of the contract that was unknown for this provider. */
  onSeen?: (seen: SeenDialect) => void;
  /** Called with each result, and with what the call was about: the operation, and the shift. */
  onOutcome?: (about: string, outcome: CallOutcome) => void;
  /**
   * Makes the calls, and rejects with ProviderHttpError: the global `fetch` with a time limit of 10 s unless given. `createProviderHttp`
   * of `shiftpact/node` adds a size limit and the address guard.
   */
  fetch?: ProviderFetch;
}

export type ProviderClient = ReturnType<typeof createProviderClient>;

/**
 * Returns the platform's calls to one provider (contract 4.2). It supports every form of the contract. Every method
 * returns a union: the requested value, `refused` (do not retry) or `unavailable` (retry later). It rejects only with a
 * `ParameterError`, before the call: an id cannot be sent as it is, or would lead to another path.
 * @throws ParameterError for such a providerId
 */
export function createProviderClient(options: ProviderClientOptions) {
  const fetch = withShallowErrors(options.fetch ?? globalFetch);
  const client = createClient({
    baseUrl: baseUrlOf(options),
    fetch: (request) => fetch(request),
    headers: headersOf(options),
    tokens: { providerToken: options.token },
  });
  const parts = partsOf({ ...options, fetch });
  const calls = {
    ...shiftCalls(client, parts),
    ...assignmentCalls(client, parts),
    ...candidateCalls(client, parts),
    ...organisationCalls(client),
  };
  return options.onOutcome ? observed(calls, options.onOutcome) : calls;
}

/** What the result of any call has. */
export type CallOutcome = { kind: string } | Unavailable;

type Calls = Record<string, (...given: never[]) => Promise<CallOutcome>>;

function observed<Known extends Calls>(
  calls: Known,
  onOutcome: NonNullable<ProviderClientOptions["onOutcome"]>,
): Known {
  const entries = Object.entries(calls).map(([name, call]) => [
    name,
    async (...given: never[]) => {
      const outcome = await call(...given);
      const [shiftId] = given as unknown[];
      onOutcome(name.endsWith("Shift") ? `${name} ${shiftId}` : name, outcome);
      return outcome;
    },
  ]);
  return Object.fromEntries(entries) as Known;
}

const ORGANISATION = "/providers/{providerId}";
const fillPath = pathFiller([ORGANISATION]);

/** Returns the URL that the paths of the contract's section 4.2 are relative to. @throws ParameterError */
export function baseUrlOf({
  baseUrl,
  providerId,
  routing = "path",
}: Pick<ProviderClientOptions, "baseUrl" | "providerId" | "routing">): string {
  const base = withoutTrailingSlashes(baseUrl);
  return routing === "path" ? base + fillPath(ORGANISATION, { providerId }) : base;
}

/** Header routing sends both header names of the contract, with one value. */
function headersOf({ providerId, routing = "path" }: ProviderClientOptions): Record<string, string> {
  const tenant = { "X-Provider-Id": providerId, "X-Platform-Provider-Id": providerId };
  if (routing === "header") requireHeaders(tenant);
  return {
    Accept: "application/json, application/problem+json",
    ...(routing === "header" && tenant),
  };
}

function partsOf(options: ProviderClientOptions): ProviderParts {
  const { timeZone = "Europe/Stockholm", seen = {}, onSeen, fetch = globalFetch } = options;
  const known: SeenDialect = { ...seen };
  return {
    timeZone,
    seen: known,
    onSeen: (update) => {
      const isNew = Object.entries(update).some(
        ([form, value]) => known[form as keyof SeenDialect] !== value,
      );
      if (!isNew) return;
      Object.assign(known, update);
      onSeen?.({ ...known });
    },
    fetch,
  };
}
