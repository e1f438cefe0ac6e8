import * as v from 'valibot';
import { find } from '../frame/access.ts';
import { hostTask, operation, parseInput, toLimit } from '../frame/operation.ts';
import { findPaymentForManager } from '../payment/find.ts';
import { orNothing } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { isStorable } from '../values/text.ts';
import { type DisputeState, disputeStates } from './dispute.ts';
import { readReturns, refundableParts } from './returns.ts';
import {
  type DisputeView,
  type RefundsView,
  refundedExample,
  refundSchema,
  refundShapes,
  refundsSchema,
  viewDispute,
  viewRefund,
} from './wire.ts';

interface ListDisputesInput {
  /** Default: `open`. */
  readonly state?: DisputeState | undefined;
  /** The maximum number of entries, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
  /** The id of the last dispute of the previous page. */
  readonly after?: string | undefined;
}

const disputesSchema = v.strictObject({
  state: v.optional(v.picklist(disputeStates)),
  after: v.optional(v.string()),
  // Any number is a limit (`toLimit`).
  limit: v.optional(v.unknown()),
});

export const refundReads = {
  /**
   * Reads a stored refund. It never asks the processor.
   *
   * @example
   * const read = await chairside.getRefund(manager, {
   *   contactlessPaymentId: opened.id,
   *   refundId: 'rfd_01h455vb4pex5vsknk084sn02q',
   * });
   * const isBack = read.isOk() && read.value.state === 'succeeded';
   */
  getRefund: operation({
    ids: ['contactlessPaymentId', 'refundId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Refunds',
    summary: 'Reads a refund',
    description: 'Returns the refund as it was last seen. It does not read the processor.',
    output: refundSchema,
    example: refundedExample,
    shapes: refundShapes,
  })(async function* ({ ports, auth }, { contactlessPaymentId, refundId }) {
    const payment = yield* findPaymentForManager(ports, auth, contactlessPaymentId);
    const { refunds } = ports.store;
    return viewRefund(
      yield* await find('refund', refundId, refunds, (found) => found.paymentId === payment.id),
    );
  }),

  /**
   * Lists a payment's refunds, including those made at the processor, and the amount that is left.
   *
   * @example
   * const listed = await chairside.listRefunds(manager, { contactlessPaymentId: opened.id });
   * if (listed.isOk()) console.log(listed.value.refundable); // 35.00
   */
  listRefunds: operation({
    ids: ['contactlessPaymentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Refunds',
    summary: 'Lists the refunds of a payment, and its refundable amount',
    description: 'The list includes refunds that were made at the processor.',
    output: refundsSchema,
    shapes: refundShapes,
  })<RefundsView>(async function* ({ ports, auth }, { contactlessPaymentId }) {
    const payment = yield* findPaymentForManager(ports, auth, contactlessPaymentId);
    const returned = yield* readReturns(ports, payment);
    const { owedMinor, tipMinor } = refundableParts(returned);
    const items = returned.refunds.map(viewRefund);
    return {
      items,
      count: items.length,
      captured: formatMoney(payment.capturedMinor ?? 0n),
      refundable: formatMoney(orNothing(owedMinor + tipMinor)),
      ...(tipMinor > 0n && { refundableTip: formatMoney(tipMinor) }),
    };
  }),

  /**
   * Lists disputes for the host, in order of their ids, which begin with a time.
   *
   * @example
   * const open = await chairside.listDisputes({ state: 'open' });
   * const deadlines = open.map((disputes) => disputes.map(({ respondBy }) => respondBy));
   */
  listDisputes: hostTask<[input?: ListDisputesInput], readonly DisputeView[]>()({
    problems: ['badRequest'],
    async *task({ ports }, input = {}) {
      const { state = 'open', after } = yield* parseInput(disputesSchema, { ...input });
      // Disputes have no ids that cannot be stored.
      if (after !== undefined && !isStorable(after)) return [];
      const found = yield* await ports.store.disputes.list(state, toLimit(input.limit), after);
      return found.map(viewDispute);
    },
  }),
};
