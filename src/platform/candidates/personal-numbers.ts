import { createHmac, randomBytes } from "node:crypto";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Database } from "../db/database.ts";
import type { Numbers, Vault } from "../deps.ts";

const NAME = "personal-numbers";

/**
 * Opens the key of the hash, which is random, created once, and stored sealed. Decision: it is not derived from SECRET_KEY, because the hash of an
 * erased person cannot be computed again after SECRET_KEY changes.
 */
export async function openPersonalNumbers(
  { kysely }: Pick<Database, "kysely">,
  vault: Vault,
): Promise<Numbers> {
  const made = { name: NAME, sealed: vault.seal(randomBytes(32).toString("base64")) };
  const found = () =>
    kysely.selectFrom("sealed_keys").select("sealed").where("name", "=", NAME).executeTakeFirst();
  if (!(await found()))
    await kysely
      .insertInto("sealed_keys")
      .values(made)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const key = Buffer.from(vault.open((await found())?.sealed ?? ""), "base64");
  const hash = (number: PersonalNumber) => createHmac("sha256", key).update(number).digest("hex");
  return {
    hash,
    columns: (number) => ({ personal_number_sealed: vault.seal(number), personal_number_hash: hash(number) }),
    open: ({ personal_number_sealed: sealed }) => {
      const number = parsePersonalNumber(sealed === null ? "" : vault.open(sealed));
      if (!number) throw new Error("a stored personal number is not valid");
      return number;
    },
  };
}
