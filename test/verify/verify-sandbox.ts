import type { Forms } from "../../src/sandbox/forms.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import type { Verification } from "../../src/verify/events.ts";
import type { VerifyOptions } from "../../src/verify/options.ts";
import { verify } from "../../src/verify/verify.ts";

const KNOWN_NUMBER = "189001169813";

export interface Scene {
  dialect: Partial<Forms>;
  options?: Partial<VerifyOptions>;
  /** Once everything is there that the kit is given. */
  prepare?: (sandbox: Sandbox) => void;
}

export interface Played {
  verification: Verification;
  sandbox: Sandbox;
  cancellableShiftId: string;
}

/**
 * Verifies a sandbox that has all that the kit can use: another organisation, a shift with somebody on it and a free position, a shift that
 * may be cancelled, and a person. The sandbox is closed afterwards; what it holds can still be read.
 */
export async function verifySandbox({ dialect, options, prepare }: Scene): Promise<Played> {
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
      ...{ baseUrl, providerId: own, token: ownToken, fixtures, seed: 1 },
      other: { providerId, token },
      // A provider that asks to wait is believed, and not waited for.
      wait: () => Promise.resolve(),
      ...options,
    });
    return { verification, sandbox, cancellableShiftId };
  } finally {
    await sandbox.close();
  }
}

/** `code operation` of each finding of that severity. */
export function toldOf({ findings }: Verification, severity: "error" | "warning"): string[] {
  const chosen = findings.filter((each) => each.severity === severity);
  return [...new Set(chosen.map(({ code, operation }) => `${code} ${operation}`))];
}
