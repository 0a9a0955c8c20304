import { existsSync } from "node:fs";
import pg from "pg";
import { INT8 } from "./engine.ts";

const FORM = /^(postgres(?:ql)?:\/\/(?:[^@/?#]{0,9999}@)?)([^@/?#]{0,9999})([^?#]{0,9999})(?:\?([^#]*))?$/;
/** `prefer` and `allow` are left out: both send everything in clear text when an attacker asks for it. */
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"];
/** What the driver reads from the URL. It ignores the rest, such as `ssl_mode`, and would send everything in clear text. */
const TLS_PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation"];
/** What the driver reads from the environment when the URL has none of those; it ignores any other value. */
const PGSSLMODES = ["", "disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/**
 * Returns what is wrong with a connection URL, without repeating it: it may hold a password.
 * @param env may hold the PGSSLMODE of a URL without `sslmode`
 */
export function faultOfUrl(
  name: string,
  url: string,
  { PGSSLMODE = "" }: Readonly<Record<string, string | undefined>> = {},
): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(url)) return `${name} must start with postgres:// or postgresql://`;
  if (!hasParts(url))
    return `${name}: write / ? # and @ in the user and the password as %2F %3F %23 and %40 (and % as %25)`;
  const [, , hosts, , query = ""] = FORM.exec(url) ?? [];
  const params = new URLSearchParams(query);
  if ([hosts, params.get("host"), params.get("port")].some((each) => each?.includes(",")))
    return `${name} names several servers: name one address, such as that of haproxy or PgBouncer before them`;
  if (params.has("target_session_attrs"))
    return `${name}: target_session_attrs has no meaning for the driver: name the address of the primary`;
  const mode = params.get("sslmode");
  const [root, cert, key] = ["sslrootcert", "sslcert", "sslkey"].map((file) => params.get(file));
  const unknown = [...params.keys()].find((key) => /^ssl/i.test(key) && !TLS_PARAMETERS.includes(key));
  if (unknown !== undefined)
    return `${name}: ${unknown} is not a parameter of TLS; there are ${TLS_PARAMETERS.join(", ")}`;
  if (![...params.keys()].some((key) => TLS_PARAMETERS.includes(key)) && !PGSSLMODES.includes(PGSSLMODE))
    return `PGSSLMODE is not a value that the driver knows: set sslmode in ${name}`;
  if (mode !== null && !SSL_MODES.includes(mode))
    return `${name}: sslmode must be one of ${SSL_MODES.join(", ")}`;
  if (mode === "verify-ca" && !root) return `${name}: sslmode=verify-ca needs sslrootcert`;
  const missing = [root, cert, key].find((path) => path && !existsSync(path));
  return missing ? `${name}: there is no file ${missing}` : undefined;
}

/** False when a character of the user or the password is not encoded: the rest of that is then read as a host or a database. */
function hasParts(url: string): boolean {
  const [form, , hosts = "", path = "", query = ""] = FORM.exec(url) ?? [];
  if (form === undefined || path.includes("@")) return false;
  if (path === "" && hosts !== "") return !query.includes("@");
  return ![...new URLSearchParams(query).keys()].some((key) => key.includes("@"));
}

/** Returns the URL as the driver reads it: its own meaning of `sslmode=require` differs from PostgreSQL's, and it warns about that. */
function driverUrl(url: string): string {
  const [, before = "", host = "", path = "", query = ""] = FORM.exec(url) ?? [];
  const params = new URLSearchParams(query);
  if (!params.has("sslmode")) return url;
  params.set("uselibpqcompat", "true");
  return `${before}${host}${path}?${params}`;
}

/** Of a connection beside the pools. A server that is stopped would let it wait for ever. Milliseconds. */
const CONNECT_MS = 5_000;

// Counts stay far below 2^53; PGlite returns them as numbers too.
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text");

/** How the driver connects to the server of a URL, in a pool and outside of one. */
export const connectionOf = (url: string): pg.ClientConfig => ({
  connectionString: driverUrl(url),
  types: { getTypeParser: parserOf },
  keepAlive: true,
  application_name: "shiftpact",
});

/** Returns a client that is not connected yet. */
export const newClientOf = (url: string): pg.Client =>
  new pg.Client({ ...connectionOf(url), connectionTimeoutMillis: CONNECT_MS });
