import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

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
