interface Slot<Fault> {
  from: number;
  until: number;
  fault: Fault;
  met: Set<string>;
}

/** Faults that each hold for some time: whatever happens within that time has them, regardless of how much else has happened. */
export class Slots<Fault> {
  #slots: Slot<Fault>[] = [];

  /** Adds faults that follow each other. */
  add(faults: readonly Fault[], now: number, eachMs: number) {
    faults.forEach((fault, index) => {
      const from = now + index * eachMs;
      this.#slots.push({ from, until: from + eachMs, fault, met: new Set() });
    });
  }

  /** Returns the fault at that time, the first added of several. `once`: what meets each of them only once. */
  at(now: number, applies: (fault: Fault) => boolean = () => true, once?: string): Fault | undefined {
    const isMet = ({ met }: Slot<Fault>) => once !== undefined && met.has(once);
    const isOpen = ({ from, until }: Slot<Fault>) => from <= now && now < until;
    const slot = this.#slots.find((each) => isOpen(each) && !isMet(each) && applies(each.fault));
    if (once !== undefined) slot?.met.add(once);
    return slot?.fault;
  }

  clear() {
    this.#slots = [];
  }
}
