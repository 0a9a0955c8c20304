/**
 * Which of the contract's forms a provider uses. the contract gives two of each; a provider that speaks any combination works.
 */
export interface Dialect {
  /** How the provider is told the organisation (contract 4.1). */
  routing: "path" | "header";
  /** Which field set its shifts hold (contract 2.2). */
  variant: "a" | "b";
  /** How it says that no candidate matches (contract 4.2). */
  notFound: "empty" | "404";
  /** How it is asked to unassign: `PUT /unassign/` or `DELETE /assign/` (contract 4.2). */
  unassign: "put" | "delete";
  /** What it answers to an assignment (contract 4.2). */
  acknowledgement: "minimal" | "full";
}

/** What was seen of a provider's dialect so far. Routing is configured, never seen. */
export type SeenDialect = Partial<Omit<Dialect, "routing">>;

const FORMS = {
  routing: ["path", "header"],
  variant: ["a", "b"],
  notFound: ["empty", "404"],
  unassign: ["put", "delete"],
  acknowledgement: ["minimal", "full"],
} as const satisfies { [Form in keyof Dialect]: readonly Dialect[Form][] };

/** All 32 combinations. */
export function everyDialect(): Dialect[] {
  return Object.entries(FORMS).reduce<Partial<Dialect>[]>(
    (dialects, [form, values]) =>
      dialects.flatMap((dialect) => values.map((value) => ({ ...dialect, [form]: value }))),
    [{}],
  ) as Dialect[];
}

/** `path a empty put minimal`: short enough for a test's name and a log line. */
export function dialectName(dialect: Dialect): string {
  return Object.values(dialect).join(" ");
}
