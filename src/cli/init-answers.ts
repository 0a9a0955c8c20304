import { type CiSource, ciSourceOf, SOURCE_FORMS } from "./ci-source.ts";
import type { Conversation } from "./converse.ts";
import type { Io } from "./io.ts";
import { choice, UsageError, uuidFlag } from "./usage.ts";
import { baseUrlOf } from "./verify-options.ts";

export const CI_SYSTEMS = ["github", "gitlab", "none"] as const;

/** The values that the files are written from. */
export interface Answers {
  baseUrl: string;
  providerId: string;
  /** Name of the environment variable, and of the CI system's secret, that holds PROVIDER_TOKEN. */
  tokenVariable: string;
  shiftId?: string;
  /** Creates a shift for each run; undefined: none is created. */
  createShift?: string;
  /** Prepares provider states for each run, shifts included; undefined: the provider offers none. */
  statesUrl?: string;
  ci: (typeof CI_SYSTEMS)[number];
  /** Where the job gets shiftpact from; undefined: no job is written. */
  source?: CiSource;
  /** Starts the provider in CI; undefined: it is already running. */
  start?: string;
}

export interface AnswerFlags {
  positionals: readonly string[];
  "provider-id"?: string | undefined;
  "token-variable"?: string | undefined;
  "shift-id"?: string | undefined;
  "create-shift"?: string | undefined;
  "states-url"?: string | undefined;
  ci?: string | undefined;
  source?: string | undefined;
  start?: string | undefined;
}

const TOKEN_VARIABLE = "PROVIDER_TOKEN";

/**
 * Returns the flags, and the answers to the questions that they leave open.
 * @throws UsageError for an unusable flag; without a terminal, for missing flags
 */
export async function readAnswers(flags: AnswerFlags, usualCi: Answers["ci"], io: Io): Promise<Answers> {
  if (io.converse === undefined) refuseMissing(flags, usualCi);
  const conversation = io.converse?.();
  const from = sourceOf(conversation, io);
  const [baseUrl] = flags.positionals;
  try {
    const answers: Answers = {
      baseUrl: await from(baseUrl, "URL of the provider's API, without /providers/{providerId}", (text) =>
        baseUrlOf([text, ...flags.positionals.slice(1)]),
      ),
      providerId: await from(flags["provider-id"], "providerId of the organisation, a UUID", (text) =>
        uuidFlag("provider-id", text),
      ),
      tokenVariable: await from(
        flags["token-variable"],
        "Environment variable that holds PROVIDER_TOKEN",
        (text) => tokenVariableOf(text, io.env),
        TOKEN_VARIABLE,
      ),
      ...named(
        "shiftId",
        await from(flags["shift-id"], "Id of a shift in the future; empty: none yet", asIs, ""),
      ),
      ci: await from(
        flags.ci,
        `CI system: ${CI_SYSTEMS.join(", ")}`,
        (text) => choice("ci", text, CI_SYSTEMS),
        usualCi,
      ),
    };
    const source =
      answers.ci === "none"
        ? {}
        : {
            source: await from(flags.source, `Source of shiftpact for the job: ${SOURCE_FORMS}`, ciSourceOf),
          };
    return {
      ...answers,
      ...source,
      ...named("createShift", flags["create-shift"] ?? ""),
      ...named("statesUrl", flags["states-url"] ?? ""),
      ...named("start", await startOf(flags.start, answers, from, io.env)),
    };
  } finally {
    conversation?.close();
  }
}

type From = <Value>(
  flag: string | undefined,
  question: string,
  read: (text: string) => Value,
  usual?: string,
) => Promise<Value>;

/** Returns the flag, else the answer, else the default. A wrong answer is asked for again; a wrong flag is an error. */
function sourceOf(conversation: Conversation | undefined, { stderr }: Io): From {
  return async (flag, question, read, usual) => {
    if (flag !== undefined) return read(flag);
    if (conversation === undefined) return read(usual ?? "");
    const hint = usual === undefined || usual === "" ? "" : ` [${usual}]`;
    for (;;) {
      const line = await conversation.ask(`${question}${hint}: `);
      try {
        return read(line === "" ? (usual ?? "") : line);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        stderr(error.message);
      }
    }
  };
}

function refuseMissing(flags: AnswerFlags, usualCi: Answers["ci"]): void {
  const missing = [
    ...(flags.positionals.length === 0 ? ["BASE_URL"] : []),
    ...(flags["provider-id"] === undefined ? ["--provider-id UUID"] : []),
    ...(flags.source === undefined && (flags.ci ?? usualCi) !== "none"
      ? ["--source SOURCE for the job, or --ci none"]
      : []),
  ];
  if (missing.length === 0) return;
  throw new UsageError(`no terminal for questions: give ${missing.join(" and ")} (see --help)`);
}

/** Never shows the given value: it may be the token itself. */
function tokenVariableOf(text: string, env: Io["env"]): string {
  if (!/^[A-Z_][A-Z0-9_]*$/.test(text) || text.startsWith("GITHUB_")) {
    throw new UsageError(
      "--token-variable must be the name of a variable like TEMPO_TOKEN, in capitals, and not the token",
    );
  }
  if (env[text]) return text;
  const name = text === TOKEN_VARIABLE ? text : "the variable of --token-variable";
  throw new UsageError(`${name} is not set: set it to PROVIDER_TOKEN, which the probe sends to the provider`);
}

/** Asked for only when the provider cannot already be running where the job runs. */
async function startOf(
  flag: string | undefined,
  { baseUrl, ci, tokenVariable }: Answers,
  from: From,
  env: Io["env"],
): Promise<string> {
  const read = (text: string) => {
    if (!text.includes(env[tokenVariable] ?? "")) return text;
    throw new UsageError(`--start must not hold the token: the job has it as PROVIDER_TOKEN`);
  };
  if (flag !== undefined || (ci !== "none" && isLocal(baseUrl))) {
    return from(flag, "Command that starts the provider in CI; empty: none", read, "");
  }
  return "";
}

export const isLocal = (baseUrl: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);

const asIs = (text: string): string => text;

const named = <Name extends string>(name: Name, text: string): { [name in Name]?: string } =>
  text === "" ? {} : ({ [name]: text } as { [name in Name]: string });
