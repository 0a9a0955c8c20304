import type { ProviderHttpError } from "../clients/provider/http-error.ts";

/** Why no answer came, and what to look at. */
export interface Reason {
  reason: string;
  fix?: string;
}

const COUNT_BYTES =
  "Count Content-Length in bytes of the encoded body, not in characters, or leave it to the framework.";
const CRASH = "Check the provider's log for a crash at this request.";
const RUNNING = "Check that the provider is running, and that the address and the port are right.";
const CERTIFICATE =
  "Serve a certificate that is valid for this host name, with its whole chain; the platform accepts no other.";

/** The reason in plain words. No URL: a query may hold a personal number. */
export function unanswered(error: ProviderHttpError, timeoutMs: number | undefined): Reason {
  if (error.brokenOff) return brokenOff(error.brokenOff, error.isTimeout, timeoutMs);
  if (error.isTimeout) {
    const limit = timeoutMs === undefined ? "the time limit" : `${timeoutMs / 1_000} s`;
    return { reason: `no complete answer within ${limit}` };
  }
  const code = error.code ?? (isNoHttp(error) ? "HPE_" : undefined);
  return code === undefined ? { reason: error.message } : connectionReason(code);
}

/** The parser has no code for the first line of an answer. */
function isNoHttp({ cause }: ProviderHttpError): boolean {
  return cause instanceof Error && cause.name === "HTTPParserError";
}

function brokenOff(
  { received, announced }: NonNullable<ProviderHttpError["brokenOff"]>,
  isTimeout: boolean,
  timeoutMs: number | undefined,
): Reason {
  if (announced !== undefined && announced > received) {
    return { reason: `announced ${announced} bytes, sent ${received}`, fix: COUNT_BYTES };
  }
  if (!isTimeout) return { reason: `connection closed after ${received} bytes of the body`, fix: CRASH };
  const limit = timeoutMs === undefined ? "the time limit" : `${timeoutMs / 1_000} s`;
  const fix = "End the body: a stream that stays open is no complete answer.";
  return { reason: `${received} bytes of the body, and no end within ${limit}`, fix };
}

const BY_CODE: readonly (readonly [codes: RegExp, reason: string, fix: string])[] = [
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_CLOSED)$/,
    "connection closed before the first byte",
    CRASH,
  ],
  [/^ECONNREFUSED$/, "connection refused", RUNNING],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "the host name is not known", "Correct the host name, or its DNS entry."],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EADDRNOTAVAIL)$/,
    "the address cannot be reached",
    `${RUNNING} A firewall may drop the connection.`,
  ],
  [
    /^UND_ERR_HEADERS_OVERFLOW$|HEADER_OVERFLOW/,
    "the headers are too large",
    "Send at most 16 kB of headers.",
  ],
  [/^HPE_/, "the answer is not HTTP", "Answer in HTTP/1.1, and check whether the port expects TLS."],
  [/CERT|SIGNATURE|SELF_SIGNED|ALTNAME/, "the TLS certificate is not valid", CERTIFICATE],
  [/SSL|TLS|^EPROTO$/, "TLS could not be agreed on", "Check that the port serves TLS 1.2 or later."],
];

function connectionReason(code: string): Reason {
  const [, reason, fix] = BY_CODE.find(([codes]) => codes.test(code)) ?? [];
  return reason === undefined || fix === undefined ? { reason: "the connection failed" } : { reason, fix };
}
