import { findManagedPayment } from '../call/access.ts';
import { hostOperation, type OperationError } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { Card } from '../domain/card.ts';
import { formatMoney } from '../domain/money.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { isCounted, maxListedRefunds, type RefundState } from '../domain/refund.ts';
import { err } from '../domain/result.ts';
import { formatTimestamp } from '../domain/time.ts';
import type { ReceiptDetails } from '../ports/processor-calls.ts';
import { ask, handleOf, readAtProcessor } from '../work/ask.ts';
import { cannotRead } from '../work/faults.ts';

export interface GetReceiptInput {
  readonly contactlessPaymentId: string;
}

/** The required content of a card-present receipt (D36). */
export interface Receipt extends ReceiptDetails {
  readonly contactlessPaymentId: string;
  readonly shopName: string;
  readonly locationName: string;
  /** The captured amount, by the processor's ledger. */
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly capturedAt: string;
  /** The platform's share of the amount, if there is one (D46). */
  readonly applicationFee?: string;
  /** The refunds that took place or are pending, oldest first (D44). */
  readonly refunds: readonly ReceiptRefund[];
  /** Absent if the processor does not show it. */
  readonly card?: Card;
}

/** A refund, as the customer's receipt shows it. */
export interface ReceiptRefund {
  readonly amount: string;
  readonly state: RefundState;
  readonly createdAt: string;
}

export const getReceipt = {
  /**
   * Returns what a card-present receipt must show, read from the processor.
   *
   * @example
   * const receipt = await chairside.getReceipt(manager, { contactlessPaymentId: opened.id });
   * if (receipt.isOk()) console.log(receipt.value.shopName, receipt.value.amount);
   */
  getReceipt: hostOperation<GetReceiptInput, Receipt>()({
    problems: ['forbidden', 'notFound', 'conflict'],
    run: steps,
  }),
};

export type GetReceiptError = OperationError<typeof getReceipt>;

async function* steps({ ports, auth }: Run, input: GetReceiptInput) {
  const payment = yield* findManagedPayment(ports, auth, input.contactlessPaymentId);
  const { card, capturedAt, appointment } = payment;
  if (capturedAt === undefined) return yield* err(notCaptured());
  const seen = yield* (await readAtProcessor(ports, payment)).mapErr(cannotRead);
  const read = await ask(ports, 'readReceipt', () =>
    ports.processor.readReceipt(handleOf(ports, payment)),
  );
  const details = yield* read.mapErr(cannotRead);
  const refunds = yield* await ports.store.refunds.listByPayment(payment.id, maxListedRefunds);
  const { applicationFeeMinor: feeMinor } = payment;
  return {
    contactlessPaymentId: payment.id,
    shopName: appointment.location.shopName,
    locationName: appointment.location.name,
    amount: formatMoney(seen?.capturedMinor ?? payment.amountMinor),
    currency: payment.currency,
    capturedAt: formatTimestamp(capturedAt),
    ...(feeMinor !== undefined && { applicationFee: formatMoney(feeMinor) }),
    refunds: refunds.filter(isCounted).map(({ amountMinor, state, createdAt }) => ({
      amount: formatMoney(amountMinor),
      state,
      createdAt: formatTimestamp(createdAt),
    })),
    ...(card !== undefined && { card }),
    ...details,
  };
}

function notCaptured(): Fault<'conflict'> {
  return fault('conflict', 'Only a captured payment has a receipt.', {
    attributes: { reason: 'notCaptured' },
  });
}
