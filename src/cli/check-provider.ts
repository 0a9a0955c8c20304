import type { CheckProvider } from "../platform/deps.ts";
import { verify } from "../verify/verify.ts";

/**
 * Checks a provider as the platform does: the verification kit without calls that change data. It also leaves out what a firewall may
 * take for an attack: odd ids, generated text and series of wrong tokens. `shiftpact verify` covers those.
 */
export const checkProvider: CheckProvider = async ({ shiftId, ...target }) => {
  const { findings } = await verify({
    ...target,
    ...(shiftId !== undefined && { fixtures: { shiftId } }),
    readOnly: true,
    polite: true,
    concurrency: 1,
    skip: ["errors", "generated", "contracts"],
    // One provider always gets the same findings.
    seed: 1,
  });
  return findings.flatMap(({ severity, ...finding }) =>
    severity === "skipped" ? [] : [{ ...finding, severity }],
  );
};
