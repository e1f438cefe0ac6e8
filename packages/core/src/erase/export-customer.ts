import * as v from 'valibot';
import { allIdsOf } from '../frame/facts.ts';
import { hostTask, parseInput } from '../frame/operation.ts';
import { appointmentIdsSchema } from '../host/wire.ts';
import { maxListedPayments, type Payment } from '../payment/payment.ts';
import type { ContactlessPayment } from '../payment/wire.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { maxListedRefunds } from '../refund/refund.ts';
import { type DisputeView, type RefundView, viewDispute, viewRefund } from '../refund/wire.ts';
import type { MethodSetup } from '../setup/setup.ts';
import { maxListedShares, type ShareEntry } from '../share/share.ts';
import { viewShared } from '../share/wire.ts';
import { isRecorded, maxListedTenders, type Tender } from '../tender/tender.ts';
import { type TenderReturnView, type TenderView, viewReturn, viewTender } from '../tender/wire.ts';
import { maxListedReviews, type Review } from '../upkeep/review.ts';
import type { Steps } from '../values/result.ts';
import { formatTimestamp } from '../values/time.ts';
import { anyTextSchema } from '../values/wire.ts';
import { isPaymentOf, readMovedPayments } from './whose.ts';

interface ExportCustomerInput {
  readonly customerId: string;
  /** The customer's appointments, which only the host knows; at most 100 per call. */
  readonly appointmentIds?: readonly string[] | undefined;
}

/** All that is kept of a customer, as one document. It holds no secret. */
export interface ExportedCustomer {
  /** The customer, and all that were merged into it. */
  readonly customerIds: readonly string[];
  readonly exportedAt: string;
  /**
   * Of the given appointments, oldest first, then those that were shared with them; those of another customer are
   * left out.
   */
  readonly payments: readonly ExportedPayment[];
  /** What was paid without a card for the given appointments, and what was given back of it. */
  readonly tenders: readonly TenderView[];
  readonly tenderReturns: readonly TenderReturnView[];
  /** Why payments were shared with the given appointments, in the shop's words. */
  readonly sharings: readonly ExportedSharing[];
  readonly paymentMethodSetups: readonly ExportedSetup[];
}

interface ExportedSharing {
  readonly contactlessPaymentId: string;
  readonly sharedAt: string;
  readonly note: string;
}

interface ExportedPayment extends Omit<ContactlessPayment, 'clientSecret'> {
  readonly currency: string;
  /** What the customer agreed to, if it is a charge of a saved method. */
  readonly agreement?: { readonly agreedAt: string; readonly agreementRef: string };
  readonly refunds: readonly RefundView[];
  readonly disputes: readonly DisputeView[];
  /** Why a person looked at the payment, with the person's note. */
  readonly reviews: readonly ExportedReview[];
}

interface ExportedReview {
  readonly reason: Review['reason'];
  readonly openedAt: string;
  readonly resolvedAt?: string;
  readonly note?: string;
}

interface ExportedSetup {
  readonly id: string;
  readonly customerId: string;
  readonly createdAt: string;
  /** Whether the method may be charged again. */
  readonly isSaved: boolean;
  readonly releasedAt?: string;
}

const maxSetups = 1000;
const inputSchema = v.strictObject({
  customerId: anyTextSchema,
  appointmentIds: appointmentIdsSchema,
});

