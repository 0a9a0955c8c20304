import { type Group, groups, type KnownForms, verify } from "../verify/index.ts";
import type { Io } from "./io.ts";
import { readCommandLine } from "./verify-options.ts";
import { stopOnSignal } from "./verify-stop.ts";

/** Flags that have the same meaning as in `shiftpact verify`. */
export const DETECT_FLAGS = {
  "provider-id": { type: "string" },
  token: { type: "string" },
  fixtures: { type: "string" },
  "shift-id": { type: "string" },
  "cancellable-shift-id": { type: "string" },
  "states-url": { type: "string" },
  "read-only": { type: "boolean" },
  timeout: { type: "string" },
} as const;

/** The groups of checks that detect no form. */
const FORMLESS: readonly Group[] = ["authentication", "tenants", "errors", "generated", "contracts"];

export type DetectValues = { readonly [Flag in keyof typeof DETECT_FLAGS]?: string | boolean | undefined };

/**
 * Detects the forms of a running provider, as `shiftpact verify` does.
 * @throws UsageError for unusable flags
 * @throws CouldNotRun when the provider cannot be reached
 */
export async function detectForms(
  baseUrl: string,
  values: DetectValues,
  routing: KnownForms["routing"],
  io: Io,
): Promise<KnownForms> {
  const argv = [baseUrl, ...argvOf(values), "--routing", routing ?? "auto"];
  const options = readCommandLine(argv, io.env)?.options;
  if (options === undefined) return {};
  if (!options.readOnly) {
    io.stderr(`Detecting the forms of ${baseUrl}; like verify, this changes data`);
  }
  const { signal, off } = stopOnSignal(io);
  try {
    const only = groups.filter((group) => !FORMLESS.includes(group));
    return (await verify({ ...options, only, signal })).forms;
  } finally {
    off();
  }
}

function argvOf(values: DetectValues): string[] {
  return (Object.keys(DETECT_FLAGS) as (keyof DetectValues)[]).flatMap((flag) => {
    const value = values[flag];
    if (typeof value === "string") return [`--${flag}=${value}`];
    return value === true ? [`--${flag}`] : [];
  });
}
