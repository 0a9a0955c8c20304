import { type Found, found } from "../finding.ts";
import type { Reply } from "../target.ts";

/** A valid request that came back with a 4xx. */
export function refused(exchange: Reply, expected: string): Found {
  return found("request_refused", { exchange, expected, actual: `status ${exchange.answer.status}` });
}

/** A success that says it is none: the judge has reported it, and nothing can be expected of it. */
export function isDenied({ answer }: Reply): boolean {
  return (answer.json as { success?: unknown } | null | undefined)?.success === false;
}
