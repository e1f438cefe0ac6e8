import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Text that looks random and is the same for the same seed, purpose and number. */
export function derive(seed: string, purpose: string, of: number | string): string {
  const hash = sha256(utf8ToBytes(`${seed}\n${purpose}\n${of}`));
  return bytesToHex(hash.subarray(0, 12));
}

/** Names a thing and makes it secret: it begins with the reference, as Stripe's do. */
export function clientSecretOf(seed: string, reference: string): string {
  return `${reference}_secret_${derive(seed, 'secret', reference)}`;
}

/** What a client secret begins with; whether it is that one's is for the ledger to say. */
export function referenceIn(clientSecret: string): string {
  return clientSecret.split('_secret_', 1)[0] ?? '';
}
