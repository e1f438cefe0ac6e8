import { hash } from 'node:crypto';

const length = 24;

/** Text that looks random and depends only on seed, purpose and number. */
export function derive(seed: string, purpose: string, of: number | string): string {
  return digestOf(seed, purpose, of).slice(0, length);
}

function digestOf(seed: string, purpose: string, of: number | string): string {
  return hash('sha256', `${seed}\n${purpose}\n${of}`, 'hex');
}

/** The id of a new record and its client secret, which begins with the id, as Stripe's do. */
export function identify(
  seed: string,
  prefix: 'fpi' | 'fsi',
  number: number,
): { readonly id: string; readonly clientSecret: string } {
  const digest = digestOf(seed, prefix === 'fpi' ? 'payment' : 'setup', number);
  const id = `${prefix}_${digest.slice(0, length)}`;
  return { id, clientSecret: `${id}_secret_${digest.slice(length, 2 * length)}` };
}

/** The prefix of a client secret. Only the books can say whether the secret is genuine. */
export function referenceIn(clientSecret: string): string {
  return clientSecret.split('_secret_', 1)[0] ?? '';
}
