/** Returns a number from 0 up to, not including, 1 for a draw: its kind, and what it is about. */
export type Draw = (kind: string, about: string) => number;

/**
 * Returns draws that depend on the seed, the text of the draw, and the simulated time, and never on the draws before: one call more changes no other draw, so
 * that two plans meet the same world (FNV-1a with the final mix of MurmurHash3).
 */
export const drawsFrom =
  (seed: number, now: () => number): Draw =>
  (kind, about) => {
    const text = `${seed} ${kind} ${about} ${now()}`;
    let hash = 0x811c9dc5;
    for (let index = 0; index < text.length; index += 1)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
  };

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
