import { parentPort, workerData } from "node:worker_threads";

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

/** Makes a call in the process that started this thread. Never rejects: a call that fails ends the thread. */
export type Call = <Value>(name: string, argument: unknown) => Promise<Value>;

/** Runs in a thread that `Threads.run` started, and posts the result. Does nothing outside of a thread. */
export async function serveThread<Input, Result>(
  run: (input: Input, call: Call) => Promise<Result>,
): Promise<void> {
  const port = parentPort;
  if (!port) return;
  const post = (message: FromThread) => port.postMessage(message);
  const waiting = new Map<number, (value: unknown) => void>();
  port.on("message", ({ id, value }: Returned) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  let last = 0;
  const call = <Value>(name: string, argument: unknown) =>
    new Promise<Value>((resolve) => {
      last += 1;
      waiting.set(last, (value) => resolve(value as Value));
      post({ call: { id: last, name, argument } });
    });
  try {
    post({ result: await run(workerData, call) });
  } catch (error) {
    post({ failed: plain(error) });
  }
}

const plain = (error: unknown): PlainError =>
  error instanceof Error
    ? { message: error.message, ...(error.stack && { stack: error.stack }) }
    : { message: String(error) };
