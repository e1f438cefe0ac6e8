import type { ListRequest } from '@chairside/core';
import type { Settings } from './options.ts';

/** The names of our marks in Stripe's metadata. */
export const markNames = {
  payment: 'chairside_payment',
  setup: 'chairside_setup',
  refund: 'chairside_refund',
  customer: 'chairside_customer',
  installation: 'chairside_installation',
  /** Checked on each reply, because an intent does not name its account. */
  account: 'chairside_account',
} as const;

export type Metadata = Readonly<Record<string, string>>;

export interface PaymentMarks {
  readonly paymentId: string;
  readonly installation: string;
  readonly account: string;
}

export function paymentMetadata({ paymentId, installation, account }: PaymentMarks) {
  return {
    [markNames.payment]: paymentId,
    [markNames.installation]: installation,
    [markNames.account]: account,
  };
}

/**
 * The texts in an object's metadata, which may be another system's; `undefined` if it cannot be read.
 */
export function metadataOf(object: object): Metadata | undefined {
  const metadata: unknown = Reflect.get(object, 'metadata') ?? {};
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return undefined;
  return Object.fromEntries(
    Object.entries(metadata).filter((entry): entry is [string, string] => {
      return typeof entry[1] === 'string';
    }),
  );
}

/** The marks of our payments in a ledger. */
export function ledgerMarks(
  { charges }: Pick<Settings, 'charges'>,
  { ledger, installation }: Pick<ListRequest, 'ledger' | 'installation'>,
): Metadata {
  const marks = { [markNames.installation]: installation };
  return charges === 'direct' ? { ...marks, [markNames.account]: ledger } : marks;
}

/** Our marks on an object of Stripe; `undefined` for foreign objects. */
export function paymentMarks(metadata: Metadata): PaymentMarks | undefined {
  const paymentId = metadata[markNames.payment];
  const installation = metadata[markNames.installation];
  const account = metadata[markNames.account];
  if (paymentId === undefined || installation === undefined || account === undefined) {
    return undefined;
  }
  return { paymentId, installation, account };
}

export function isMarked(metadata: Metadata, wanted: Metadata): boolean {
  return Object.entries(wanted).every(([name, value]) => metadata[name] === value);
}
