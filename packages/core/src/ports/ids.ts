import { type IdPrefix, typeId } from '../domain/id.ts';
import type { Clock } from './clock.ts';

/** Makes ids that are unique across all nodes (D1). */
export interface Ids {
  next(prefix: IdPrefix): string;
}

/** Fills the array with random bytes and returns it, as Web Crypto's `getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;

const bytesPerId = 10;
const idsPerRefill = 256;

/** TypeIDs from a clock and a random source. Random bytes are requested for many ids at a time. */
export function createIds(clock: Clock, fillRandom: FillRandom): Ids {
  const pool = new Uint8Array(bytesPerId * idsPerRefill);
  let used = pool.length;
  return {
    next(prefix) {
      if (used === pool.length) {
        fillRandom(pool);
        used = 0;
      }
      const from = used;
      used += bytesPerId;
      return typeId(prefix, clock.now(), pool, from);
    },
  };
}

/** Web Crypto, which every current runtime has. */
declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array };

export const webRandom: FillRandom = (bytes) => crypto.getRandomValues(bytes);
