import { sql } from "kysely";
import type { Language } from "../../../generated/operations/types.ts";
import { EMAIL, FIRST_NAME, ofOrganisation } from "../candidates/membership.ts";
import type { Deps, LinkTarget } from "../deps.ts";
import { transact } from "../transaction.ts";

/** To whom a link to all shifts of a candidate at an organisation, or one that ends mail with offers, leads. */
export interface LinkedPerson {
  firstName: string;
  address: string;
  organisation: string;
  language: Language;
  target: LinkTarget;
  /** Wants no mail with offers. */
  isUnsubscribed: boolean;
}

interface Row extends Omit<LinkedPerson, "language" | "target"> {
  salt: number;
  candidateLanguage: Language | null;
  organisationLanguage: Language | null;
}

/** Returns the person of a link; undefined if the link has ended. */
export async function readLinkedPerson(
  { database, language }: Pick<Deps, "database" | "language">,
  target: LinkTarget,
): Promise<LinkedPerson | undefined> {
  const { providerId, id, salt } = target;
  const { rows } = await sql<Row>`
    select ${FIRST_NAME} as "firstName", ${EMAIL} as address, integrations.name as organisation, candidates.language as "candidateLanguage",
      integrations.language as "organisationLanguage", coalesce(personal_links.salt, 0) as salt, unsubscribed_at is not null as "isUnsubscribed"
    from integrations join candidates on candidates.candidate_id = ${id} and erased_at is null ${ofOrganisation(providerId)}
      left join personal_links on personal_links.provider_id = ${providerId} and personal_links.candidate_id = candidates.candidate_id
    where integrations.provider_id = ${providerId}`.execute(database.kysely);
  const [row] = rows;
  if (row?.salt !== salt) return undefined;
  const { candidateLanguage, organisationLanguage, salt: _, ...person } = row;
  return { ...person, target, language: candidateLanguage ?? organisationLanguage ?? language };
}

/** Ends mail with offers, or takes that back. Mail that has not been handed to the mail server yet is not sent any more. */
export async function subscribe(
  deps: Pick<Deps, "database" | "now">,
  { target: { providerId, id: candidateId, salt }, isUnsubscribed }: LinkedPerson,
  wants: boolean,
): Promise<void> {
  if (wants === !isUnsubscribed) return;
  const unsubscribedAt = wants ? null : deps.now();
  await transact(deps, async (trx) => {
    await trx
      .insertInto("personalLinks")
      .values({ providerId, candidateId, salt, unsubscribedAt })
      .onConflict((conflict) =>
        conflict.columns(["providerId", "candidateId"]).doUpdateSet({ unsubscribedAt }),
      )
      .execute();
  });
}
