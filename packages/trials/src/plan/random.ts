/** A generator of random numbers that is the same for the same seed, on every machine. */
export interface Random {
  /** A whole number from 0 up to, and without, `bound`. */
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<const F extends readonly [unknown, ...unknown[]]>(from: F): F[number];
}

export function createRandom(seed: number): Random {
  let drawn = 0;
  const next = () => {
    drawn += 1;
    return hash(seed, drawn);
  };
  return {
    below: (bound) => next() % bound,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: (from) => from[next() % from.length] ?? from[0],
  };
}

/**
 * 32 bits that look random and depend on these numbers alone. What is drawn for one call does not
 * depend on how many others there are: so a plan may shrink without changing what is left of it.
 */
export function hash(...numbers: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const number of numbers) {
    h = Math.imul(h ^ (number | 0), 0x85ebca6b);
    h ^= h >>> 13;
    h = Math.imul(h, 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return h >>> 0;
}
