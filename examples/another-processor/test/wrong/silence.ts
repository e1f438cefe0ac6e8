import { errAsync, okAsync, type ProcessorError } from '@chairside/core';
import {
  mistaking,
  notApplied,
  nothing,
  overWire,
  refunding,
  type WrongProcessor,
  wrapping,
} from './wrong-processor.ts';

const never = (call: string, fault: string) =>
  `${call} without an answer never says that there is none: ${fault}`;

const emptyList = () => okAsync([]);
const emptyPage = () => okAsync({ items: [] });

/** Calls a request that was limited or refused something else. */
const calling = (kind: ProcessorError['kind'], as: ProcessorError) =>
  mistaking((error) => (error.kind === kind ? as : error));

const unknown: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };

/** They judge what no answer says, and cut, mistake or forget what they were given. */
export const processorsThatJudgeSilence: readonly WrongProcessor[] = [
  {
    fault: 'shows no receipt when the processor fails',
    caughtBy: never('readReceipt', 'fail'),
    open: wrapping((right) => ({
      readReceipt: (payment) => right.readReceipt(payment).orElse(nothing),
    })),
  },
  {
    fault: 'calls a setup missing when the answer is lost',
    caughtBy: never('readSetup', 'loseReply'),
    open: wrapping((right) => ({ readSetup: (setup) => right.readSetup(setup).orElse(nothing) })),
  },
  {
    fault: 'lists no payment when the processor limits it',
    caughtBy: never('listPayments', 'rateLimit'),
    open: wrapping((right) => ({
      listPayments: (request) => right.listPayments(request).orElse(emptyPage),
    })),
  },
  {
    fault: 'lists no refund without a connection',
    caughtBy: never('listRefunds', 'refuse'),
    open: refunding((right) => ({ list: (payment) => right.list(payment).orElse(emptyList) })),
  },
  {
    fault: 'lists no recent refund when the reply has another shape',
    caughtBy: never('listRecentRefunds', 'garbleReply'),
    open: refunding((right) => ({
      listRecent: (request) => right.listRecent(request).orElse(emptyPage),
    })),
  },
  {
    fault: 'calls a payment missing when its read is limited',
    caughtBy: never('readPayment', 'rateLimit'),
    open: wrapping((right) => ({
      readPayment: (payment, claimed) => right.readPayment(payment, claimed).orElse(nothing),
    })),
  },
  {
    fault: 'cancels no setup when the answer to the cancelation is lost',
    caughtBy:
      'cancelSetup, when the processor fails is unknown and answered if it was applied, and the ledger shows it',
    open: wrapping((right) => ({
      cancelSetup: (request) => right.cancelSetup(request).orElse(nothing),
    })),
  },
  {
    fault: 'calls a payment canceled when its read fails',
    caughtBy:
      'cancelPayment, when the processor fails is not judged by a read that has no answer: fail',
    open: wrapping((right) => ({
      cancelPayment: (request) =>
        right
          .readPayment(request)
          .orElse(nothing)
          .andThen((seen) => (seen === undefined ? okAsync(seen) : right.cancelPayment(request))),
    })),
  },
  {
    fault: 'rejects a capture when its read fails',
    caughtBy:
      'capturePayment, when the processor fails is not judged by a read that has no answer: loseReply',
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
    fault: 'calls a limited capture rejected',
    caughtBy:
      'capturePayment, when the processor fails is rateLimited and not applied, and is then made under the same key',
    open: wrapping((right) => ({
      capturePayment: (request) =>
        right
          .capturePayment(request)
          .orElse(calling('rateLimited', { kind: 'rejected', reason: 'slowDown' })),
    })),
  },
  {
    fault: 'calls a limited refund unknown',
    caughtBy:
      'refund, when the processor fails is rateLimited and not applied, and is then made under the same key',
    open: refunding((right) => ({
      refund: (request) => right.refund(request).orElse(calling('rateLimited', unknown)),
    })),
  },
  {
    fault: 'says "not applied" of a capture that stays without a reply',
    caughtBy:
      'capturePayment, when the processor fails is unknown if it is applied and has no reply',
    open: wrapping((right) => ({
      capturePayment: (request) => right.capturePayment(request).orElse(notApplied),
    })),
  },
  {
    fault: 'says "not applied" of a refund that stays without a reply',
    caughtBy: 'refund, when the processor fails is unknown if it is applied and has no reply',
    open: refunding((right) => ({
      refund: (request) => right.refund(request).orElse(notApplied),
    })),
  },
  {
    fault: 'cuts keys to 20 characters',
    caughtBy:
      'openPayment, when the processor fails is unknown and answered, and is made under another key',
    open: overWire((request, send) => {
      const { requestId } = request;
      return send(
        requestId === undefined ? request : { ...request, requestId: requestId.slice(0, 20) },
      );
    }),
  },
  {
    fault: 'remembers its keys in one instance only',
    caughtBy: 'openPayment, when the processor fails has one effect for one key of two instances',
    open: (() => {
      let instances = 0;
      return wrapping((right) => {
        instances += 1;
        const instance = instances;
        return {
          openPayment: (request) =>
            right.openPayment({
              ...request,
              idempotencyKey: `${instance}:${request.idempotencyKey}`,
            }),
        };
      });
    })(),
  },
  {
    fault: 'keeps its cursors in memory',
    caughtBy: 'listing payments goes on with a cursor in another instance',
    open: wrapping((right) => {
      const cursors = new Map<string, string>();
      return {
        listPayments({ cursor, ...request }) {
          const known = cursors.get(cursor ?? '');
          return right
            .listPayments({ ...request, ...(known !== undefined && { cursor: known }) })
            .map((page) => {
              if (page.cursor === undefined) return page;
              const name = `page ${page.cursor}`;
              cursors.set(name, page.cursor);
              return { ...page, cursor: name };
            });
        },
      };
    }),
  },
  {
    fault: 'reads at most five pages of payments',
    caughtBy: 'listing payments lists every payment of one moment once, on more pages than five',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right.listPayments(request).map(({ cursor, ...page }) => {
          const isLast = Number(cursor) >= 5 * request.limit;
          return { ...page, ...(cursor !== undefined && !isLast && { cursor }) };
        }),
    })),
  },
  {
    fault: 'excludes the beginning of a span',
    caughtBy: 'listing payments includes the beginning of its span, and excludes the end',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right.listPayments({ ...request, openedFrom: request.openedFrom + 1 }),
    })),
  },
  {
    fault: 'includes the end of a span',
    caughtBy: 'listing payments includes the beginning of its span, and excludes the end',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right.listPayments({ ...request, openedBefore: request.openedBefore + 1 }),
    })),
  },
  {
    fault: 'hides a payment that it cannot read',
    caughtBy: 'listing payments names a payment that it cannot read, and hides no other',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right.listPayments(request).map(({ unreadable: _hidden, ...page }) => page),
    })),
  },
  {
    fault: 'cannot list beside a payment of an unknown state',
    caughtBy: 'listing payments names a payment that it cannot read, and hides no other',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right
          .listPayments(request)
          .andThen((page) => (page.unreadable === undefined ? okAsync(page) : errAsync(unknown))),
    })),
  },
  {
    fault: 'shows failed refunds as made',
    caughtBy: 'refunds may end later, and give nothing back if they fail',
    open: refunding((right) => ({
      list: (payment) =>
        right
          .list(payment)
          .map((refunds) => refunds.map((one) => ({ ...one, state: 'succeeded' as const }))),
    })),
  },
  {
    fault: 'reads the receipts of other installations by their reference',
    caughtBy: 'for another installation, by reference reads no receipt',
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
    caughtBy:
      'for another installation, by reference gives no money back, and lists no refund and no dispute',
    open: refunding((right, tally) => ({
      list: (payment) => {
        const order = tally.saleOf(payment.reference ?? '');
        return right.list({ ...payment, installation: order?.source ?? payment.installation });
      },
    })),
  },
  {
    fault: 'shows a completed setup of the customer for another one',
    caughtBy: 'setups stay open when another setup of the customer is completed or canceled',
    open: wrapping((right, tally) => ({
      readSetup: (setup) =>
        right.readSetup(setup).map((seen) => {
          const own = tally.vaults.find(({ id }) => id === seen?.reference);
          const done = tally.vaults.find(
            ({ customer, state }) => customer === own?.customer && state === 'completed',
          );
          return seen && done
            ? { ...seen, status: 'completed' as const, paymentMethod: `${done.method}` }
            : seen;
        }),
    })),
  },
  {
    fault: 'cancels a setup by its reference alone',
    caughtBy: 'setups are not touched by the reference of another',
    open: wrapping((right, tally) => ({
      cancelSetup: (request) => {
        const vault = tally.vaults.find(({ id }) => id === request.reference);
        const { setupId, installation } = request;
        const named = { setupId: vault?.number ?? setupId };
        return right.cancelSetup({
          ...request,
          ...named,
          installation: vault?.source ?? installation,
        });
      },
    })),
  },
  {
    fault: 'accepts messages that are signed in the future',
    caughtBy: 'events are rejected if their signature is too old or from the future',
    open: wrapping((right) => ({
      parseEvent: (event, now) => {
        const at = Number(event.headers['tally-signature']?.split('.')[0]);
        return right.parseEvent(event, Math.max(now, Number.isFinite(at) ? at : now));
      },
    })),
  },
  {
    fault: 'quotes a signed text of no meaning',
    caughtBy: 'events are rejected without their text if they are signed, and no message',
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
    fault: 'names all refunds of a payment alike',
    caughtBy: 'events tell two refunds of a payment apart',
    open: wrapping((right) => ({
      parseEvent: (event, now) =>
        right
          .parseEvent(event, now)
          .map((one) => (one.kind === 'refund' ? { ...one, subject: one.reference } : one)),
    })),
  },
  {
    fault: 'reads times in seconds',
    caughtBy: 'times are in milliseconds, near the processor’s clock',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) =>
        right.readPayment(payment, claimed).map((seen) => {
          const { authorizedAt = 0 } = seen ?? {};
          return seen && { ...seen, authorizedAt: Math.floor(authorizedAt / 1000) };
        }),
    })),
  },
  {
    fault: 'drops the zeros at the end of an amount',
    caughtBy: 'amounts of 100 minor units stay exact, or are rejected',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) =>
        right.readPayment(payment, claimed).map((seen) => {
          if (seen === undefined) return seen;
          return { ...seen, amountMinor: BigInt(`${seen.amountMinor}`.replace(/0+$/, '')) };
        }),
    })),
  },
  {
    fault: 'keeps amounts in 32 bits',
    caughtBy: 'amounts of 2147483648 minor units stay exact, or are rejected',
    open: wrapping((right) => ({
      readPayment: (payment, claimed) =>
        right
          .readPayment(payment, claimed)
          .map((seen) => seen && { ...seen, amountMinor: BigInt.asIntN(32, seen.amountMinor) }),
    })),
  },
];
