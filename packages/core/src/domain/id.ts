import type { EpochMs } from './time.ts';

/**
 * Prefixes of the ids that Chairside makes (D1). Ids of the host's own records are the host's.
 */
export type IdPrefix = 'cpm' | 'trm' | 'prb' | 'req' | 'pms' | 'cmt' | 'evt';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A TypeID (D1): the prefix, an underscore, and a UUIDv7 in base32. The time is in front, so ids
 * sort by when they were made and land side by side in an index.
 * @param random ten random bytes; 74 of their bits are used.
 */
export function typeId(prefix: IdPrefix, at: EpochMs, random: Uint8Array): string {
  const bytes = new Uint8Array(16);
  bytes.set(random.subarray(0, 10), 6);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(at / 2 ** 32));
  view.setUint32(2, at % 2 ** 32);
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70); // UUID version 7
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80); // RFC 9562 variant
  return `${prefix}_${base32(bytes)}`;
}

/** 128 bits as 26 characters of five bits each; the first character holds only three. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 2; // two leading zero bits make 130, a multiple of five
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((buffer >> bits) & 31);
    }
    buffer &= 31;
  }
  return text;
}
