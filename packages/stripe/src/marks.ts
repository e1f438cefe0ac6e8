import {
  chargePurposes,
  type OpenPaymentRequest,
  type OtherVisitMarks,
  type VisitMarks,
} from '@chairside/core/ports';

/** The names of our marks in Stripe's metadata. */
export const markNames = {
  payment: 'chairside_payment',
  setup: 'chairside_setup',
  refund: 'chairside_refund',
  customer: 'chairside_customer',
  installation: 'chairside_installation',
  /** Checked on each reply, because an intent does not name its account. */
  account: 'chairside_account',
  // What a payment is for. A restored database learns it from here (D210).
  appointment: 'chairside_appointment',
  business: 'chairside_business',
  barber: 'chairside_barber',
  purpose: 'chairside_purpose',
  /** In minor units. It tells the tip from the rest in Stripe's own lists and reports (D48). */
  tip: 'chairside_tip',
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

type OpeningMarks = Pick<OpenPaymentRequest, 'visit' | 'tipMinor'>;

/** Of the other visits, from 1 on. An id has up to 255 characters, and a value of Stripe 500. */
const otherNames = (nth: number) =>
  ({ part: `chairside_also_${nth}`, barber: `chairside_also_barber_${nth}` }) as const;

function otherMetadata({ alsoPays = [] }: VisitMarks): Metadata {
  const marks = alsoPays.flatMap(({ appointmentId, barberId, amount }, index) => {
    const { part, barber } = otherNames(index + 1);
    return [[part, `${amount} ${appointmentId}`] as const, [barber, barberId] as const];
  });
  return Object.fromEntries(marks);
}

function otherMarks(metadata: Metadata): readonly OtherVisitMarks[] {
  const found: OtherVisitMarks[] = [];
  for (let nth = 1; ; nth += 1) {
    const { part, barber } = otherNames(nth);
    const [, amount, appointmentId] = /^(\d+\.\d\d) (.+)$/u.exec(metadata[part] ?? '') ?? [];
    const barberId = metadata[barber];
    if (!amount || !appointmentId || !barberId) return found;
    found.push({ appointmentId, barberId, amount });
  }
}

function visitMetadata(visit: VisitMarks) {
  const { appointmentId, businessId, barberId, purpose } = visit;
  return {
    [markNames.appointment]: appointmentId,
    [markNames.business]: businessId,
    [markNames.barber]: barberId,
    ...(purpose !== undefined && { [markNames.purpose]: purpose }),
    ...otherMetadata(visit),
  };
}

/** The visit in a payment's metadata; `undefined` if it is not there. */
export function visitMarks(metadata: Metadata): VisitMarks | undefined {
  const { appointment, business, barber } = markNames;
  const [appointmentId, businessId, barberId] = [
    metadata[appointment],
    metadata[business],
    metadata[barber],
  ];
  if (!appointmentId || !businessId || !barberId) return undefined;
  const purpose = chargePurposes.find((one) => one === metadata[markNames.purpose]);
  const alsoPays = otherMarks(metadata);
  return {
    appointmentId,
    businessId,
    barberId,
    ...(purpose !== undefined && { purpose }),
    ...(alsoPays.length > 0 && { alsoPays }),
  };
}

/** The metadata of a new payment. Only the marks in it identify the payment. */
export function openingMetadata(payment: PaymentMarks & OpeningMarks) {
  const { tipMinor, visit } = payment;
  return {
    ...paymentMetadata(payment),
    ...(visit !== undefined && visitMetadata(visit)),
    ...(tipMinor !== undefined && { [markNames.tip]: `${tipMinor}` }),
  };
}

/**
 * The texts in an object's metadata, which may be another system's; `undefined` if it cannot be read.
 */
export function metadataOf(object: object): Metadata | undefined {
  const found: unknown = Reflect.get(object, 'metadata');
  const metadata = found ?? {};
  if (typeof metadata !== 'object' || Array.isArray(metadata)) return undefined;
  const isText = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(metadata).filter(isText));
}

/** Our marks on an object of Stripe; `undefined` for foreign objects. */
export function paymentMarks(metadata: Metadata): PaymentMarks | undefined {
  const { payment, installation, account } = markNames;
  const [paymentId, of, owner] = [metadata[payment], metadata[installation], metadata[account]];
  if (!paymentId || !of || !owner) return undefined;
  return { paymentId, installation: of, account: owner };
}

export function isMarked(metadata: Metadata, wanted: Metadata): boolean {
  return Object.entries(wanted).every(([name, value]) => metadata[name] === value);
}
