import type { Dialect } from "../../src/contract/dialect.ts";

const dialect = (
  routing: Dialect["routing"],
  variant: Dialect["variant"],
  notFound: Dialect["notFound"],
  unassign: Dialect["unassign"],
  acknowledgement: Dialect["acknowledgement"],
): Dialect => ({ routing, variant, notFound, unassign, acknowledgement });

/** Six dialects that contain every pair of forms (an orthogonal array). */
export const coveringDialects: readonly Dialect[] = [
  dialect("path", "a", "empty", "put", "minimal"),
  dialect("header", "b", "404", "delete", "full"),
  dialect("header", "b", "404", "put", "minimal"),
  dialect("header", "a", "empty", "delete", "full"),
  dialect("path", "b", "empty", "delete", "minimal"),
  dialect("path", "a", "404", "put", "full"),
];
