interface Item {
  at: number;
  order: number;
  run: () => void;
}

/** Runs callbacks in the order of simulated time; those of the same time run in the order of their addition. */
export class Timeline {
  /** The latest first. */
  readonly #items: Item[] = [];
  #added = 0;

  add(at: number, run: () => void) {
    this.#added += 1;
    const item = { at, order: this.#added, run };
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
  }

  get nextAt(): number {
    return this.#items.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Removes the earliest callback and runs it. */
  advance() {
    this.#items.pop()?.run();
  }
}
