import type { Unavailable } from "../../clients/provider/answer.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";

interface MaybeAbsent {
  kind: string;
  status?: number;
  code?: string | undefined;
  final?: boolean;
  unproven?: true;
}

/** Whether the response is a 404 without a code of the contract, which a gateway without a route also returns. */
export const isUnproven = ({ kind, status, code, final, unproven }: MaybeAbsent): boolean =>
  unproven === true ||
  (kind === "refused" && status === 404 && code === undefined) ||
  (kind === "absent" && code !== "shift_not_found" && !(final === true && code !== undefined));

/** Returns the response, unless it is a 404 that no second call confirms. Absence needs two witnesses; a healthy provider lists its outlets. */
export async function witnessed<Response extends { kind: string }>(
  client: Pick<ProviderClient, "listOutlets">,
  response: Response,
  how: { traceId: string; signal: AbortSignal },
): Promise<Response | Unavailable> {
  if (!isUnproven(response)) return response;
  const witness = await client.listOutlets(how);
  return witness.kind === "list" ? response : UNCONFIRMED;
}

/**
 * Makes a call. Its 404 without the contract's code counts only if the provider responds to a second call, and then with the same 404 again:
 * a gateway may have got its route back in between.
 */
export async function witnessedTwice<Response extends { kind: string }>(
  client: Pick<ProviderClient, "listOutlets">,
  call: () => Promise<Response>,
  how: { traceId: string; signal: AbortSignal },
): Promise<Response | Unavailable> {
  const response = await witnessed(client, await call(), how);
  return isUnproven(response) ? call() : response;
}

/**
 * Returns the response to a call that a later look-up or reading verifies, unless it is a 404, 405 or 501 without the contract's code: the provider may
 * not know the person or the shift, or a gateway may lack the route.
 */
export function orMissingRoute<Response extends MaybeAbsent>(response: Response): Response | Unavailable {
  const { kind, status = 404, code } = response;
  const isNotAllowed = kind === "refused" && status === 405 && code === undefined;
  const isNotImplemented = kind === "unavailable" && status === 501;
  if (!isUnproven(response) && !isNotAllowed && !isNotImplemented) return response;
  return { kind: "unavailable", failure: "route_missing", status, reason: `status ${status}` };
}

export const UNCONFIRMED: Unavailable = {
  kind: "unavailable",
  failure: "absence_unconfirmed",
  status: 404,
  reason: "status 404",
};
