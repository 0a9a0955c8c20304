import type { CheckProvider } from "../platform/deps.ts";
import { verify } from "../verify/verify.ts";

/**
 * What the platform checks a provider with: the verification kit, without a call that could change anything, and without the
 * contracts, whose replay takes a process of its own.
 */
export const checkProvider: CheckProvider = async ({ shiftId, ...target }) => {
  const { findings } = await verify({
    ...target,
    ...(shiftId !== undefined && { fixtures: { shiftId } }),
    readOnly: true,
    skip: ["contracts"],
    // The same provider is told of the same findings.
    seed: 1,
  });
  return findings.flatMap(({ severity, ...finding }) =>
    severity === "skipped" ? [] : [{ ...finding, severity }],
  );
};
