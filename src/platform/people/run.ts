import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { FailureCode } from "../../../generated/operations/types.ts";
import type { CandidateCreate } from "../../../generated/provider/types.ts";
import type { Unavailable } from "../../clients/provider/answer.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { EMAIL, FIRST_NAME, LAST_NAME, ofOrganisation, PHONE } from "../candidates/eligible.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import { atOneTime, type Deps } from "../deps.ts";
import { begin, recordRoute } from "../integrations/conditions.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { raiseIssue } from "../issues.ts";
import { failureParams } from "../step.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { retryAfterFailure } from "../work/retry.ts";
import { type Claim, endClaim, markShiftsDue, PRIORITY, type Run, renewClaim } from "../work/rows.ts";
import { orMissingRoute, witnessed } from "../work/witness.ts";
import { type Answer, createHadNoEffect, type PersonStep, planPerson } from "./plan.ts";
import { type Columns, remember, update } from "./rows.ts";

/** A person who has to be identified at a provider, because a booking waits. */
interface Wanted {
  isForgotten: boolean;
  created: FailureCode | null;
  keptId: string | null;
  forgottenAt: number | null;
  createSentAt: number | null;
  idempotencyKey: string | null;
  traceId: string;
  shiftId: string;
  jobId: string;
}

/** `durationMs`: of the last call. `isUnsent`: the call was a create and had no effect. */
type Identified = Wanted & { durationMs: number; isUnsent: boolean };

/** Identifies a person at the provider: a reconciliation of its own, one run at a time for each person and provider. */
export const reconcilePerson =
  (deps: Deps): Run =>
  async (claim, signal) => {
    const { kysely } = deps.database;
    const integration = await requireIntegration(kysely, claim.providerId);
    const client = deps.clientFor(integration, claim.priority === PRIORITY.interactive);
    let answer: Answer | undefined;
    let asked: "look_up" | "create" | undefined;
    let existsUnseen = false;
    let durationMs = 0;
    for (;;) {
      const frozen = atOneTime(deps);
      const wanted = await findWanted(frozen, claim);
      if (!wanted) return transact(deps, (trx) => finish(trx, deps, claim));
      const now = frozen.now().getTime();
      const next = planPerson({ ...wanted, existsUnseen }, answer, now, deps.timing);
      if (next.do !== "look_up" && next.do !== "create")
        return conclude(
          deps,
          claim,
          { ...wanted, durationMs, isUnsent: createHadNoEffect(asked, answer) },
          next,
        );
      asked = next.do;
      existsUnseen = answer?.kind === "exists";
      const startedAt = performance.now();
      answer = await ask(deps, client, claim, wanted, next.do, signal);
      durationMs = performance.now() - startedAt;
      signal.throwIfAborted();
    }
  };

/** Whether a booking waits for its person: it is to be assigned, for the first time or again, or the provider may know the person under another id. */
const IS_WAITING = sql<boolean>`(${HOLDS_SEAT} and bookings.withdrawn_at is null or bookings.route_doubt is not null and bookings.at_provider <> 'no')`;

interface Row extends Omit<Wanted, "createSentAt" | "forgottenAt"> {
  sentMsAgo: number | null;
  forgottenMsAgo: number | null;
}

/** Returns the booking that has waited longest for the person, if any. */
async function findWanted(
  { database, now }: Pick<Deps, "database" | "now">,
  { providerId, key }: Claim,
): Promise<Wanted | undefined> {
  const { rows } = await sql<Row>`
    select (extract(epoch from now() - known.create_sent_at) * 1000)::float8 as "sentMsAgo",
      known.idempotency_key, coalesce(known.trouble ->> 'kind' = 'forgotten', false) as "isForgotten",
      known.trouble ->> 'failure' as created, known.trouble ->> 'id' as "keptId",
      (extract(epoch from now() - (known.trouble ->> 'since')::timestamptz) * 1000)::float8 as "forgottenMsAgo",
      bookings.trace_id, jobs.shift_id, jobs.job_id
    from provider_candidates as known
    join bookings on bookings.provider_id = known.provider_id and bookings.candidate_id = known.candidate_id
    join jobs on jobs.provider_id = bookings.provider_id and jobs.job_id = bookings.job_id
    where known.provider_id = ${providerId} and known.candidate_id = ${key} and known.provider_candidate_id is null
      and coalesce(known.trouble ->> 'kind' in ('forgotten', 'created'), true) and ${IS_WAITING}
      and jobs.status <> 'cancelled' and jobs.start_time > ${now()}
    order by bookings.booking_id limit 1`.execute(database.kysely);
  const [row] = rows;
  if (!row) return undefined;
  const { sentMsAgo, forgottenMsAgo, ...wanted } = row;
  const at = (msAgo: number | null) => (msAgo === null ? null : now().getTime() - msAgo);
  return { ...wanted, createSentAt: at(sentMsAgo), forgottenAt: at(forgottenMsAgo) };
}

/** Makes the shifts that wait for the person due. */
async function finish(trx: Trx, deps: Deps, claim: Claim): Promise<void> {
  const { providerId, key } = claim;
  const waiting = sql`
    select jobs.provider_id, jobs.shift_id from bookings join jobs using (provider_id, job_id)
    where bookings.provider_id = ${providerId} and bookings.candidate_id = ${key} and ${IS_WAITING}
      and (bookings.status <> 'confirmed' or jobs.start_time > ${deps.now()})`;
  await markShiftsDue(trx, deps, waiting, PRIORITY.interactive);
  endClaim(trx, claim, { attempts: 0, priority: claim.priority });
}

