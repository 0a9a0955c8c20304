import { useState } from "preact/hooks";
import { say } from "./announce.ts";
import { type Trouble, troubleOf } from "./trouble.ts";

export interface Action<Input extends unknown[]> {
  run(...input: Input): Promise<void>;
  isRunning: boolean;
  trouble?: Trouble;
}

/**
 * Something that a person does: one at a time, and a failure is kept to be shown beside it.
 * @param act answers what to tell when it went well.
 */
export function useAction<Input extends unknown[]>(
  // biome-ignore lint/suspicious/noConfusingVoidType: most actions have nothing to tell.
  act: (...input: Input) => Promise<string | void>,
): Action<Input> {
  const [state, setState] = useState<{ isRunning: boolean; trouble?: Trouble }>({ isRunning: false });
  const run = async (...input: Input) => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      const done = await act(...input);
      if (done) say(done);
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, trouble: troubleOf(error) });
    }
  };
  return { ...state, run };
}
