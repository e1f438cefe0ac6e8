import type { EpochMs } from './time.ts';

/**
 * Prefixes of the ids that Chairside makes (D1). Ids of the host's own records are the host's.
 */
export type IdPrefix = 'cpm' | 'trm' | 'prb' | 'pms' | 'cmt' | 'rev' | 'rfd' | 'dsp';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const uuidBytes = 16;

/**
 * A TypeID (D1): the prefix, an underscore, and a UUIDv7 in base32. The time comes first, so ids
 * sort by creation and new ones are neighbours in an index.
 * @param random ten random bytes; 74 of their bits are used.
 */
export function typeId(prefix: IdPrefix, at: EpochMs, random: Uint8Array): string {
  const high = Math.floor(at / 2 ** 32);
  const uuid = [high >> 8, high, at >>> 24, at >>> 16, at >>> 8, at];
  for (const byte of random) {
    const { length } = uuid;
    if (length === uuidBytes) break;
    if (length === 6)
      uuid.push(0x70 | (byte & 0x0f)); // version 7
    else if (length === 8)
      uuid.push(0x80 | (byte & 0x3f)); // variant of RFC 9562
    else uuid.push(byte);
  }
  return `${prefix}_${base32(uuid)}`;
}

/** The low 8 bits of 16 numbers as 26 characters of five bits; the first holds only three. */
function base32(bytes: readonly number[]): string {
  const text: number[] = [];
  let buffer = 0;
  let bits = 2; // two leading zero bits make 130, a multiple of five
  for (const byte of bytes) {
    buffer = (buffer << 8) | (byte & 0xff);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text.push(alphabet.charCodeAt((buffer >> bits) & 31));
    }
    buffer &= 31;
  }
  return String.fromCharCode(...text);
}
