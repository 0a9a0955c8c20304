export type Tone = "good" | "busy" | "warn" | "bad" | "plain";

/** A state in a word; its colour repeats the word. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}
