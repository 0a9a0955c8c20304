import { addressWith } from "../parts/address.ts";

/** Which people are shown. It is the query of the address. */
export interface PeopleFilter {
  /** A part of the name. */
  search?: string;
  competenceId?: string;
}

/** The filter in the query of an address, without unknown or empty members. */
export function filterOf({ search, competenceId }: Readonly<Record<string, string>>): PeopleFilter {
  return {
    ...(search?.trim() && { search: search.trim() }),
    ...(competenceId && { competenceId }),
  };
}

export const peopleAddress = (filter: PeopleFilter): string => addressWith("/console/people", filter);
