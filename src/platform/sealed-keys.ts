import { randomBytes } from "node:crypto";
import type { Database } from "./db/database.ts";
import type { Vault } from "./deps.ts";

/** Opens a key of the platform's own: random, created once, and stored sealed, so that it outlives a change of SECRET_KEY. */
export async function openSealedKey(
  { kysely }: Pick<Database, "kysely">,
  vault: Vault,
  name: string,
): Promise<Buffer> {
  const found = () =>
    kysely.selectFrom("sealedKeys").select("sealed").where("name", "=", name).executeTakeFirst();
  if (!(await found()))
    await kysely
      .insertInto("sealedKeys")
      .values({ name, sealed: vault.seal(randomBytes(32).toString("base64")) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return Buffer.from(vault.open((await found())?.sealed ?? ""), "base64");
}
