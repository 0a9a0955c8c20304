import type { FieldError, IntegrationChange } from "../../../generated/operations/types.ts";
import { checkProviderUrl } from "../../clients/address-guard.ts";
import { problem } from "../../contract/problem.ts";

/**
 * Checks what no schema can express.
 * @throws ProblemError validation_failed (base URL, time zone)
 */
export function checkConnection(
  { baseUrl, timeZone }: Pick<IntegrationChange, "baseUrl" | "timeZone">,
  allowInsecure: boolean,
): void {
  const errors: FieldError[] = [];
  const fault = baseUrl === undefined ? undefined : faultOfUrl(baseUrl, allowInsecure);
  if (fault !== undefined) errors.push({ pointer: "/baseUrl", message: fault });
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    errors.push({ pointer: "/timeZone", message: "must be an IANA time zone, such as Europe/Stockholm" });
  }
  if (errors.length > 0)
    throw problem("validation_failed", {
      detail: "The integration cannot be used with these values.",
      errors,
    });
}

/**
 * Refuses to send the stored token to a host that the operator has not given it for.
 * @throws ProblemError validation_failed, when another origin comes without a token.
 */
export function requireTokenOfOrigin(before: string, { baseUrl, providerToken }: IntegrationChange): void {
  if (baseUrl === undefined || providerToken !== undefined) return;
  const { origin } = new URL(before);
  if (new URL(baseUrl).origin === origin) return;
  throw problem("validation_failed", {
    detail:
      "The stored PROVIDER_TOKEN is sent to no other origin. Send `providerToken` with the new `baseUrl`.",
    errors: [{ pointer: "/providerToken", message: `is required, because the base URL leaves ${origin}` }],
  });
}

function faultOfUrl(baseUrl: string, allowInsecure: boolean): string | undefined {
  const checked = checkProviderUrl(baseUrl, { allowInsecure });
  if (!checked.ok) return checked.reason;
  const { search, hash } = checked.url;
  return search !== "" || hash !== "" ? "must have no query and no fragment" : undefined;
}

/** ECMAScript accepts an offset (+01:00) as a zone too, but such a zone has no summer time. */
function isTimeZone(timeZone: string): boolean {
  if (!/^[a-z]/i.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
