import type { createClient } from "../../generated/operations/client.ts";

export type Operations = ReturnType<typeof createClient>;

interface Result {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/**
 * Returns the body of a successful response.
 *
 * @throws for any other response
 */
export function ok<R extends Result>({ data, error, response }: R): Extract<R, { error?: never }>["data"] {
  if (response.ok && error === undefined) return data;
  throw new Error(`status ${response.status}: ${JSON.stringify(error)}`);
}

interface Page<T> {
  items: T[];
  nextCursor?: string;
}

type PageResult<T> = { response: Response } & (
  | { data: Page<T>; error?: never }
  | { data?: never; error: unknown }
);

const LIMIT = 200;

/** Returns every item of a list, in its order. */
export async function everyPage<T>(
  read: (query: { limit: number; cursor?: string }) => Promise<PageResult<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = ok(await read({ limit: LIMIT, ...(cursor !== undefined && { cursor }) }));
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** Every outlet and role of an organisation, with what each is mapped to. */
export const mappingsOf = async ({ listOutlets, listRoles }: Operations, path: { providerId: string }) => ({
  outlets: await everyPage((query) => listOutlets({ params: { path, query } })),
  roles: await everyPage((query) => listRoles({ params: { path, query } })),
});
