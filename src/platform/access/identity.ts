import type { Role } from "../../../generated/operations/types.ts";

/** The operator behind a request. */
export interface Operator {
  /** Null: the first admin, who has OPERATIONS_TOKEN. */
  operatorId: string | null;
  name: string;
  role: Role;
}

export interface Identity extends Operator {
  /** Of the client. */
  address: string;
}

/** OPERATIONS_TOKEN is this operator's. */
export const FIRST_ADMIN: Operator = { operatorId: null, name: "first admin", role: "admin" };

/** Each includes the ones before it. */
const ROLES: readonly string[] = ["viewer", "operator", "people", "admin"] satisfies Role[];

/** The first of these roles that the operator does not have. An operation that names no role needs `admin`. */
export function missingRole({ role }: Operator, needed: readonly string[]): string | undefined {
  const rank = ROLES.indexOf(role);
  const wanted = needed.length > 0 ? needed : ["admin"];
  return wanted.find((name) => !ROLES.includes(name) || ROLES.indexOf(name) > rank);
}
