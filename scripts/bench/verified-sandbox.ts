import type { Dialect } from "../../src/contract/dialect.ts";
import type { FaultName } from "../../src/sandbox/faults/switchboard.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Fixtures, OtherTenant } from "../../src/verify/options.ts";
import published from "../../test/testdata/personal-numbers.json" with { type: "json" };
import type { Resources } from "./resources.ts";

/** Starts a provider with all fixtures that the kit can use. */
export interface Provider {
  sandbox: Sandbox;
  fixtures: Required<Fixtures>;
  other: OtherTenant;
}

const [KNOWN_NUMBER = ""] = published.personnummer;

export async function startProvider(
  resources: Resources,
  { dialect = {}, fault }: { dialect?: Partial<Dialect>; fault?: FaultName } = {},
): Promise<Provider> {
  const sandbox = await startSandbox({ dialect, rateLimit: 0, states: true });
  resources.onClear(sandbox.close);
  const { providerId, token } = sandbox.addOrganisation();
  const { shiftId, shift } = sandbox.createShift({ positions: 3 });
  shift.assigned.set(sandbox.candidates[0]?.id ?? "", shift.createdAt);
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  if (fault) sandbox.setFault(fault);
  const fixtures = { shiftId, cancellableShiftId, knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
  return { sandbox, fixtures, other: { providerId, token } };
}
