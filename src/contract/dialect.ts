/** The choices that the contract leaves to a provider. Each combination of their forms is a dialect. */
export const DIALECT_CHOICES = {
  routing: {
    name: "Organisation",
    section: "4.1",
    forms: [
      ["path", "in the path, /providers/{providerId}/..."],
      ["header", "in X-Provider-Id or X-Platform-Provider-Id"],
    ],
  },
  variant: {
    name: "Fields of a shift",
    section: "2.2",
    forms: [
      ["a", "Variant A, with slots and names"],
      ["b", "Variant B, with numberOfPositions and status"],
    ],
  },
  notFound: {
    name: "Candidate not found",
    section: "4.2",
    forms: [
      ["empty", "200 with an empty array"],
      ["404", "404"],
    ],
  },
  unassign: {
    name: "Unassign",
    section: "4.2",
    forms: [
      ["put", "PUT /shifts/{id}/unassign/{candidateId}"],
      ["delete", "DELETE /shifts/{id}/assign/{candidateId}"],
    ],
  },
  acknowledgement: {
    name: "Assignment response",
    section: "4.2",
    forms: [
      ["minimal", "success only"],
      ["full", "success, shiftId, candidateId, and assignedAt"],
    ],
  },
} as const;

export type DialectChoice = keyof typeof DIALECT_CHOICES;
type Form<Choice extends DialectChoice> = (typeof DIALECT_CHOICES)[Choice]["forms"][number][0];

/** The form that a provider uses of each choice. */
export type Dialect = { [Choice in DialectChoice]: Form<Choice> };

/** What was observed of a provider's dialect so far. Routing is configured, never observed. */
export type SeenDialect = Partial<Omit<Dialect, "routing">>;

/** Returns the forms of a choice, in the order of the contract. */
export const formsOf = <Choice extends DialectChoice>(choice: Choice): Form<Choice>[] =>
  DIALECT_CHOICES[choice].forms.map(([form]) => form);

/** Returns all 32 combinations. */
export function everyDialect(): Dialect[] {
  return (Object.keys(DIALECT_CHOICES) as DialectChoice[]).reduce<Partial<Dialect>[]>(
    (dialects, choice) =>
      dialects.flatMap((dialect) => formsOf(choice).map((form) => ({ ...dialect, [choice]: form }))),
    [{}],
  ) as Dialect[];
}

/** Returns a name such as `path a empty put minimal`, short enough for a test and a log line. */
export function dialectName(dialect: Dialect): string {
  return Object.values(dialect).join(" ");
}
