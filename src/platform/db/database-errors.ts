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

/** Errors that a statement or a connection has at any time. The first row that fits counts. */
const ANY: readonly Row[] = [
  {
    code: /^42501$/,
    line: (message, setting) =>
      `${message}: grant the role of ${setting} the rights that the operator's guide lists`,
    isFinal: true,
  },
  {
    code: /^42P01$/,
    message: /"shiftpact\./,
    line: (message, setting) =>
      `${message}: run \`shiftpact migrate\`, or name the database of the platform in ${setting}`,
  },
  // Of servers, of the network and of poolers: the message says it.
  { code: /^(?:25006|53300|57014|55P03)$/, line: (message) => `the database: ${message}` },
  {
    message: /during recovery$|^Query read timeout$|^Connection terminated/,
    line: (message) => `the database: ${message}`,
  },
];

/** Errors of a connection that is being made, which are errors of the URL or of the server. */
const CONNECTING: readonly Row[] = [
  {
    message: /client password must be a|^empty password returned by client$/,
    line: (_, setting) =>
      `the database asks for a password, and ${setting} has none: write it as postgres://USER:PASSWORD@HOST/DATABASE`,
    isFinal: true,
  },
  {
    code: /^ERR_INVALID_URL$/,
    line: (_, setting) =>
      `${setting} is not a valid URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with / ? # @ and % in USER and PASSWORD as %2F %3F %23 %40 %25`,
    isFinal: true,
  },
  { line: (message, setting) => `cannot use the database of ${setting}: ${message}` },
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
  return new DatabaseRefusal(lineOf(error as Error, found, explaining), {
    isFinal: found.row.isFinal,
    code: codeOf(found.cause),
    cause: error,
  });
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
