import type { Operator, Role } from "../../../generated/operations/types.ts";
import { addressWith } from "../parts/address.ts";
import { ROLES } from "../session/me.ts";

/** Which operators are shown. It is the query of the address. */
export interface OperatorFilter {
  /** Without it, those who are not revoked. */
  state?: "revoked" | "all";
  role?: Role;
}

/** The filter in the query of an address, without unknown or empty members. */
export function operatorFilterOf({ state, role }: Readonly<Record<string, string>>): OperatorFilter {
  const known = ROLES.find((each) => each === role);
  return {
    ...((state === "revoked" || state === "all") && { state }),
    ...(known && { role: known }),
  };
}

export const operatorsAddress = (filter: OperatorFilter): string => addressWith("/console/operators", filter);

export function fits({ role, revokedAt }: Operator, filter: OperatorFilter): boolean {
  if (filter.role !== undefined && role !== filter.role) return false;
  return filter.state === "all" || (revokedAt !== undefined) === (filter.state === "revoked");
}
