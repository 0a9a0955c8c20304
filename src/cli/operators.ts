import { createClient } from "../../generated/operations/client.ts";
import type { Operator, Problem, Role } from "../../generated/operations/types.ts";
import { ROLE_NAMES } from "../contract/role.ts";
import { visibleLine } from "../contract/storable-text.ts";
import { ConfigError, readEnvironment } from "../platform/environment.ts";
import type { Io } from "./io.ts";
import { inputErrorsOf } from "./run-command.ts";
import { choice, platformUrlFlag, readFlags, UsageError } from "./usage.ts";

const HELP = `shiftpact operators: manages who may use the operations API of a running platform, and with which role.

  list                                 the operators, with the tokens that are valid
  create NAME --role ROLE [--valid-days N]
                                       prints the token, which is shown once, and expires after N days (365 unless given)
  role NAME --role ROLE                the role from now on
  rotate NAME [--overlap-hours N] [--valid-days N]
                                       prints a new token; the previous one stays valid for N hours (24 unless given)
  revoke NAME                          revokes every token permanently

  --url URL      the platform; http://127.0.0.1:3000 unless given
  --token TOKEN  of an admin; OPERATIONS_TOKEN, or the file that OPERATIONS_TOKEN_FILE names, unless given
  --json         one JSON object for each operator or token

Roles: viewer (reads, masked), operator (daily work), people (reveals and erases personal data), admin (everything).
Exit code: 0 done, 1 refused, 2 could not run.

Examples:
  shiftpact operators create "Karin Holm" --role people
  shiftpact operators rotate "Karin Holm" --overlap-hours 1`;

const OPTIONS = {
  role: { type: "string" },
  "overlap-hours": { type: "string" },
  "valid-days": { type: "string" },
  url: { type: "string" },
  token: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

class RefusedError extends Error {
  /** What the platform refused of the input. */
  readonly details: readonly string[];

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details;
  }
}

/** Manages operators through the operations API, on any engine. Returns the exit code: 0 done; 1 the platform refused; 2 no response. */
export async function operators(argv: string[], io: Io): Promise<number> {
  try {
    const { values, positionals } = readFlags({ args: argv, options: OPTIONS, allowPositionals: true });
    if (values.help) {
      io.stdout(HELP);
      return 0;
    }
    const env = readEnvironment(io.env);
    const token = values.token ?? env.OPERATIONS_TOKEN;
    if (!token) throw new UsageError("give --token or set OPERATIONS_TOKEN");
    const url = platformUrlFlag(values.url) ?? "http://127.0.0.1:3000";
    const headers = { Authorization: `Bearer ${token}` };
    const api = createClient({ baseUrl: `${url.replace(/\/$/, "")}/operations/v1`, headers });
    await run(positionals, values, { api, io });
    return 0;
  } catch (error) {
    for (const line of linesOf(error)) io.stderr(`shiftpact operators: ${line}`);
    return error instanceof RefusedError ? 1 : 2;
  }
}

interface Place {
  api: ReturnType<typeof createClient>;
  io: Io;
}

interface Values {
  role?: string;
  "overlap-hours"?: string;
  "valid-days"?: string;
  json?: boolean;
}

async function run([verb, name, ...more]: string[], values: Values, { api, io }: Place): Promise<void> {
  const print = (text: string, value: object) => io.stdout(values.json ? JSON.stringify(value) : text);
  if (more.length > 0) throw new UsageError(`unexpected "${more[0]}"; quote a name that has spaces`);
  if (verb === "list") {
    for (const operator of await listAll(api)) print(lineOf(operator), operator);
    return;
  }
  if (name === undefined) throw new UsageError("give list; or create, role, rotate or revoke with a NAME");
  const path = async () => ({ path: { operatorId: (await findOperator(api, name)).operatorId } });
  switch (verb) {
    case "create": {
      const created = done(
        await api.createOperator({ body: { name, role: roleOf(values), ...validityOf(values) } }),
      );
      return print(created.token, created);
    }
    case "role": {
      const body = { role: roleOf(values) };
      const changed = done(await api.changeOperator({ params: await path(), body }));
      return print(lineOf(changed), changed);
    }
    case "rotate": {
      const body = { ...overlapOf(values), ...validityOf(values) };
      const rotated = done(await api.rotateOperatorToken({ params: await path(), body }));
      return print(rotated.token, rotated);
    }
    case "revoke":
      return void done(await api.revokeOperator({ params: await path() }));
    default:
      throw new UsageError(`there is no "${verb}": list, create, role, rotate, revoke`);
  }
}

async function listAll(api: Place["api"]): Promise<Operator[]> {
  const all: Operator[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = done(await api.listOperators({ params: { query } }));
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

async function findOperator(api: Place["api"], name: string): Promise<Operator> {
  const found = (await listAll(api)).find((each) => each.name === name && each.revokedAt === undefined);
  if (!found) throw new RefusedError(`there is no operator "${name}"; see: shiftpact operators list`);
  return found;
}

function lineOf({ name: given, role, tokens, revokedAt }: Operator): string {
  const name = visibleLine(given);
  if (revokedAt !== undefined) return `${name}  ${role}  revoked ${revokedAt}`;
  const [current, older] = tokens;
  const ends = current ? `token until ${current.validUntil}` : "the token has expired";
  return [name, role, ends, ...(older ? [`an older token until ${older.validUntil}`] : [])].join("  ");
}

const roleOf = ({ role = "" }: Values): Role => choice("role", role, ROLE_NAMES);

function overlapOf({ "overlap-hours": hours }: Values) {
  if (hours === undefined) return {};
  if (!/^\d{1,3}$/.test(hours)) throw new UsageError("--overlap-hours must be a whole number from 0 to 720");
  return { overlapHours: Number(hours) };
}

function validityOf({ "valid-days": days }: Values) {
  if (days === undefined) return {};
  if (!/^\d{1,3}$/.test(days)) throw new UsageError("--valid-days must be a whole number from 1 to 730");
  return { validDays: Number(days) };
}

interface Response<Data> {
  response: globalThis.Response;
  data?: Data;
  error?: unknown;
}

function done<R extends Response<unknown>>({
  response,
  data,
  error,
}: R): Extract<R, { error?: never }>["data"] {
  if (response.ok) return data;
  const { detail, title, code } = (error ?? {}) as Partial<Problem>;
  throw new RefusedError(
    `${response.status} ${code ?? ""}: ${detail ?? title ?? "no problem document"}`,
    inputErrorsOf(error),
  );
}

function linesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.faults;
  return [messageOf(error), ...(error instanceof RefusedError ? error.details : [])];
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (error.message === "fetch failed" && cause instanceof Error)
    return `cannot connect to the platform: ${cause.message || String((cause as NodeJS.ErrnoException).code)}`;
  return error.message.split("\n", 1)[0] ?? "";
}
