import type { CheckProvider } from "../platform/deps.ts";
import { verify } from "../verify/verify.ts";

/**
 * What the platform checks a provider with: the verification kit, without a call that could change anything, and without what a provider's
 * firewall would take for an attack: odd ids, generated text and wrong tokens by the dozen are for \`shiftpact verify\` alone.
 */
export const checkProvider: CheckProvider = async ({ shiftId, ...target }) => {
  const { findings } = await verify({
    ...target,
    ...(shiftId !== undefined && { fixtures: { shiftId } }),
    readOnly: true,
    polite: true,
    concurrency: 1,
    skip: ["errors", "generated", "contracts"],
    // The same provider is told of the same findings.
    seed: 1,
  });
  return findings.flatMap(({ severity, ...finding }) =>
    severity === "skipped" ? [] : [{ ...finding, severity }],
  );
};
