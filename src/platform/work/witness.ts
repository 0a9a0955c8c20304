import type { Unavailable } from "../../clients/provider/answer.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";

interface Asked {
  kind: string;
  status?: number;
  code?: string | undefined;
  final?: boolean;
  unproven?: true;
}

/** A 404 without a code of the contract, which a gateway without a route sends too. */
export const isUnproven = ({ kind, status, code, final, unproven }: Asked): boolean =>
  unproven === true ||
  (kind === "refused" && status === 404 && code === undefined) ||
  (kind === "absent" && code !== "shift_not_found" && !(final === true && code !== undefined));

/**
 * Returns the answer, unless it is a 404 that no second call confirms: absence needs two witnesses. A provider that is well lists its outlets.
 */
export async function witnessed<Answer extends { kind: string }>(
  client: Pick<ProviderClient, "listOutlets">,
  answer: Answer,
  how: { traceId: string; signal: AbortSignal },
): Promise<Answer | Unavailable> {
  if (!isUnproven(answer)) return answer;
  const witness = await client.listOutlets(how);
  return witness.kind === "list" ? answer : UNCONFIRMED;
}

export const UNCONFIRMED: Unavailable = {
  kind: "unavailable",
  failure: "absence_unconfirmed",
  status: 404,
  reason: "status 404",
};

/** Returns the answer, unless it is such a 404: for calls that leave something else to find out by, so that a witness may not come too late. */
export const onlyProven = <Answer extends { kind: string }>(answer: Answer): Answer | Unavailable =>
  isUnproven(answer) ? UNCONFIRMED : answer;
