import type { CandidateCreate } from "../../../generated/provider/types.ts";
import { type Outcome, skipped } from "../finding.ts";
import { isFound, payloadOf, prepare } from "../person.ts";
import type { Run } from "../run.ts";
import { judgeCreation } from "./candidates.ts";
import type { Check } from "./check.ts";

/** The full payload of a hire (contract 2.4). One more test person stays at the provider. */
export const hire: Check = { group: "meaning", run: check };

async function* check(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) {
    const title = "a candidate is created with the full payload";
    return yield skipped("skipped_read_only", "createCandidate", title, "it would change data");
  }
  const person = await prepare(run, "hire", (number) => fullPayload(payloadOf(number)));
  if (person.candidateId !== undefined && isFound(person)) run.known.hiredId = person.candidateId;
  yield* judgeCreation(run, person, "the candidate of the full payload");
}

function fullPayload({
  personalNumber,
  firstName,
  lastName,
  email,
  phone,
}: CandidateCreate): CandidateCreate {
  return {
    ...{ personalNumber, firstName, lastName, email, phone },
    address: "Provgatan 1",
    postCode: "11122",
    city: "Stockholm",
    countryCode: "se",
    emergencyContact: { name: "Nils Provning", phone: "+46701740621", relationship: "brother" },
    bankDetails: { clearingNumber: "8327", accountNumber: "9044612345" },
    documents: {
      citizenship: "SE",
      workPermitRequired: false,
      workPermitExpiry: null,
      passportVerified: true,
    },
  };
}
