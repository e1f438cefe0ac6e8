import { findPaymentOfBusiness } from '../../call/access.ts';
import { type OperationError, operation } from '../../call/operation.ts';
import type { Run } from '../../call/perform.ts';
import { formatMoney } from '../../domain/money.ts';
import { type RefundsView, refundsSchema, viewRefund } from '../../schemas/refund.ts';
import { refundShapes } from '../../schemas/shapes/refund.ts';
import { refundableMinor } from '../../work/refunding/decide-refundable.ts';
import { readReturned } from '../../work/refunding/follow-returned.ts';

export interface ListRefundsInput {
  readonly contactlessPaymentId: string;
}

export const listRefunds = {
  /**
   * Lists a payment's refunds, including those made at the processor, and the amount that is left.
   *
   * @example
   * const listed = await chairside.listRefunds(manager, { contactlessPaymentId: opened.id });
   * if (listed.isOk()) console.log(listed.value.refundable); // 35.00
   */
  listRefunds: operation<ListRefundsInput, RefundsView>()({
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Refunds',
    summary: 'Lists the refunds of a payment, and its refundable amount',
    description: 'The list includes refunds that were made at the processor.',
    output: refundsSchema,
    shapes: refundShapes,
    run: steps,
  }),
};

export type ListRefundsError = OperationError<typeof listRefunds>;

async function* steps({ ports, auth }: Run, input: ListRefundsInput) {
  const payment = yield* findPaymentOfBusiness(ports, auth, input.contactlessPaymentId);
  const returned = yield* readReturned(ports, payment);
  const { capturedMinor = 0n, currency } = payment;
  const leftMinor = refundableMinor({ capturedMinor, currency, ...returned });
  const items = returned.refunds.map(viewRefund);
  return {
    items,
    count: items.length,
    captured: formatMoney(capturedMinor),
    refundable: formatMoney(leftMinor > 0n ? leftMinor : 0n),
  };
}
