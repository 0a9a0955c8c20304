import { type KnownForms, verify } from "../verify/index.ts";
import type { Answers } from "./init-answers.ts";
import type { Io } from "./io.ts";
import { readCommandLine } from "./verify-options.ts";
import { stopOnSignal } from "./verify-stop.ts";

/** What reads alone show of a provider. */
export interface Probed {
  forms: KnownForms;
  /** Contract violations that the reads found. */
  errors: number;
}

/**
 * Reads from the provider, and changes nothing there.
 * @throws CouldNotRun when it cannot be reached, or the token is refused
 */
export async function probe(
  { baseUrl, providerId, tokenVariable, shiftId }: Answers,
  io: Io,
): Promise<Probed> {
  const shift = shiftId === undefined ? [] : [`--shift-id=${shiftId}`];
  const argv = [baseUrl, "--provider-id", providerId, "--read-only", ...shift];
  const options = readCommandLine(argv, { PROVIDER_TOKEN: io.env[tokenVariable] })?.options;
  if (options === undefined) return { forms: {}, errors: 0 };
  const { signal, off } = stopOnSignal(io);
  try {
    const { forms, summary } = await verify({ ...options, only: ["reachability", "dialect"], signal });
    return { forms, errors: summary.errors };
  } finally {
    off();
  }
}