export const customerExport = {
  /**
   * Returns what is kept of a customer, for a person who asks for it: the newest 1,000 payments of each of
   * the given appointments, and those shared with them, with their cards, refunds, disputes and reviews, 1,000 tenders with their
   * returns, the notes of sharings, and 1,000 setups.
   *
   * @example
   * const kept = await chairside.exportCustomer({
   *   customerId: 'customer_1',
   *   appointmentIds: ['haircut'],
   * });
   * if (kept.isOk()) console.log(JSON.stringify(kept.value));
   */
  exportCustomer: hostTask<[input: ExportCustomerInput], ExportedCustomer>()({
    problems: ['badRequest'],
    async *task({ ports }, input) {
      const { customerId, appointmentIds: given } = yield* parseInput(inputSchema, { ...input });
      const customerIds = yield* allIdsOf(ports.store, customerId);
      const appointmentIds = new Set(given);
      const person = { customerIds, appointmentIds };
      const payments: Payment[] = [];
      const tenders: Tender[] = [];
      const entries: ShareEntry[] = [];
      const sharings = new Set<string>();
      for (const id of appointmentIds) {
        const listed = yield* await ports.store.payments.listByAppointment(id, maxListedPayments);
        payments.push(...listed.filter((payment) => isPaymentOf(person, payment)));
        const shares = yield* await ports.store.shares.listByAppointment(id, maxListedShares);
        entries.push(...shares);
        // Shares and some tenders name no customer, so the appointment's counts.
        const appointment = yield* await ports.store.appointments.get(id);
        const isTheirs = (owner = appointment?.customerId ?? customerId) =>
          customerIds.includes(owner);
        const cash = yield* await ports.store.tenders.listByAppointment(id, maxListedTenders);
        tenders.push(...cash.filter((tender) => isTheirs(tender.customerId)));
        if (isTheirs()) for (const { actId } of shares) sharings.add(actId);
      }
      payments.push(...(yield* readMovedPayments(ports.store, person, entries)));
      const exported: ExportedPayment[] = [];
      for (const payment of payments) exported.push(yield* exportPayment(ports, payment));
      const setups: ExportedSetup[] = [];
      for (const id of customerIds) {
        const listed = yield* await ports.store.setups.listByCustomer(id, maxSetups);
        setups.push(...listed.map(exportSetup));
      }
      const exportedAt = formatTimestamp(ports.clock.now());
      return {
        customerIds,
        exportedAt,
        payments: exported,
        tenders: tenders.filter(isRecorded).map(viewTender),
        tenderReturns: tenders.filter(({ act }) => act === 'return').map(viewReturn),
        sharings: yield* exportSharings(ports, sharings),
        paymentMethodSetups: setups,
      };
    },
  }),
};

async function* exportPayment(
  { store }: Ports,
  payment: Payment,
): Steps<ExportedPayment, StoreUnavailable> {
  const { clientSecret: _clientSecret, ...shown } = viewShared(payment);
  const { id, currency, charge } = payment;
  const refunds = yield* await store.refunds.listByPayment(id, maxListedRefunds);
  const disputes = yield* await store.disputes.listByPayment(id, maxListedRefunds);
  const reviews = yield* await store.reviews.listByPayment(id, maxListedReviews);
  return {
    ...shown,
    currency,
    ...(charge !== undefined && {
      agreement: {
        agreedAt: formatTimestamp(charge.agreedAt),
        agreementRef: charge.agreementRef,
      },
    }),
    refunds: refunds.map(viewRefund),
    disputes: disputes.map(viewDispute),
    reviews: reviews.map(exportReview),
  };
}

function exportReview({ reason, openedAt, resolvedAt, note }: Review): ExportedReview {
  return {
    reason,
    openedAt: formatTimestamp(openedAt),
    ...(resolvedAt !== undefined && { resolvedAt: formatTimestamp(resolvedAt) }),
    ...(note !== undefined && { note }),
  };
}

/** The notes of these acts. Each stands with the first entry of its act, which may be another visit's. */
async function* exportSharings(
  { store }: Ports,
  actIds: ReadonlySet<string>,
): Steps<readonly ExportedSharing[], StoreUnavailable> {
  const sharings: ExportedSharing[] = [];
  for (const actId of actIds) {
    const first = yield* await store.shares.get(actId);
    if (first?.note === undefined) continue;
    const { paymentId, at, note } = first;
    sharings.push({ contactlessPaymentId: paymentId, sharedAt: formatTimestamp(at), note });
  }
  return sharings;
}

function exportSetup(setup: MethodSetup): ExportedSetup {
  const { id, customerId, createdAt, savePaymentMethod, releasedAt } = setup;
  return {
    id,
    customerId,
    createdAt: formatTimestamp(createdAt),
    isSaved: savePaymentMethod,
    ...(releasedAt !== undefined && { releasedAt: formatTimestamp(releasedAt) }),
  };
}
