import { errAsync, okAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import { mistaking, nothing, refunding, type WrongProcessor, wrapping } from './wrong-processor.ts';

const never = (call: string, fault: string) =>
  `${call} without an answer never says that there is none: ${fault}`;

const emptyList = () => okAsync([]);
const emptyPage = () => okAsync({ items: [] });

/** They judge what no answer says, and mistake what they were given. */
export const processorsThatJudgeSilence: readonly WrongProcessor[] = [
  {
    fault: 'calls a setup missing when the answer is lost',
    caughtBy: [never('readSetup', 'loseReply')],
    open: wrapping((right) => ({ readSetup: (setup) => right.readSetup(setup).orElse(nothing) })),
  },
  {
    fault: 'lists no refund without a connection',
    caughtBy: [never('listRefunds', 'refuse')],
    open: refunding((right) => ({ list: (payment) => right.list(payment).orElse(emptyList) })),
  },
  {
    fault: 'lists no recent refund when the reply has another shape',
    caughtBy: [never('listRecentRefunds', 'garbleReply')],
    open: refunding((right) => ({
      listRecent: (request) => right.listRecent(request).orElse(emptyPage),
    })),
  },
  {
    fault: 'rejects a capture when its read fails',
    caughtBy: [
      'capturePayment, when the processor fails is not judged by a read that has no answer: loseReply',
    ],
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .readPayment(request)
          .orElse(nothing)
          .andThen((seen) =>
            seen === undefined
              ? errAsync<never, ProcessorError>({ kind: 'rejected', reason: 'unknownPayment' })
              : right.capturePayment(request),
          ),
    })),
  },
  {
    fault: 'reads the receipts of other installations by their reference',
    caughtBy: ['for another installation, by reference reads no receipt'],
    open: wrapping((right, tally) => ({
      readReceipt: (payment) => {
        const order = tally.saleOf(payment.reference ?? '');
        const installation = order?.source ?? payment.installation;
        return right.readReceipt({ ...payment, installation });
      },
    })),
  },
  {
    fault: 'lists the refunds of other installations by their reference',
    caughtBy: [
      'for another installation, by reference gives no money back, and lists no refund and no dispute',
      'for another installation, by reference gives no money back, and lists no refund and no dispute',
    ],
    open: refunding((right, tally) => ({
      list: (payment) => {
        const order = tally.saleOf(payment.reference ?? '');
        return right.list({ ...payment, installation: order?.source ?? payment.installation });
      },
    })),
  },
  {
    fault: 'quotes a signed text of no meaning',
    caughtBy: ['events are rejected without their text if they are signed, and no message'],
    open: wrapping((right) => ({
      parseEvent: (event, now) =>
        right
          .parseEvent(event, now)
          .orElse(
            mistaking((error) =>
              error.kind === 'rejected' && error.reason === 'malformedMessage'
                ? { kind: 'rejected', reason: `malformed: ${event.payload}` }
                : error,
            ),
          ),
    })),
  },
  {
    fault: 'shows failed refunds as made',
    caughtBy: ['refunds may end later, and give nothing back if they fail'],
    open: refunding((right) => ({
      list: (payment) =>
        right
          .list(payment)
          .map((refunds) => refunds.map((one) => ({ ...one, state: 'succeeded' as const }))),
    })),
  },
];
