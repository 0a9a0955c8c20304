import type { Role } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";

/** The operator behind a request. */
export interface Operator {
  /** Null: the first admin, who has OPERATIONS_TOKEN. */
  operatorId: string | null;
  name: string;
  role: Role;
  /** Of the token, unless it does not expire. */
  tokenValidUntil?: Date;
}

export interface Identity extends Operator {
  /** Of the client. */
  address: string;
}

/** OPERATIONS_TOKEN is this operator's. */
export const FIRST_ADMIN: Operator = { operatorId: null, name: "first admin", role: "admin" };

/** The first of these roles that the operator does not have. An operation that names no role needs `admin`. */
export function missingRole({ role }: Operator, needed: readonly string[]): string | undefined {
  const held: readonly string[] = ROLE_NAMES.slice(0, ROLE_NAMES.indexOf(role) + 1);
  const wanted = needed.length > 0 ? needed : ["admin"];
  return wanted.find((name) => !held.includes(name));
}
