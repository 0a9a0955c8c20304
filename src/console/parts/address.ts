/** The address of a page with the members of the filter that are given as its query. */
export function addressWith(path: string, filter: Readonly<object>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given);
  return query.size === 0 ? path : `${path}?${query}`;
}
