import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import type { Page, PageQuery, ReadPage } from "../data/pages.ts";
import { type Pages, usePages } from "../data/use-pages.ts";
import { type Draft, type Mappable, mappableOutlet, mappableRole } from "./mapping.ts";
import { concernsMapping } from "./use-integration.ts";

/** The outlets or the roles of an organisation, as far as they are shown. */
export interface MappedList {
  pages: Pages<Mappable>;
  /** A part of the name, or the id. */
  search: string;
  find(search: string): void;
  /** Of what the search finds. */
  readUnmapped: ReadPage<Mappable>;
}

export type MappedLists = Record<keyof Draft, MappedList>;

/** Both lists. An issue leads to its outlet or role: the address names the id that is searched for at first. */
export function useMappedLists(providerId: string): MappedLists {
  return { outlets: useMappedList(providerId, "outlets"), roles: useMappedList(providerId, "roles") };
}

function useMappedList(providerId: string, kind: keyof Draft): MappedList {
  const { query } = useLocation();
  const [search, find] = useState(query[kind] ?? "");
  const read = (state: "unmapped" | undefined) => (page: PageQuery) =>
    READ[kind](providerId, { ...page, ...(search && { search }), ...(state && { state }) });
  const pages = usePages(`${kind} of ${providerId} ${search}`, read(undefined), concernsMapping(providerId));
  return { pages, search, find, readUnmapped: (page) => read("unmapped")({ limit: MOST, ...page }) };
}

/** The most rows of a page that the platform returns. */
const MOST = 200;

interface ListQuery extends PageQuery {
  search?: string;
  state?: "unmapped";
}

const READ: Record<keyof Draft, (providerId: string, query: ListQuery) => Promise<Page<Mappable>>> = {
  outlets: async (providerId, query) => {
    const { items, ...rest } = await ask(api.listOutlets({ params: { path: { providerId }, query } }));
    return { items: items.map(mappableOutlet), ...rest };
  },
  roles: async (providerId, query) => {
    const { items, ...rest } = await ask(api.listRoles({ params: { path: { providerId }, query } }));
    return { items: items.map(mappableRole), ...rest };
  },
};
