interface Item {
  at: number;
  order: number;
  happen: () => void;
}

/** What is going to happen, in the order of simulated time; what is due at the same time happens in the order in which it was added. */
export class Timeline {
  /** The latest first. */
  readonly #items: Item[] = [];
  #added = 0;

  add(at: number, happen: () => void) {
    this.#added += 1;
    const item = { at, order: this.#added, happen };
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

  /** Removes the earliest item and lets it happen. */
  advance() {
    this.#items.pop()?.happen();
  }
}
