import { isIP } from "node:net";
import type { Request } from "express";

/**
 * Returns the address of the client: what a trusted proxy says, if it is an address, and otherwise the other end of the connection.
 * Undefined once the client has closed the connection.
 */
export function clientAddress({ ip, socket }: Pick<Request, "ip" | "socket">): string | undefined {
  return ip !== undefined && isIP(ip) !== 0 ? ip : socket.remoteAddress;
}
