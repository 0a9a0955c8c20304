import type { Dialect } from "../../src/contract/dialect.ts";

const dialect = (
  routing: Dialect["routing"],
  variant: Dialect["variant"],
  notFound: Dialect["notFound"],
  unassign: Dialect["unassign"],
  acknowledgement: Dialect["acknowledgement"],
): Dialect => ({ routing, variant, notFound, unassign, acknowledgement });

/** Every pair of forms stands in one of them (an orthogonal array of six rows). */
export const coveringDialects: readonly Dialect[] = [
  dialect("path", "a", "empty", "put", "minimal"),
  dialect("header", "b", "404", "delete", "full"),
  dialect("header", "b", "404", "put", "minimal"),
  dialect("header", "a", "empty", "delete", "full"),
  dialect("path", "b", "empty", "delete", "minimal"),
  dialect("path", "a", "404", "put", "full"),
];