async function ask(
  deps: Deps,
  client: ProviderClient,
  claim: Claim,
  { traceId, idempotencyKey }: Wanted,
  what: "look_up" | "create",
  signal: AbortSignal,
): Promise<Answer> {
  const payload = await payloadOf(deps, claim);
  if (what === "look_up") {
    const how = { traceId, signal };
    const answer = await witnessed(client, await client.findCandidates(numberOf(payload), how), how);
    return answer.kind === "found" ? { kind: "found", ids: answer.candidates.map(({ id }) => id) } : answer;
  }
  const key = idempotencyKey ?? randomUUID();
  await transact(deps, async (trx) => {
    await update(trx, claim, { createSentAt: sql<Date>`now()`, idempotencyKey: key });
    renewClaim(trx, claim);
  });
  const how = { traceId, signal, idempotencyKey: key };
  // Without the contract's code, it never means that the provider refuses the person.
  const answer = orMissingRoute(await client.createCandidate(payload, how));
  return answer.kind === "created" ? { kind: "created", id: answer.candidate.id } : answer;
}

function numberOf({ personalNumber }: CandidateCreate): PersonalNumber {
  const number = parsePersonalNumber(personalNumber);
  if (!number) throw new Error("a stored personal number is not valid");
  return number;
}

interface Person extends Pick<CandidateCreate, "firstName" | "lastName" | "email" | "phone"> {
  personalNumberSealed: string | null;
  hire: string | null;
}

/** Returns what the provider needs: the minimal payload to book, the full one only to hire (decisions, "minimal or full create payload"). */
async function payloadOf(
  { database, vault, numbers }: Deps,
  { providerId, key }: Claim,
): Promise<CandidateCreate> {
  const { rows } = await sql<Person>`
    select personal_number_sealed, hire, ${FIRST_NAME} as "firstName", ${LAST_NAME} as "lastName", ${EMAIL} as email, ${PHONE} as phone
    from candidates ${ofOrganisation(providerId)} where candidates.candidate_id = ${key}`.execute(
    database.kysely,
  );
  const [row] = rows;
  if (!row) throw new Error("the candidate of a person does not exist");
  const { personalNumberSealed, hire, ...person } = row;
  const personalNumber = numbers.open({ personalNumberSealed });
  return { personalNumber, ...person, ...(hire !== null && JSON.parse(vault.open(hire))) };
}

type Conclusion = Exclude<PersonStep, { do: "look_up" | "create" }>;

async function conclude(deps: Deps, claim: Claim, wanted: Identified, step: Conclusion): Promise<void> {
  const { attempts, priority } = claim;
  const unsent: Columns = wanted.isUnsent ? { createSentAt: null } : {};
  switch (step.do) {
    case "know":
      return transact(deps, async (trx) => {
        await remember(trx, claim, step.id);
        if (step.how === "created")
          await recordRoute(trx, deps, claim.providerId, { route: "createCandidate", works: true });
        const code = step.how === "found" ? "candidate_found" : "candidate_created";
        recordSteps(trx, [{ ...placeOf(claim, wanted), step: "candidate", code }]);
        await finish(trx, deps, claim);
      });
    case "give_up":
      return transact(deps, async (trx) => {
        // The next create may send other data, so it needs a new key.
        const trouble = JSON.stringify(step.fault);
        await update(trx, claim, { ...unsent, ...(wanted.isUnsent && { idempotencyKey: null }), trouble });
        await finish(trx, deps, claim);
      });
    case "pause":
      return transact(deps, async (trx) => {
        await update(trx, claim, unsent);
        const { status } = step.refused;
        await begin(trx, deps, claim.providerId, "token_rejected", { params: { status } });
        endClaim(trx, claim, { afterMs: 0, attempts: 0, priority });
      });
    case "wait":
      await transact(deps, (trx) =>
        endClaim(trx, claim, { afterMs: step.ms, attempts: attempts - 1, priority, isFirm: true }),
      );
      return deps.wakeWorkerIn(step.ms);
    case "retry": {
      const rest = retryAfterFailure(deps, attempts, step.failure);
      const { failure } = step.failure;
      const trouble = step.isCreated && { trouble: JSON.stringify({ kind: "created", failure }) };
      await transact(deps, async (trx) => {
        await update(trx, claim, { ...unsent, ...trouble });
        await noteFailure(trx, deps, claim, wanted, step.failure);
        endClaim(trx, claim, { ...rest, priority });
      });
      return deps.wakeWorkerIn(rest.afterMs);
    }
  }
}

const placeOf = ({ providerId }: Claim, { traceId, shiftId, jobId, durationMs }: Identified) => ({
  providerId,
  traceId,
  shiftId,
  jobId,
  durationMs,
});

async function noteFailure(
  trx: Trx,
  deps: Deps,
  claim: Claim,
  wanted: Identified,
  failure: Unavailable,
): Promise<void> {
  const { tries } = deps.retries;
  const { providerId, attempts } = claim;
  if (failure.notAsked) return;
  const params = { ...failureParams(failure), attempts };
  const { traceId } = wanted;
  if (attempts <= tries)
    recordSteps(trx, [{ ...placeOf(claim, wanted), step: "candidate", code: "will_retry", params }]);
  if (failure.failure === "route_missing")
    return recordRoute(trx, deps, providerId, { route: "createCandidate", works: false, params, traceId });
  if (attempts !== tries) return;
  const subject = { kind: "booking", shiftId: wanted.shiftId, candidateId: claim.key } as const;
  await raiseIssue(trx, deps, { code: "provider_gave_no_answer", providerId, subject, params, traceId });
}
