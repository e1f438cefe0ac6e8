/** A random generator that gives the same numbers for the same seed, on every machine. */
export interface Random {
  /** A whole number from 0 (included) to `bound` (excluded). */
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
 * 32 bits that look random and depend only on these numbers. The draws for one call do not depend
 * on the number of other calls, so that a plan can shrink without changing its remaining part.
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

/** A time that goes on by what is drawn. */
export function timeFrom(random: Random, begin: number) {
  let at = begin;
  return {
    now: () => at,
    later(belowMs: number) {
      at += random.below(belowMs);
      return at;
    },
    pass(ms: number) {
      at += ms;
    },
  };
}
