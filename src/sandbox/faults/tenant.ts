import type { Request } from "express";
import type { Organisation, StoredShift } from "../organisation.ts";
import type { Call } from "./fault.ts";

const HEADERS = ["x-provider-id", "x-platform-provider-id"];

/** Returns the providerId of the call (contract 4.1), known or unknown. */
export function providerIdOf(request: Request): string | undefined {
  const [, prefix] = /^\/providers\/([^/]+)/.exec(request.path) ?? [];
  const [header] = HEADERS.map((name) => request.get(name)).filter((id) => id !== undefined);
  return (prefix ?? header)?.toLowerCase();
}

/** Returns the organisation that the call named originally. */
export function organisationOf({ organisations, providerId }: Call): Organisation | undefined {
  return organisations.get(providerId ?? "");
}

/** Returns the shift that the call names. */
export function shiftOf(call: Call): StoredShift | undefined {
  return organisationOf(call)?.shifts.get(call.path.shiftId ?? "");
}
