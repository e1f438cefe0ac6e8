import type { EpochMs } from './time.ts';

/**
 * Prefixes of the ids that Chairside makes (D1). Ids of the host's own records are the host's.
 */
export type IdPrefix = 'cpm' | 'trm' | 'prb' | 'pms' | 'cmt' | 'rev' | 'rfd' | 'dsp' | 'chg';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The two characters of every ten bits. */
const pairs = Array.from(
  { length: 1024 },
  (_, bits) => `${alphabet.charAt(bits >> 5)}${alphabet.charAt(bits & 31)}`,
);

/**
 * A TypeID (D1): the prefix, an underscore, and a UUIDv7 in base32. The time comes first, so ids
 * sort by creation and new ones are neighbours in an index.
 * @param random ten random bytes; 74 of their bits are used.
 * @param from the place of the first of them.
 */
export function typeId(prefix: IdPrefix, at: EpochMs, random: Uint8Array, from = 0): string {
  const byte = (index: number) => random[from + index] ?? 0;
  const version = 0x70 | (byte(0) & 0x0f);
  const variant = 0x80 | (byte(2) & 0x3f);
  const first = base32(version, byte(1), variant, byte(3), byte(4));
  const second = base32(byte(5), byte(6), byte(7), byte(8), byte(9));
  return `${prefix}_${timeInBase32(at)}${first}${second}`;
}

/** The 48 bits of a UUIDv7's time behind two zero bits, as ten characters. */
function timeInBase32(at: EpochMs): string {
  const high = Math.floor(at / 2 ** 20) & 0xfffffff;
  const low = at % 2 ** 20;
  return pair(high >> 20) + pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low);
}

/** Five bytes as eight characters. */
function base32(a: number, b: number, c: number, d: number, e: number): string {
  return (
    pair((a << 2) | (b >> 6)) +
    pair((b << 4) | (c >> 4)) +
    pair((c << 6) | (d >> 2)) +
    pair((d << 8) | e)
  );
}

/** The low ten bits as two characters. */
function pair(bits: number): string {
  return pairs[bits & 0x3ff] ?? '';
}
