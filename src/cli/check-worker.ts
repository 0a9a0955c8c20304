import type { CheckTarget, ProviderFinding } from "../platform/deps.ts";
import { fetchThrough, serveThread } from "../platform/threads/serve-thread.ts";
import { verify } from "../verify/verify.ts";

/** No issue shows as much of a text. Characters. */
const LONGEST = 10_000;

/**
 * Checks a provider as the platform does: the verification kit without calls that change data. It also leaves out what a firewall may
 * take for an attack: odd ids, generated text and series of wrong tokens. `shiftpact verify` covers those.
 */
async function check({ shiftId, ...target }: Omit<CheckTarget, "signal">): Promise<ProviderFinding[]> {
  const { findings } = await verify({
    ...target,
    ...(shiftId !== undefined && { fixtures: { shiftId } }),
    readOnly: true,
    polite: true,
    concurrency: 1,
    skip: ["errors", "contracts"],
    // One provider always gets the same findings.
    seed: 1,
  });
  return findings.flatMap(({ severity, ...finding }) =>
    severity === "skipped" ? [] : [{ ...finding, ...shortened(finding), severity }],
  );
}

/** What a finding quotes may be as long as a response. */
function shortened({ expected, actual, reproduce }: Omit<ProviderFinding, "severity">) {
  const short = (text: string) => text.slice(0, LONGEST);
  return { expected: short(expected), actual: short(actual), reproduce: short(reproduce) };
}

/** The most of all responses together, whose parsed forms may be twenty times as long. Bytes. */
const MOST_BYTES = 20_000_000;

/** Ends the check when the responses are longer than that together. */
function bounded(fetch: CheckTarget["fetch"], end: () => Promise<unknown>): CheckTarget["fetch"] {
  let left = MOST_BYTES;
  return async (request) => {
    const response = await fetch(request);
    const bytes = await response.arrayBuffer();
    left -= bytes.byteLength;
    if (left < 0) await end();
    return new Response(bytes.byteLength > 0 ? bytes : null, response);
  };
}

await serveThread((target: Omit<CheckTarget, "signal" | "fetch">, call) =>
  check({ ...target, fetch: bounded(fetchThrough(call), () => call("tooMuch", {})) }),
);
