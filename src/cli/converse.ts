import { createInterface } from "node:readline";
import { visible } from "../contract/visible-text.ts";
import { CouldNotRun } from "../verify/could-not-run.ts";

/** Asks the user at the terminal one question after the other. */
export interface Conversation {
  /**
   * Returns the line that was typed, without spaces around it.
   * @throws CouldNotRun when the user ends the conversation with Ctrl-C or Ctrl-D
   */
  ask(question: string): Promise<string>;
  /** Releases the terminal. */
  close(): void;
}

interface Waiting {
  resolve: (line: string) => void;
  reject: (error: Error) => void;
}

const STOPPED = new CouldNotRun("stopped: nothing was written");

/** Reads from the terminal of the process. Lines that are pasted ahead answer the questions that follow. */
export function converse(): Conversation {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const lines: string[] = [];
  let waiting: Waiting | undefined;
  let isOver = false;
  terminal.on("line", (line) => {
    if (!waiting) lines.push(line);
    waiting?.resolve(line);
    waiting = undefined;
  });
  // Without a listener Ctrl-C would only pause the input.
  terminal.on("SIGINT", () => terminal.close());
  terminal.on("close", () => {
    isOver = true;
    waiting?.reject(STOPPED);
  });
  return {
    ask: async (question) => {
      if (isOver) throw STOPPED;
      terminal.setPrompt(visible(question));
      terminal.prompt();
      const ahead = lines.shift();
      if (ahead !== undefined) return ahead.trim();
      const line = await new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
      });
      return line.trim();
    },
    close: () => terminal.close(),
  };
}
