/** Reads a member of a query; undefined for a value that it does not accept. */
type Rule = (text: string) => string | undefined;

/** The members of a filter. */
export type FilterRules = Readonly<Record<string, Rule>>;

export type Filter<Rules extends FilterRules> = {
  [name in keyof Rules]?: NonNullable<ReturnType<Rules[name]>>;
};

export const anyText = (text: string): string => text;

export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((value) => value === text);

/** A calendar day: `2026-11-24`. */
export function aDay(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** The filter in the query of an address, without unknown, invalid, or empty members. */
export function readFilter<Rules extends FilterRules>(
  rules: Rules,
  query: Readonly<Record<string, string>>,
): Filter<Rules> {
  const read = Object.entries(rules).map(([name, rule]) => [name, rule(query[name]?.trim() ?? "")]);
  return Object.fromEntries(read.filter(([, value]) => value));
}

/** The address of a page with the given members of a filter as its query. */
export function addressWith(path: string, filter: Readonly<object>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given);
  return query.size === 0 ? path : `${path}?${query}`;
}
