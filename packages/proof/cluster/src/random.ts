/** Random numbers that are the same for the same seed (mulberry32). */
export interface Random {
  below(bound: number): number;
  chance(probability: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (bound) => Math.floor(next() * bound), chance: (share) => next() < share };
}
