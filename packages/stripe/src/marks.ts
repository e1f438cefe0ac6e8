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
