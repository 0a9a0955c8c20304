import type { CandidateCreate } from "../../../generated/provider/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import type { Call } from "../../clients/provider/parts.ts";
import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Booking } from "../db/schema.ts";
import type { Deps } from "../deps.ts";

/** Who the candidate is at the provider: found there, or created. */
export type ProviderCandidate =
  | { kind: "candidate"; id: string; how: "found" | "created" }
  /** More than one match: a wrong guess would hire a person twice. */
  | { kind: "ambiguous"; matches: number }
  | Failure;

/** Looks the candidate up and creates who is not found (contract section 1, flow 2); undefined: nobody is found, or wanted any more. */
export async function findOrCreate(
  deps: Deps,
  client: ProviderClient,
  { candidate_id, booking_id }: Booking,
  call: Call,
): Promise<ProviderCandidate | undefined> {
  const payload = await payloadOf(deps, candidate_id);
  const found = await lookUp(client, payload.personalNumber, call);
  if (found) return found;
  // The look-up may have taken long, and a person's data is not sent for nothing.
  if (await wasWithdrawn(deps, booking_id)) return undefined;
  const created = await client.createCandidate(payload, call);
  if (created.kind === "created") return { kind: "candidate", id: created.candidate.id, how: "created" };
  if (created.kind !== "exists") return created;
  const raced = await lookUp(client, payload.personalNumber, call);
  return raced ?? { kind: "refused", status: 409, code: "candidate_exists" };
}

/** Who the candidate is at the provider, if it knows the person; nobody is created. */
export async function whoIs(
  deps: Deps,
  client: ProviderClient,
  candidateId: string,
  call: Call,
): Promise<ProviderCandidate | undefined> {
  const { personalNumber } = await payloadOf(deps, candidateId);
  return lookUp(client, personalNumber, call);
}

async function wasWithdrawn({ database }: Deps, bookingId: string): Promise<boolean> {
  const booking = await database.kysely
    .selectFrom("bookings")
    .select("withdrawn_at")
    .where("booking_id", "=", bookingId)
    .executeTakeFirst();
  return booking?.withdrawn_at !== null;
}

async function lookUp(
  client: ProviderClient,
  stored: string,
  call: Call,
): Promise<ProviderCandidate | undefined> {
  const number = parsePersonalNumber(stored);
  if (!number) throw new Error("a stored personal number is not one");
  const answer = await client.findCandidates(number, call);
  if (answer.kind !== "found") return answer;
  const [first, ...others] = answer.candidates;
  if (!first) return undefined;
  if (others.length > 0) return { kind: "ambiguous", matches: answer.candidates.length };
  return { kind: "candidate", id: first.id, how: "found" };
}

/** The minimal payload to book, the full one only when the platform hires (DECISIONS). */
async function payloadOf({ database, vault }: Deps, candidateId: string): Promise<CandidateCreate> {
  const row = await database.kysely
    .selectFrom("candidates")
    .selectAll()
    .where("candidate_id", "=", candidateId)
    .executeTakeFirstOrThrow();
  return {
    personalNumber: row.personal_number,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: row.phone,
    ...(row.hire !== null && JSON.parse(vault.open(row.hire))),
  };
}
