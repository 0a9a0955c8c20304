import { once } from "node:events";
import type { Response } from "express";

/** Sends a JSON value per line, as fast as the client reads; stops when the client disconnects. */
export async function writeLines(response: Response, values: AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) {
    if (response.destroyed) return;
    const isRoom = response.write(`${JSON.stringify(value)}\n`);
    if (!isRoom) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}
