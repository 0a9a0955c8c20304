import { existsSync } from "node:fs";

/** The servers that a connection URL names, in its order, each as a URL of its own. */
export interface Servers {
  urls: readonly string[];
  /** `target_session_attrs=read-write`: only a server that accepts writes will do. */
  mustWrite: boolean;
}

const FORM = /^(postgres(?:ql)?:\/\/(?:[^@/?#]{0,9999}@)?)([^@/?#]{0,9999})([^?#]{0,9999})(?:\?([^#]*))?$/;
/** `prefer` and `allow` are left out: both send everything in clear text when an attacker asks for it. */
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"];
/** What the driver reads from the URL. It ignores the rest, such as `ssl_mode`, and would send everything in clear text. */
const TLS_PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation"];
/** What the driver reads from the environment when the URL has none of those; it ignores any other value. */
const PGSSLMODES = ["", "disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
const SESSIONS = ["any", "read-write", "primary"];

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
  const [, , , , query = ""] = FORM.exec(url) ?? [];
  const params = new URLSearchParams(query);
  const [mode, session] = [params.get("sslmode"), params.get("target_session_attrs")];
  const [root, cert, key] = ["sslrootcert", "sslcert", "sslkey"].map((file) => params.get(file));
  const unknown = [...params.keys()].find((key) => /^ssl/i.test(key) && !TLS_PARAMETERS.includes(key));
  if (unknown !== undefined)
    return `${name}: ${unknown} is not a parameter of TLS; there are ${TLS_PARAMETERS.join(", ")}`;
  if (![...params.keys()].some((key) => TLS_PARAMETERS.includes(key)) && !PGSSLMODES.includes(PGSSLMODE))
    return `PGSSLMODE is not a value that the driver knows: set sslmode in ${name}`;
  if (mode !== null && !SSL_MODES.includes(mode))
    return `${name}: sslmode must be one of ${SSL_MODES.join(", ")}`;
  if (mode === "verify-ca" && !root) return `${name}: sslmode=verify-ca needs sslrootcert`;
  if (session !== null && !SESSIONS.includes(session))
    return `${name}: target_session_attrs must be one of ${SESSIONS.join(", ")}`;
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

/** Takes a URL with several hosts apart, which the driver cannot: `postgres://a:1,b:2/shiftpact?target_session_attrs=read-write`. */
export function serversOf(url: string): Servers {
  const [, before = "", hosts = "", path = "", query = ""] = FORM.exec(url) ?? [];
  const params = new URLSearchParams(query);
  const mustWrite = ["read-write", "primary"].includes(params.get("target_session_attrs") ?? "any");
  params.delete("target_session_attrs");
  // The driver's own meaning of `require` differs from PostgreSQL's, and it warns about that.
  if (params.has("sslmode")) params.set("uselibpqcompat", "true");
  const rest = `${path}${params.size > 0 ? `?${params}` : ""}`;
  return { urls: before ? hosts.split(",").map((host) => `${before}${host}${rest}`) : [url], mustWrite };
}
