/** The first message of a server under test: the port on which it listens. */
export interface Listening {
  port: number;
}

export interface Question {
  id: number;
  question: string;
}

export interface Answered {
  id: number;
  answer: unknown;
}

/** Sends the parent process the port, and answers its questions. `cpu` is always known, in microseconds. */
export function answerParent(port: number, answers: Readonly<Record<string, () => unknown>> = {}): void {
  const all: Record<string, () => unknown> = { cpu, ...answers };
  process.on("message", async ({ id, question }: Question) => {
    const answered: Answered = { id, answer: await all[question]?.() };
    process.send?.(answered);
  });
  // Ctrl-C reaches every process of a terminal; the parent ends this one.
  process.on("SIGINT", () => undefined);
  process.once("disconnect", () => process.exit(0));
  const listening: Listening = { port };
  process.send?.(listening);
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
