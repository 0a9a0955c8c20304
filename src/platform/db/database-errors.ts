/** One line says what is wrong with the database or its URL, and what to do. */
export class DatabaseRefusal extends Error {
  override readonly name = "DatabaseRefusal";
  /** It stays like this until an operator changes it: another start does not help. */
  readonly isFinal: boolean;
  readonly code: string;

  constructor(message: string, { isFinal = false, code = "", cause }: RefusalOptions = {}) {
    super(message, { cause });
    this.isFinal = isFinal;
    this.code = code;
  }
}

interface RefusalOptions {
  isFinal?: boolean | undefined;
  /** Of the cause. */
  code?: string;
  cause?: unknown;
}

type Say = (message: string, setting: string) => string;

interface Row {
  /** Of PostgreSQL, of Node, or of TLS. */
  code?: RegExp;
  /** Of the driver's errors, which have no code. */
  message?: RegExp;
  /** One line: what happened, and what to do. It never has the URL, which may hold a password. */
  line: Say;
  isFinal?: true;
}

const noPassword: Say = (_, setting) =>
  `the database asks for a password, and ${setting} has none: write it as postgres://USER:PASSWORD@HOST/DATABASE`;

/** Errors that a statement or a connection has at any time. The first row that fits counts. */
const ANY: readonly Row[] = [
  {
    code: /^42501$/,
    line: (message, setting) =>
      `${message}: grant the role of ${setting} the rights that the operator's guide lists`,
    isFinal: true,
  },
  {
    code: /^25006$/,
    line: (message) => `${message}: connect to a server that accepts writes; this is a standby or read-only`,
  },
  { message: /during recovery$/, line: (message) => `${message}: connect to the primary; this is a standby` },
  {
    code: /^42P01$/,
    message: /"shiftpact\./,
    line: (message, setting) =>
      `${message}: run \`shiftpact migrate\`, or name the database of the platform in ${setting}`,
  },
  {
    code: /^53300$/,
    line: (message) =>
      `${message}: raise max_connections or the pooler's limit, or lower DATABASE_POOL of the processes`,
  },
  {
    message: /^Query read timeout$/,
    line: () =>
      "the database did not answer a statement in time: pg_stat_activity there shows what it waits for",
  },
  {
    message: /^Connection terminated unexpectedly$/,
    line: () => "the database closed the connection: its log has the reason",
  },
];

/** Errors of a connection that is being made, which are errors of the URL or of the server. */
const CONNECTING: readonly Row[] = [
  { message: /^no server of the URL/, line: (message) => message },
  {
    message: /client password must be a|^empty password returned by client$/,
    line: noPassword,
    isFinal: true,
  },
  {
    code: /^28P01$/,
    line: (message, setting) =>
      `${message}: correct user and password in ${setting}; / ? # @ and % in them are written %2F %3F %23 %40 %25`,
  },
  {
    code: /^28/,
    line: (message, setting) =>
      `${message}: correct user, host and database in ${setting}, or pg_hba.conf on the server`,
  },
  {
    code: /^3D000$/,
    line: (message, setting) => `${message}: create it, or correct its name in ${setting}`,
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    line: (message, setting) =>
      `the certificate of the database is not for the host in ${setting}: use a name that the certificate has, ` +
      `or sslmode=verify-ca (${message.replace(/:$/, "")})`,
  },
  {
    code: /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_)/,
    line: (_, setting) =>
      `the certificate of the database is of an authority that is not trusted: name the authority's file with sslrootcert in ${setting}`,
  },
  { code: /^CERT_/, line: (message) => `the certificate of the database is not valid: ${message}` },
  {
    message: /does not support SSL connections/,
    line: (_, setting) =>
      `the server offers no TLS, which ${setting} asks for: set ssl = on on the server, or sslmode=disable`,
  },
  {
    code: /^ERR_INVALID_URL$/,
    line: (_, setting) =>
      `${setting} is not a valid URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with / ? # @ and % in USER and PASSWORD as %2F %3F %23 %40 %25`,
    isFinal: true,
  },
  {
    message: /^(timeout expired|timeout exceeded when trying to connect)$|due to connection timeout$/,
    line: (_, setting) =>
      `the database does not answer: no connection in time; check host and port in ${setting}, and the firewall`,
  },
  {
    code: /^E(?!RR_)/,
    // A host name with several addresses fails without a message.
    line: (message) => `the database does not answer: ${message}`,
  },
];

export interface Explaining {
  /** Where the URL comes from. */
  setting?: string | undefined;
  /** The error comes from opening the database. Others may have a code of Node, too. */
  isConnecting?: boolean;
}

/** Returns the error with one line that says what happened and what to do, or the same error if no row fits. */
export function explained(error: unknown, explaining: Explaining = {}): unknown {
  const found = find(error, explaining);
  if (!found) return error;
  const message = lineOf(error as Error, found, explaining);
  return new DatabaseRefusal(message, {
    isFinal: found.row.isFinal,
    code: codeOf(found.cause),
    cause: error,
  });
}

/** Returns that line alone. */
export function lineOfError(error: unknown, explaining: Explaining = {}): string | undefined {
  const found = find(error, explaining);
  return found && lineOf(error as Error, found, explaining);
}

interface Found {
  row: Row;
  /** The error itself, or what caused it. */
  cause: Error;
}

/** What failed may have named itself before its cause. */
function lineOf(error: Error, { row, cause }: Found, { setting = "DATABASE_URL" }: Explaining): string {
  const line = row.line(messageOf(cause), setting);
  const isNamed = cause !== error && error.message.endsWith(cause.message);
  return isNamed ? error.message.slice(0, -cause.message.length) + line : line;
}

function find(error: unknown, { isConnecting = false }: Explaining): Found | undefined {
  const rows = isConnecting ? [...ANY, ...CONNECTING] : ANY;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseRefusal) return undefined;
    const [code, text] = [codeOf(cause), messageOf(cause)];
    const row = rows.find((each) => (each.code?.test(code) ?? true) && (each.message?.test(text) ?? true));
    if (row) return { row, cause };
  }
  return undefined;
}

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? "");
const messageOf = (error: Error): string => (error.message || codeOf(error)).split("\n")[0]?.trim() ?? "";
