/** The names under which our marks are kept in Stripe's metadata. */
export const markNames = {
  payment: 'chairside_payment',
  setup: 'chairside_setup',
  customer: 'chairside_customer',
  installation: 'chairside_installation',
  /** Checked on each reply: an intent does not say itself which account it lives in. */
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

/** Our marks on something of Stripe's; `undefined` where it is none of ours. */
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
