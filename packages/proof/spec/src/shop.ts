import { type Appointment, type ContactlessPayment, parseMoney } from '@chairside/core';
import type { Payment } from '@chairside/core/ports';
import type { CardName } from '@chairside/fake-processor';
import type { BookEntry } from '@chairside/testkit';
import { type Answer, payment } from './answer.ts';
import type { Person } from './people.ts';
import type { AnyWorld } from './world.ts';

let count = 0;

/** An id or key that was not used before. */
export function fresh(what: string): string {
  count += 1;
  return `${what}-${count}`;
}

interface AppointmentGiven {
  readonly id?: string;
  readonly amountDue?: string;
  readonly barber?: string;
  readonly surname?: string;
  readonly business?: string;
  /** Its members for charges of saved methods. */
  readonly terms?: ChargeTerms;
}

export type ChargeTerms = Pick<
  Appointment,
  'customerId' | 'paymentMethodSetupId' | 'noShowFeeMinor' | 'isMissed' | 'timeZone'
>;

/** Puts an appointment, by default with 45.00 due to Ada's shop. Returns its id. */
export async function givenAppointment(
  { chairside }: Pick<AnyWorld, 'chairside'>,
  {
    id = fresh('appointment'),
    amountDue = '45.00',
    barber = 'ada',
    surname = 'Marlow',
    business = 'shop',
    terms = {},
  }: AppointmentGiven = {},
): Promise<string> {
  const put = await chairside.records.putAppointment({
    id,
    businessId: business,
    amountDueMinor: parseMoney(amountDue)._unsafeUnwrap(),
    occursOn: '2026-11-02T10:00:00.000Z',
    timeZone: 'Europe/Berlin',
    barber: { id: barber, givenName: 'Ada', surname, spokenLanguages: ['de', 'en'] },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    ...terms,
  });
  if (put.isErr()) throw new Error(put.error.detail);
  return id;
}

interface CreateGiven {
  readonly key?: string;
  readonly amount?: string;
  readonly as?: Person;
}

export function create(
  { send }: Pick<AnyWorld, 'send'>,
  appointmentId: string,
  { key = fresh('create'), amount, as = 'ada' }: CreateGiven = {},
): Promise<Answer> {
  return send('createContactlessPayment', as, {
    id: appointmentId,
    key,
    ...(amount !== undefined && { body: { amount } }),
  });
}

/** A payment without a card. */
export async function givenPayment(
  world: Pick<AnyWorld, 'send' | 'chairside'>,
  given: CreateGiven & { readonly appointmentId?: string } = {},
): Promise<ContactlessPayment> {
  const appointmentId = given.appointmentId ?? (await givenAppointment(world));
  return payment(await create(world, appointmentId, given), 201);
}

/** Presents a card at the terminal, and returns the reference that the app receives. */
export async function present(
  { processor }: Pick<AnyWorld, 'processor'>,
  { clientSecret }: ContactlessPayment,
  card: CardName = 'visa_credit',
): Promise<string> {
  const presented = await processor.presentCard(clientSecret, card);
  if (presented.isErr()) throw new Error(`the card was not presented: ${presented.error}`);
  return presented.value.externalPaymentReference.id;
}

/** Skips a spec whose card the processor cannot present. */
export function needsCard(
  { processor }: Pick<AnyWorld, 'processor'>,
  card: CardName,
  skip: (condition: boolean, note: string) => void,
): void {
  skip(processor.lacksCards?.includes(card) ?? false, `the processor lacks the card ${card}`);
}

/** A payment with a presented card. */
export async function givenPresented(
  world: AnyWorld,
  given: Parameters<typeof givenPayment>[1] & { readonly card?: CardName } = {},
): Promise<{ payment: ContactlessPayment; reference: string }> {
  const payment = await givenPayment(world, given);
  return { payment, reference: await present(world, payment, given?.card) };
}

interface CaptureGiven {
  readonly key?: string;
  readonly as?: Person;
}

export function capture(
  { send }: Pick<AnyWorld, 'send'>,
  paymentId: string,
  reference: string,
  { key = fresh('capture'), as = 'ada' }: CaptureGiven = {},
): Promise<Answer> {
  const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
  return send('captureContactlessPayment', as, { id: paymentId, key, body });
}

/** A captured payment. */
export async function givenCaptured(
  world: AnyWorld,
  given: Parameters<typeof givenPresented>[1] = {},
): Promise<{ payment: ContactlessPayment; reference: string }> {
  const presented = await givenPresented(world, given);
  const { as = 'ada' } = given;
  const captured = await capture(world, presented.payment.id, presented.reference, { as });
  return { payment: payment(captured, 200), reference: presented.reference };
}

/** A phone that can be a terminal. */
export const phone = {
  platform: 'ios',
  deviceIdentifier: 'phone-1',
  deviceModel: 'iPhone14,5',
  osVersion: '18.1',
  appVersion: '3.2.0',
  terminalSdkVersion: '5.1.0',
} as const;

export function register(
  { send }: Pick<AnyWorld, 'send'>,
  { as = 'ada', ...over }: { readonly as?: Person; readonly [field: string]: unknown } = {},
): Promise<Answer> {
  return send('registerTerminal', as, {
    body: { ...phone, deviceIdentifier: fresh('phone'), ...over },
  });
}

/** The stored payment. */
export async function stored({ store }: Pick<AnyWorld, 'store'>, id: string): Promise<Payment> {
  const read = await store.payments.get(id);
  if (read.isErr() || read.value === undefined) throw new Error(`payment ${id} is not stored`);
  return read.value;
}

/** The shop's ledger of an appointment. */
export async function ledgerOf({ store }: Pick<AnyWorld, 'store'>, appointmentId: string) {
  const read = await store.ledgers.get(appointmentId);
  if (read.isErr()) throw new Error('the ledger cannot be read');
  return read.value;
}

/** The payment in the processor's books; `undefined` if they have none. */
export async function bookEntry(
  { processor }: Pick<AnyWorld, 'processor'>,
  reference: string,
): Promise<BookEntry | undefined> {
  return (await processor.entries()).find(({ id }) => id === reference);
}

/** The number of captures in the processor's books. */
export async function capturesAt({ processor }: Pick<AnyWorld, 'processor'>): Promise<number> {
  const lines = (await processor.entries()).flatMap(({ history }) => history);
  return lines.filter(({ what }) => what === 'captured').length;
}

/** The processor's captured total. */
export async function takenMinor({ processor }: Pick<AnyWorld, 'processor'>): Promise<bigint> {
  return (await processor.entries()).reduce(
    (sum, entry) => sum + BigInt(entry.amountCaptured.replace('.', '')),
    0n,
  );
}

export async function reconciled({ chairside }: Pick<AnyWorld, 'chairside'>) {
  return (await chairside.reconcile())._unsafeUnwrap();
}

/** Waits, turn by turn of the event loop, until a condition holds; time stands still. */
export async function until(happened: () => boolean): Promise<void> {
  for (let turns = 0; !happened(); turns += 1) {
    if (turns > 1_000_000) throw new Error('it did not happen');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
