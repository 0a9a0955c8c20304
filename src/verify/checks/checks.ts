import type { Check } from "./check.ts";
import { dialect } from "./dialect.ts";
import { reachability } from "./reachability.ts";

/** Every check; within a group they run in this order. */
export const checks: readonly Check[] = [reachability, dialect];
