import { createHmac } from "node:crypto";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Database } from "../db/database.ts";
import type { Numbers, Vault } from "../deps.ts";
import { openSealedKey } from "../sealed-keys.ts";

/**
 * Opens the key of the hash. Decision: it is not derived from SECRET_KEY, because the hash of an erased person cannot be computed again after SECRET_KEY
 * changes.
 */
export async function openPersonalNumbers(
  database: Pick<Database, "kysely">,
  vault: Vault,
): Promise<Numbers> {
  const key = await openSealedKey(database, vault, "personal-numbers");
  const hash = (number: PersonalNumber) => createHmac("sha256", key).update(number).digest("hex");
  return {
    hash,
    columns: (number) => ({ personalNumberSealed: vault.seal(number), personalNumberHash: hash(number) }),
    open: ({ personalNumberSealed: sealed }) => {
      const number = parsePersonalNumber(sealed === null ? "" : vault.open(sealed));
      if (!number) throw new Error("a stored personal number is not valid");
      return number;
    },
  };
}
