/** The output of a command; `until` resolves with the first line that matches. */
export function terminal(env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const waiting: { expression: RegExp; resolve: (line: string) => void }[] = [];
  const writeTo = (lines: string[]) => (line: string) => {
    lines.push(line);
    for (const { expression, resolve } of waiting) if (expression.test(line)) resolve(line);
  };
  const io = { stdout: writeTo(out), stderr: writeTo(err), env };
  const until = (expression: RegExp) =>
    new Promise<string>((resolve) => waiting.push({ expression, resolve }));
  return { io, out, err, until };
}

const others = process.listeners("SIGTERM");

/** Sends the signal to the command alone: the process that runs the tests has listeners of its own. */
export function stop(): void {
  for (const listener of process.listeners("SIGTERM")) if (!others.includes(listener)) listener("SIGTERM");
}
