/** What a server under test tells the benchmark: where it listens, and answers to its questions. */
export interface Told {
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

/** Tells the parent process the port, and answers it for as long as it lives; `cpu` it can always ask for, in microseconds. */
export function answerParent(port: number, answers: Readonly<Record<string, () => unknown>> = {}): void {
  const all: Record<string, () => unknown> = { cpu, ...answers };
  process.on("message", async ({ id, question }: Question) => {
    const answered: Answered = { id, answer: await all[question]?.() };
    process.send?.(answered);
  });
  // Ctrl-C reaches every process of a terminal; the parent ends this one in its turn.
  process.on("SIGINT", () => undefined);
  process.once("disconnect", () => process.exit(0));
  const told: Told = { port };
  process.send?.(told);
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
