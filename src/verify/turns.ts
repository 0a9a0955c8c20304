/** One of several who tell things at the same time that must be heard in order: the first one at once, the others once all before them have ended. */
export interface Turn {
  tell(what: () => void): void;
  end(): void;
}

export function turnsOf(count: number): readonly Turn[] {
  const held: (() => void)[][] = Array.from({ length: count }, () => []);
  const ended: boolean[] = Array.from({ length: count }, () => false);
  let current = 0;

  function goOn(): void {
    while (current < count) {
      for (const what of held[current]?.splice(0) ?? []) what();
      if (!ended[current]) return;
      current += 1;
    }
  }

  return held.map((mine, index) => ({
    tell: (what) => {
      mine.push(what);
      if (index === current) goOn();
    },
    end: () => {
      ended[index] = true;
      if (index === current) goOn();
    },
  }));
}
