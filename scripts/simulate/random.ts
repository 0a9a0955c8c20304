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
