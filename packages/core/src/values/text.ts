import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Clock, EpochMs } from './time.ts';

/** Length in code points, as JSON Schema counts it; `length` would count UTF-16 units. */
export function codePointLength(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Whether it has more than `max` code points. Each is one or two units, so short texts need no
 * count.
 */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && codePointLength(text) > max;
}

/**
 * False for text that some store cannot keep: U+0000 (PostgreSQL rejects it) or an unpaired
 * surrogate (it has no UTF-8 form). The use cases reject it for every store alike.
 */
export function isStorable(text: string): boolean {
  return typeof text === 'string' && !text.includes('\u0000') && text.isWellFormed();
}

/** Replaces characters that cannot be stored by U+FFFD. */
export function toStorable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule D1 states is about them
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

// Control and format characters, halves of surrogate pairs, and line ends.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a log or a screen can show it: no character in it forges a line or reverses the text. */
export function isShowable(text: string): boolean {
  return !invisible.test(text);
}

/** Whether a path id is valid. Invalid ones are not found. */
export function canBeId(id: string): boolean {
  if (typeof id !== 'string' || ['', '.', '..'].includes(id)) return false;
  return !isLonger(id, 255) && !controlCharacter.test(id) && isStorable(id);
}

/** Puts two different texts in order. */
export function byText(a: string, b: string): number {
  // Stryker disable next-line EqualityOperator: they differ.
  return a < b ? -1 : 1;
}

/** The first `max` code points; surrogate pairs stay whole. */
export function clip(text: string, max: number): string {
  return isLonger(text, max) ? [...text].slice(0, max).join('') : text;
}

/**
 * Prefixes of the ids that Chairside makes. Ids of the host's own records are the host's.
 */
export type IdPrefix =
  | 'cpm'
  | 'trm'
  | 'prb'
  | 'pms'
  | 'cmt'
  | 'rev'
  | 'rfd'
  | 'dsp'
  | 'chg'
  | 'tnd'
  | 'shr';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The two characters of every ten bits. */
const pairs = Array.from(
  { length: 1024 },
  (_, bits) => `${alphabet.charAt(bits >> 5)}${alphabet.charAt(bits & 31)}`,
);

/**
 * A TypeID: the prefix, an underscore, and a UUIDv7 in base32. The time comes first, so ids
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

/** Makes ids that are unique across all nodes. */
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

/** A name longer than this is no typing error. */
const maxNameLength = 64;

/**
 * The fault of options with a name that does not exist, such as `instalation: is no option; did you mean
 * installation?`. `undefined`: each name exists. A typing error would otherwise switch off in silence
 * what a host believes is on.
 * @param names the existing names as keys, so that the compiler can compare them with a type.
 */
export function unknownOption(
  options: object,
  names: Readonly<Record<string, true>>,
): string | undefined {
  // Hosts without types may pass any value.
  const known = Object.keys(Object(names));
  const name = Object.keys(Object(options)).find((given) => !known.includes(given));
  if (name === undefined) return undefined;
  const shown = name.slice(0, maxNameLength);
  const [nearest = '', distance = 0] = known
    .map((one) => [one, distanceOf(shown.toLowerCase(), one.toLowerCase())] as const)
    .reduce((best, one) => (one[1] < best[1] ? one : best));
  const isNear = distance <= Math.max(1, Math.floor(shown.length / 3));
  return `${shown}: is no option; ${isNear ? `did you mean ${nearest}?` : `there are ${known.join(', ')}`}`;
}

/** The number of letters to add, drop or replace (Levenshtein). Both texts are short. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const above = row;
    row = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = Number(from[line - 1] !== to[column - 1]) + (above[column - 1] ?? 0);
      row.push(Math.min(replaced, (above[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}

/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/** A JSON object. Absent members are left out. */
export type JsonObject = { readonly [name: string]: JsonValue | undefined };

/**
 * The canonical text of a JSON value: members sorted by name, absent members omitted. Equivalent
 * bodies have the same text, in any member order.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The part of `process` that Node and similar runtimes provide; others have no `process`. */
export interface RuntimeProcess {
  readonly getBuiltinModule?: (id: string) => object | undefined;
}

type Sha256Hex = (text: string) => string;

/** SHA-256 of a text's UTF-8, in hexadecimal. */
export const sha256Hex: Sha256Hex = fastestSha256Hex(Reflect.get(globalThis, 'process'));

/** Uses the runtime's synchronous hash if there is one: it takes a quarter of the time. */
export function fastestSha256Hex(runtime: RuntimeProcess | undefined): Sha256Hex {
  const crypto = runtime?.getBuiltinModule?.('crypto');
  return crypto !== undefined && hasHash(crypto)
    ? (text) => crypto.hash('sha256', text, 'hex')
    : (text) => bytesToHex(sha256(utf8ToBytes(text)));
}

function hasHash(crypto: object): crypto is {
  hash(algorithm: string, text: string, encoding: 'hex'): string;
} {
  return 'hash' in crypto && typeof crypto.hash === 'function';
}
