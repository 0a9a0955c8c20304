import type { Params } from "../../../generated/operations/types.ts";
import type { Unavailable } from "../../clients/provider/answer.ts";

/** Why a call gave no usable response, as parameters of a code. */
export function failureParams({
  failure,
  status,
  pointers,
  providerCode,
  retryAfterMs,
}: Unavailable): Params {
  return {
    failure,
    ...(status !== undefined && { status }),
    ...(pointers !== undefined && { pointers: [...pointers] }),
    ...(providerCode !== undefined && { providerCode }),
    ...(retryAfterMs !== undefined && { afterMs: Math.round(retryAfterMs) }),
  };
}
