/** What a thread calls in the process that started it. */
export interface CallMade {
  id: number;
  name: string;
  argument: unknown;
}

/** What a thread posts. */
export type FromThread = { call: CallMade } | { result: unknown } | { failed: PlainError };

/** The value of a call. */
export interface Returned {
  id: number;
  value: unknown;
}

/** Errors lose their class between threads. */
export type PlainError = Pick<Error, "message" | "stack">;
