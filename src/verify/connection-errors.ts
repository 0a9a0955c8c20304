import type { ProviderHttpError } from "../clients/provider/http-error.ts";
import { type ConnectionFault, connectionFault } from "../contract/connection-fault.ts";
import type { Unanswered } from "./exchange.ts";

/** The verification was not possible. The message is one line with the reason and what to do. */
export class CouldNotRun extends Error {
  override readonly name = "CouldNotRun";
}

type Reason = Omit<Unanswered, "kind">;

const COUNT_BYTES =
  "Count Content-Length in bytes of the encoded body, not in characters, or leave it to the framework.";
const CRASH = "Check the provider's log for a crash at this request.";
const SHORTER = "Return only what the contract lists: the platform reads at most this much.";
const RUNNING = "Check that the provider is running, and that the address and the port are correct.";
const CERTIFICATE =
  "Serve a certificate that is valid for this host name, with its whole chain; the platform accepts no other.";

/** Returns the reason in plain words, without the URL: a query may contain a personal number. */
export function unanswered(error: ProviderHttpError, timeoutMs: number | undefined): Reason {
  const limit = timeoutMs === undefined ? "the time limit" : `${timeoutMs / 1_000} s`;
  if (error.brokenOff) return brokenOff(error.brokenOff, error.isTimeout, limit);
  if (error.isTimeout) return { reason: `no complete response within ${limit}` };
  if (error.failure === "response_too_long") return { reason: error.message, fix: SHORTER, isTooLong: true };
  const { cause } = error;
  // The first line of the response is not HTTP: the parser has no code for that.
  const isNoHttp = cause instanceof Error && cause.name === "HTTPParserError";
  const code = error.code ?? (isNoHttp ? "HPE_" : undefined);
  if (code === undefined) return { reason: error.message };
  const reason = connectionFault(code);
  if (reason === undefined) return { reason: "the connection failed" };
  return { reason, fix: FIXES[reason], isUnbegun: reason === "connection closed before the first byte" };
}

function brokenOff(
  { status, received, announced }: NonNullable<ProviderHttpError["brokenOff"]>,
  isTimeout: boolean,
  limit: string,
): Reason {
  if (status === 204) {
    const fix = "Send no body and no Content-Length with 204, or send 200 with the body.";
    return { reason: `status 204 that announces ${announced ?? "some"} bytes of a body`, fix };
  }
  if (announced !== undefined && announced > received) {
    return { reason: `announced ${announced} bytes, sent ${received}`, fix: COUNT_BYTES };
  }
  if (!isTimeout) return { reason: `connection closed after ${received} bytes of the body`, fix: CRASH };
  const fix = "End the body: a stream that stays open is not a complete response.";
  return { reason: `${received} bytes of the body, but no end within ${limit}`, fix };
}

const FIXES = {
  "connection closed before the first byte": CRASH,
  "connection refused": RUNNING,
  "unknown host name": "Correct the host name, or its DNS entry.",
  "the address cannot be reached": `${RUNNING} A firewall may drop the connection.`,
  "the headers are too large": "Send at most 16 kB of headers.",
  "the response is not HTTP": "Respond in HTTP/1.1, and check whether the port expects TLS.",
  "the TLS certificate is not valid": CERTIFICATE,
  "the TLS handshake failed": "Check that the port serves TLS 1.2 or later.",
} satisfies Record<ConnectionFault, string>;
