import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { type CallError, errorOf } from "./errors.ts";

export interface Action<Input extends unknown[]> {
  run(...input: Input): Promise<void>;
  isRunning: boolean;
  error?: CallError;
}

/**
 * An action of the operator. It runs once at a time, and keeps its failure to be shown beside the button.
 * @param act returns the announcement of its success.
 */
export function useAction<Input extends unknown[]>(
  // biome-ignore lint/suspicious/noConfusingVoidType: most actions announce nothing.
  act: (...input: Input) => Promise<string | void>,
): Action<Input> {
  const [state, setState] = useState<{ isRunning: boolean; error?: CallError }>({ isRunning: false });
  const run = async (...input: Input) => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      const done = await act(...input);
      if (done) announce(done);
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, error: errorOf(error) });
    }
  };
  return { ...state, run };
}

/** The last announcement, shown at the foot of the page and read out by screen readers. */
export const announced = signal<{ text: string; nth: number } | undefined>(undefined);

const SHOWN_FOR_MS = 6_000;
let nth = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  nth += 1;
  announced.value = { text, nth };
  clearTimeout(timer);
  timer = setTimeout(() => {
    announced.value = undefined;
  }, SHOWN_FOR_MS);
}
