import { createClient } from "../../../generated/provider/client.ts";
import type { Dialect, SeenDialect } from "../../contract/dialect.ts";
import { assignmentCalls } from "./assignments.ts";
import { candidateCalls } from "./candidates.ts";
import { globalFetch, type ProviderFetch } from "./global-fetch.ts";
import { organisationCalls } from "./organisation.ts";
import type { ProviderParts } from "./parts.ts";
import { shiftCalls } from "./shifts.ts";

export interface ProviderClientOptions {
  /** Where the provider's API is, without the `/providers/{providerId}` prefix. */
  baseUrl: string;
  /** UUID of the organisation (contract 2.1). */
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  /** Path prefix (the default, recommended) or header (contract 4.1). */
  routing?: Dialect["routing"];
  /** IANA zone in which a time without offset is read; Europe/Stockholm unless given. */
  timeZone?: string;
  /** What earlier calls have shown of the provider's dialect. */
  seen?: SeenDialect;
  /** Called when an answer shows a form of the contract that was not known of this provider. */
  onSeen?: (seen: SeenDialect) => void;
  /** Called with what each shift held: names of optional fields that had a value, and of what was odd about it. */
  onFields?: (fields: readonly string[]) => void;
  /**
   * Makes the calls, and rejects with ProviderHttpError: the global `fetch` with a time limit of 10 s unless given. `createProviderHttp`
   * of `shiftpact/node` adds a size limit and the address guard.
   */
  fetch?: ProviderFetch;
}

export type ProviderClient = ReturnType<typeof createProviderClient>;

/**
 * The platform's calls to one provider (contract 4.2). Every form that the contract gives is understood, and every method
 * answers with a union: what was asked for, `refused` (do not ask again) or `unavailable` (ask again later).
 */
export function createProviderClient(options: ProviderClientOptions) {
  const client = createClient({
    baseUrl: baseUrlOf(options),
    fetch: (request) => (options.fetch ?? globalFetch)(request),
    headers: headersOf(options),
  });
  const parts = partsOf(options);
  return {
    ...shiftCalls(client, parts),
    ...assignmentCalls(client, parts),
    ...candidateCalls(client, parts),
    ...organisationCalls(client),
  };
}

/** Where the paths of the contract's section 4.2 begin. */
export function baseUrlOf({
  baseUrl,
  providerId,
  routing = "path",
}: Pick<ProviderClientOptions, "baseUrl" | "providerId" | "routing">): string {
  const base = baseUrl.replace(/\/+$/, "");
  return routing === "path" ? `${base}/providers/${providerId}` : base;
}

/** With header routing both of the names that the contract gives, with one value. */
function headersOf({ providerId, token, routing = "path" }: ProviderClientOptions): Record<string, string> {
  const tenant = { "X-Provider-Id": providerId, "X-Platform-Provider-Id": providerId };
  return {
    Authorization: `Bearer ${token}`,
    Accept: "application/json, application/problem+json",
    ...(routing === "header" && tenant),
  };
}

function partsOf(options: ProviderClientOptions): ProviderParts {
  const {
    timeZone = "Europe/Stockholm",
    seen = {},
    onSeen,
    onFields = () => undefined,
    fetch = globalFetch,
  } = options;
  const known: SeenDialect = { ...seen };
  return {
    timeZone,
    seen: known,
    onSeen: (news) => {
      const isNews = Object.entries(news).some(([form, value]) => known[form as keyof SeenDialect] !== value);
      if (!isNews) return;
      Object.assign(known, news);
      onSeen?.({ ...known });
    },
    onFields,
    fetch,
  };
}
