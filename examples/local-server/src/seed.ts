import { randomUUID } from 'node:crypto';
import {
  type Business,
  type Chairside,
  ok,
  type Problem,
  type ProblemType,
  type ProcessorAccount,
  ResultAsync,
  safeTry,
} from '@chairside/core';
import type { Store, StoreUnavailable } from '@chairside/core/ports';
import type { FakeProcessor, PresentError } from '@chairside/fake-processor';
import {
  barbers,
  businesses,
  financialAccounts,
  openAppointment,
  otherAppointments,
  paidAppointment,
  payoutPreferences,
  people,
  schedules,
  shop,
} from './demo-data.ts';

export interface Seeding {
  readonly chairside: Chairside;
  readonly store: Store;
  /** Absent with a real processor, whose terminals are not simulated. */
  readonly simulated?: FakeProcessor | undefined;
  /** Replaces the simulated accounts of the demo's shops. */
  readonly account?: ProcessorAccount | undefined;
}

type SeedError = Problem | StoreUnavailable | PresentError;

/** At least fifty, as `GET /demo` promises. */
const openAppointments = 60;

/**
 * Puts the missing demo data. It continues after an interrupted run, so it can run at every start.
 * An error is for a person.
 */
export function seed(seeding: Seeding): ResultAsync<void, string> {
  return putAll(seeding).mapErr((error) =>
    'kind' in error ? error.kind : (error.detail ?? error.title),
  );
}

function putAll({ chairside, store, simulated, account }: Seeding): ResultAsync<void, SeedError> {
  const { putAppointment, putBarber, putBusiness } = chairside.records;
  return safeTry(async function* () {
    // All at once, so that they share one flush.
    yield* await ResultAsync.combine([
      ...businesses.map((business) => putBusiness(paidTo(business, account))),
      ...barbers.map(putBarber),
      ...Object.values(otherAppointments).map(putAppointment),
      ...Array.from({ length: openAppointments }, (_, index) =>
        putAppointment(openAppointment(index + 1)),
      ),
      putAppointment(
        // Without a simulated card, the paid appointment has no amount due instead.
        simulated === undefined ? { ...paidAppointment, amountDueMinor: 0n } : paidAppointment,
      ),
    ]);
    yield* await putOnce(chairside, store);
    if (simulated === undefined) return ok();
    const { capturedMinor } = yield* await store.ledgers.get(paidAppointment.id);
    if (capturedMinor === 0n) {
      const paid = await pay(chairside, simulated, paidAppointment.id);
      if (paid.isErr() && !isPaidMeanwhile(paid.error)) yield* paid;
    }
    return ok();
  });
}

/** Another server on the same file may start at the same moment; then only one of them pays. */
function isPaidMeanwhile(error: SeedError): boolean {
  return 'type' in error ? paidMeanwhile.has(error.type) : error.kind === 'notPresentable';
}

const paidMeanwhile: ReadonlySet<ProblemType> = new Set([
  'appointmentAlreadyPaid',
  'conflict',
  'contactlessPaymentCanceled',
]);

/**
 * Puts the records that a user of the demo can delete, but only once: a restart must not restore
 * them. Payout preferences cannot be deleted and are put last, so their presence proves that all
 * were put.
 */
function putOnce({ records }: Chairside, store: Store): ResultAsync<void, SeedError> {
  return safeTry(async function* () {
    if ((yield* await store.payoutPreferences.get(shop.id)) !== undefined) return ok();
    yield* await ResultAsync.combine([
      ...financialAccounts.map(records.putFinancialAccount),
      ...schedules.map(records.putSchedule),
    ]);
    yield* await ResultAsync.combine(payoutPreferences.map(records.putPayoutPreferences));
    return ok();
  });
}

/** The shop with that account, if it has an account. */
function paidTo(business: Business, account?: ProcessorAccount): Business {
  return account === undefined || business.processorAccount === undefined
    ? business
    : { ...business, processorAccount: account };
}

/** Pays as a customer does: with a card at the barber's phone. */
function pay(
  chairside: Chairside,
  processor: FakeProcessor,
  appointmentId: string,
): ResultAsync<void, SeedError> {
  // Uses a separate subject, so that the barber's quota stays full.
  const barber = { ...people.barber.auth, subject: 'seed' };
  return safeTry(async function* () {
    const { id, clientSecret } = yield* await chairside.createContactlessPayment(barber, {
      appointmentId,
      idempotencyKey: randomUUID(),
    });
    const { externalPaymentReference } = yield* processor.presentCard(clientSecret, 'visa_credit');
    yield* await chairside.captureContactlessPayment(barber, {
      contactlessPaymentId: id,
      idempotencyKey: randomUUID(),
      body: { externalPaymentReference },
    });
    return ok();
  });
}

/** Lists appointments without payments, and creates more when few are left. */
export function listOpenAppointments(chairside: Chairside, store: Store) {
  /** All lower numbers are used, so they need no further check. */
  let first = 1;

  return (): ResultAsync<string[], Problem | StoreUnavailable> =>
    safeTry(async function* () {
      const open: string[] = [];
      for (let number = first; open.length < openAppointments; number += 1) {
        const appointment = openAppointment(number);
        const { id } = appointment;
        if ((yield* await store.appointments.get(id)) === undefined) {
          yield* await chairside.records.putAppointment(appointment);
        }
        const { capturedMinor, openPayments } = yield* await store.ledgers.get(id);
        if (capturedMinor === 0n && openPayments === 0) open.push(id);
        else if (number === first) first += 1;
      }
      return ok(open);
    });
}
