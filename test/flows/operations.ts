import type { createClient } from "../../generated/operations/client.ts";

export type Operations = ReturnType<typeof createClient>;

/** A call of the platform as the provider's log has it; the path without `/providers/{providerId}`. */
export interface ProviderCall {
  method: string;
  path: string;
  status: number;
  traceId: string;
}

export interface Person {
  candidateId: string;
  personalNumber: string;
}

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** The body of a successful answer. */
export function ok<A extends Answer>({ data, error, response }: A): Extract<A, { error?: never }>["data"] {
  if (response.ok && error === undefined) return data;
  throw new Error(`status ${response.status}: ${JSON.stringify(error)}`);
}
