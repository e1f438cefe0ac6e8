import { hash } from 'node:crypto';

/** Text that looks random and depends only on seed, purpose and number. */
export function derive(seed: string, purpose: string, of: number | string): string {
  return hash('sha256', `${seed}\n${purpose}\n${of}`, 'hex').slice(0, 24);
}

/** The client secret of a reference. It begins with the reference, as Stripe's do. */
export function clientSecretOf(seed: string, reference: string): string {
  return `${reference}_secret_${derive(seed, 'secret', reference)}`;
}

/** The prefix of a client secret. Only the ledger can say whether the secret is genuine. */
export function referenceIn(clientSecret: string): string {
  return clientSecret.split('_secret_', 1)[0] ?? '';
}
