import type { Role } from "../../generated/operations/types.ts";

/** Each role includes the ones before it (operations document, "Operators and roles"). */
export const ROLE_NAMES = ["viewer", "operator", "people", "admin"] as const satisfies readonly Role[];
