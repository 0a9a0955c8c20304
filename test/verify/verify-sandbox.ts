import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Forms } from "../../src/sandbox/shift-body.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";

const KNOWN_NUMBER = "189001169813";

export interface Setup {
  dialect: Partial<Forms>;
  options?: Partial<VerifyOptions>;
  /** Called before the verification, with all fixtures set up. */
  prepare?: (sandbox: Sandbox) => void;
}

export interface Verified {
  verification: Verification;
  sandbox: Sandbox;
  cancellableShiftId: string;
}

/**
 * Verifies a sandbox with all fixtures: another organisation, a shift with an assigned candidate and a free position, a cancellable
 * shift, and a known candidate. The sandbox is closed afterwards; its data can still be read.
 */
export async function verifySandbox({ dialect, options, prepare }: Setup): Promise<Verified> {
  const sandbox = await startSandbox({ dialect });
  const { providerId, token } = sandbox.addOrganisation();
  const { shiftId, shift } = sandbox.createShift({ positions: 3 });
  shift.assigned.set(sandbox.candidates[0]?.id ?? "", shift.createdAt);
  const { shiftId: cancellableShiftId } = sandbox.createShift();
  const { id: knownCandidateId } = sandbox.addCandidate({ personalNumber: KNOWN_NUMBER });
  const fixtures = { shiftId, cancellableShiftId, knownPersonalNumber: KNOWN_NUMBER, knownCandidateId };
  prepare?.(sandbox);
  try {
    const { url: baseUrl, providerId: own, token: ownToken } = sandbox;
    const verification = await verify({
      baseUrl,
      providerId: own,
      token: ownToken,
      fixtures,
      other: { providerId, token },
      // A 429 causes no actual wait.
      wait: () => Promise.resolve(),
      ...options,
    });
    return { verification, sandbox, cancellableShiftId };
  } finally {
    await sandbox.close();
  }
}

/** Returns `code operation` of each finding with that severity. */
export function codesOf({ findings }: Verification, severity: "error" | "warning"): string[] {
  const chosen = findings.filter((each) => each.severity === severity);
  return [...new Set(chosen.map(({ code, operation }) => `${code} ${operation}`))];
}
