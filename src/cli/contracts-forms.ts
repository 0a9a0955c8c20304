import { formsOf } from "../contract/dialect.ts";
import { type Group, groups, type KnownForms, type ProviderForms, verify } from "../verify/index.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage.ts";
import { stopOnSignal } from "./verify.ts";
import { readCommandLine, VERIFY_FLAGS } from "./verify-options.ts";

interface Form<Value extends string> {
  /** Its flag, as in `--not-found`. */
  flag: string;
  values: readonly Value[];
  /** What a provider has unless stated otherwise. Undefined: the contract prefers none, and the form must be given. */
  usual?: Value;
  meaning: string;
}

/** Every form that distinguishes interactions, in the order of test/consumer/README.md. */
export const FORMS: { readonly [Name in keyof ProviderForms]: Form<ProviderForms[Name]> } = {
  routing: { flag: "routing", values: formsOf("routing"), meaning: "where requests carry the providerId" },
  variant: { flag: "variant", values: formsOf("variant"), meaning: "the field set of a shift" },
  notFound: {
    flag: "not-found",
    values: formsOf("notFound"),
    meaning: "the response when no candidate matches",
  },
  unassign: { flag: "unassign", values: formsOf("unassign"), meaning: "the call that unassigns a candidate" },
  acknowledgement: {
    flag: "ack",
    values: [...formsOf("acknowledgement"), "none"],
    meaning: "the response to an assignment; none: 204",
  },
  updated: {
    flag: "updated",
    values: ["shift", "none"],
    usual: "shift",
    meaning: "the response to an update; none: 204",
  },
  deleted: {
    flag: "deleted",
    values: ["404", "410", "cancelled"],
    usual: "404",
    meaning: "the response to GET of a deleted shift; cancelled: the shift with that status",
  },
  numbers: {
    flag: "numbers",
    values: ["digits", "hyphenated"],
    usual: "digits",
    meaning: "the form of the personal number under which a candidate is found",
  },
  hyphen: {
    flag: "hyphen",
    values: ["read", "refused"],
    usual: "read",
    meaning: "a lookup under the hyphenated form; refused: 400 or 422",
  },
  registry: {
    flag: "registry",
    values: ["offered", "absent"],
    usual: "offered",
    meaning: "the optional GET /candidates/registry",
  },
  full: {
    flag: "full",
    values: ["refused", "accepted"],
    usual: "refused",
    meaning: "one more assignment to a full shift",
  },
};

export const FORM_NAMES = Object.keys(FORMS) as (keyof ProviderForms)[];

/** For parseArgs. */
export const FORM_FLAGS = Object.fromEntries(
  Object.values(FORMS).map(({ flag }) => [flag, { type: "string" as const }]),
);

/**
 * Returns the forms that the flags give.
 * @throws UsageError for an unknown value
 */
export function formsOfFlags(values: Readonly<Record<string, unknown>>): KnownForms {
  const stated = FORM_NAMES.flatMap((name) => {
    const { flag, values: known } = FORMS[name];
    const value = values[flag];
    if (value === undefined) return [];
    if (known.some((each) => each === value)) return [[name, value]];
    throw new UsageError(`--${flag} must be ${known.join(" or ")}, not ${JSON.stringify(value)}`);
  });
  return Object.fromEntries(stated);
}

/** Returns the unknown forms that have no usual value. */
export function missingForms(forms: KnownForms): (keyof ProviderForms)[] {
  return FORM_NAMES.filter((name) => forms[name] === undefined && FORMS[name].usual === undefined);
}

/** Returns every form: the known ones, and the usual value of each of the others. */
export function wholeForms(known: KnownForms): ProviderForms {
  const entries = FORM_NAMES.map((name) => [name, known[name] ?? FORMS[name].usual]);
  return Object.fromEntries(entries) as ProviderForms;
}

/** `--variant a|b`. */
export const flagText = (name: keyof ProviderForms): string =>
  `--${FORMS[name].flag} ${FORMS[name].values.join("|")}`;

/** Returns a line for each form: its flag, values, usual value and meaning. */
export function formsList(): string[] {
  const width = Math.max(...FORM_NAMES.map((name) => flagText(name).length));
  return FORM_NAMES.map((name) => {
    const { usual, meaning } = FORMS[name];
    const text = usual === undefined ? meaning : `${meaning} (${usual} unless given)`;
    return `  ${flagText(name).padEnd(width)}  ${text}`;
  });
}

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
