import { signal } from "@preact/signals";

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
