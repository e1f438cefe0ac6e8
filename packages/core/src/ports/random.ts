import type { FillRandom } from './ids.ts';

/** Web Crypto, which every current runtime has. */
declare const crypto: { getRandomValues(bytes: Uint8Array<ArrayBuffer>): Uint8Array };

export const webRandom: FillRandom = (bytes) => crypto.getRandomValues(bytes);
