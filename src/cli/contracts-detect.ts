import { type Group, groups, type KnownForms, verify } from "../verify/index.ts";
import type { Io } from "./io.ts";
import { readCommandLine, VERIFY_FLAGS } from "./verify-options.ts";
import { stopOnSignal } from "./verify-stop.ts";

// `--routing` is a form here.
const { help: _, routing: __, ...verifyFlags } = VERIFY_FLAGS;

/** Every flag of `shiftpact verify`, so that the same command line works; those of its report have no effect. */
export const DETECT_FLAGS = Object.fromEntries(
  Object.entries(verifyFlags).map(([name, { type, ...flag }]) => [
    name,
    { type, ...("multiple" in flag && { multiple: true }) },
  ]),
) as { [Name in keyof typeof verifyFlags]: Omit<(typeof verifyFlags)[Name], "default"> };

/** The groups of checks that detect no form. */
const FORMLESS: readonly Group[] = ["authentication", "tenants", "errors", "contracts"];

export type DetectValues = {
  readonly [Flag in keyof typeof DETECT_FLAGS]?: string | boolean | string[] | undefined;
};

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
    const value = values[flag] ?? [];
    if (typeof value === "boolean") return value ? [`--${flag}`] : [];
    return [value].flat().map((text) => `--${flag}=${text}`);
  });
}
