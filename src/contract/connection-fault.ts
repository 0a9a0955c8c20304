/** What the codes of the system and of the HTTP client mean, in words. The first that matches counts. */
export const CONNECTION_FAULTS = [
  [
    /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_CLOSED)$/,
    "connection closed before the first byte",
  ],
  [/^ECONNREFUSED$/, "connection refused"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "unknown host name"],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EADDRNOTAVAIL)$/,
    "the address cannot be reached",
  ],
  [/^UND_ERR_HEADERS_OVERFLOW$|HEADER_OVERFLOW/, "the headers are too large"],
  [/^HPE_/, "the response is not HTTP"],
  [/CERT|SIGNATURE|SELF_SIGNED|ALTNAME/, "the TLS certificate is not valid"],
  [/SSL|TLS|^EPROTO$/, "the TLS handshake failed"],
] as const satisfies readonly (readonly [codes: RegExp, fault: string])[];

export type ConnectionFault = (typeof CONNECTION_FAULTS)[number][1];

export function connectionFault(code: string): ConnectionFault | undefined {
  return CONNECTION_FAULTS.find(([codes]) => codes.test(code))?.[1];
}
