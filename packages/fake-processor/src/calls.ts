import { type EpochMs, err, ok, type Result, type ResultAsync } from '@chairside/core';
import type {
  ListRequest,
  PaymentHandle,
  Processor,
  ProcessorError,
  ProcessorPayment,
} from '@chairside/core/ports';
import { type Books, belongs } from './books.ts';
import type { Apply } from './channel.ts';
import { type Entry, openEntry, toProcessorPayment } from './entry.ts';
import { canceled, captureAccepted, captured, chargedOffSession } from './entry-changes.ts';
import { failed, type Rejection, rejected, unanswered } from './errors.ts';
import { readEvent } from './events.ts';
import { type CallName, type ProcessorCall, platformAccount } from './faults.ts';
import { derive, identify } from './ids.ts';
import type { FakeProcessor } from './interface.ts';
import { pageOf } from './listing.ts';
import { faultOf } from './once.ts';
import { receiptOf } from './receipt.ts';
import { disputesOf, type NewRefund, refunded, refundsOf } from './returned.ts';
import type { Settlements } from './settlements.ts';
import { type Setups, type SetupsOptions, toProcessorSetup } from './setups.ts';
import { verify } from './signature.ts';

/** The state of a fake that its calls read and change. */
export interface CallsOptions extends Omit<SetupsOptions, 'forgotten'> {
  readonly books: Books;
  readonly setups: Setups;
  readonly settlements: Settlements;
  readonly webhookSecret: string;
  readonly lateReferences: boolean;
  readonly rejectedLocations: ReadonlySet<string>;
  /** Whether captures are only accepted, and end later. */
  readonly capturesEndLater: () => boolean;
  /** The state in which a new refund begins. */
  readonly newRefunds: () => NewRefund;
  /** Sends a call over the channel to the processor. */
  send<T>(
    name: CallName,
    about: Omit<ProcessorCall, 'name'>,
    apply: Apply<T>,
  ): ResultAsync<T, ProcessorError>;
}

export function createCalls(desk: CallsOptions) {
  const ways = createWays(desk);
  return {
    ...paymentCalls(desk, ways),
    ...setupCalls(desk, ways),
    charges: chargeCalls(desk, ways),
    refunds: refundCalls(desk, ways),
    disputes: disputeCalls(desk, ways),
    settlements: settlementCalls(desk, ways),
    parseEvent: (event, now) =>
      ways.ask('parseEvent', { account: platformAccount }, () =>
        verify(event, desk.webhookSecret, now).andThen(readEvent).mapErr(rejected),
      ),
  } satisfies Omit<Processor, 'deadlineMs'> &
    Pick<FakeProcessor, 'charges' | 'refunds' | 'disputes' | 'settlements'>;
}

/** A payment, a refund or a dispute, with its payment. */
type Opened = { readonly entry: Entry; readonly openedAt: EpochMs };

type Ways = ReturnType<typeof createWays>;

/** The ways to call: as a question, as a change that each key makes once, and as a list. */
function createWays({ books, keyed, storage, clock, lateReferences, send }: CallsOptions) {
  return { ask, change, list, show, showNow, withTime, isReferenceKnown };

  function isReferenceKnown(entry: Entry): boolean {
    return !lateReferences || entry.presented;
  }

  function show(entry: Entry): ProcessorPayment {
    return toProcessorPayment(entry, isReferenceKnown(entry));
  }

  /** A reply to a read states the processor's time. */
  function showNow(entry: Entry): ProcessorPayment {
    return { ...show(entry), at: clock.now() };
  }

  /** A call without a key. A fault of the processor cannot be stored for it. */
  function ask<T>(
    name: CallName,
    about: Omit<ProcessorCall, 'name'>,
    read: () => Result<T, ProcessorError>,
  ) {
    return send(name, about, (fault) =>
      faultOf(fault).andThen(() => (fault === 'failureAfterApplying' ? err(failed) : read())),
    );
  }

  /** Changes a payment's entry once for each key; `undefined` if it has no entry. */
  function change(
    name: CallName,
    request: PaymentHandle & { readonly idempotencyKey: string },
    params: readonly string[],
    apply: (entry: Entry) => Result<Entry, Rejection>,
  ) {
    return send(name, request, (fault) => {
      const entry = books.find(request);
      const call = { ...request, name, params: [entry?.id, ...params] };
      return keyed.once(books, call, fault, () => (entry ? apply(entry) : ok(undefined)));
    });
  }

  function list<T>(
    name: CallName,
    request: ListRequest,
    openedIn: (entry: Entry) => readonly { readonly createdAt: EpochMs }[],
    view: (opened: Opened) => readonly T[],
  ) {
    const { books: account, installation } = request;
    return ask(name, { account }, () => {
      const opened = storage
        .list('payments')
        .filter((entry) => entry.account === account && entry.installation === installation)
        .flatMap((entry) => openedIn(entry).map(({ createdAt: openedAt }) => ({ entry, openedAt })))
        // Items of one time are in the order of the books.
        .map((one, index) => ({ ...one, reference: `${index}`.padStart(9, '0') }));
      const page = pageOf(opened, request);
      return withTime(page.map((found) => ({ ...found, items: found.items.flatMap(view) })));
    });
  }

  function withTime<T extends object>(page: Result<T, Rejection>) {
    return page.mapErr(rejected).map((listed) => ({ ...listed, at: clock.now() }));
  }
}

function paymentCalls(desk: CallsOptions, ways: Ways) {
  const { books, keyed, clock, seed, nextNumber, lateReferences, send } = desk;
  const { ask, change, list, show, showNow, isReferenceKnown } = ways;

  return {
    openPayment: (request) =>
      send('openPayment', request, (fault) => {
        const { paymentId, installation, amountMinor, currency } = request;
        const { applicationFeeMinor: fee, tipMinor: tip } = request;
        const params = [paymentId, installation, `${amountMinor}`, currency];
        if (fee !== undefined) params.push(`fee ${fee}`);
        if (tip !== undefined) params.push(`tip ${tip}`);
        return keyed.once(books, { ...request, name: 'openPayment', params }, fault, () => {
          if (amountMinor <= 0n) return err('amountNotPositive');
          if (fee !== undefined && (fee < 0n || fee > amountMinor)) return err('amountTooLarge');
          const identity = identify(seed, 'fpi', nextNumber('payments'));
          return ok(openEntry(request, identity, clock.now()));
        });
      })
        .andThen(existing)
        .map(({ id, clientSecret }) => ({
          clientSecret,
          ...(!lateReferences && { reference: id }),
        })),

    readPayment: (payment, claimed) =>
      ask('readPayment', payment, () => {
        if (claimed === undefined) {
          const found = books.find(payment);
          return ok(found && showNow(found));
        }
        const entry = books.load(claimed);
        return entry && belongs(entry, payment) && isReferenceKnown(entry)
          ? ok(showNow(entry))
          : err(rejected('foreignReference'));
      }),

    capturePayment: (request) => {
      const { amountMinor, currency, idempotencyKey } = request;
      return change('capturePayment', request, [`${amountMinor}`, currency], (entry) =>
        entry.capture?.state === 'pending' || desk.capturesEndLater()
          ? captureAccepted(entry, request, clock.now())
          : captured(entry, amountMinor, currency, clock.now()),
      )
        .andThen(existing)
        .andThen((entry) => endOf(entry, idempotencyKey))
        .map(show);
    },

    cancelPayment: (request) =>
      change('cancelPayment', request, [], (entry) => canceled(entry, clock.now())).map(
        (entry) => entry && show(entry),
      ),

    createConnectionToken: ({ account, terminalLocation = '' }) =>
      ask('createConnectionToken', { account }, () =>
        desk.rejectedLocations.has(terminalLocation)
          ? err(rejected('unknownLocation'))
          : ok({ clientSecret: `fct_${derive(seed, 'token', nextNumber('tokens'))}` }),
      ),

    listPayments: (request) =>
      list(
        'listPayments',
        request,
        (entry) => [entry],
        // Read one by one, so that only the entries of one page are brought up to date.
        ({ entry: { id, paymentId }, openedAt }) => {
          const entry = books.load(id);
          if (entry === undefined) return [];
          const { visit } = entry;
          return [
            { ...showNow(entry), paymentId, openedAt, ...(visit !== undefined && { visit }) },
          ];
        },
      ),

    readReceipt: (payment) =>
      ask('readReceipt', payment, () => {
        const entry = books.find(payment);
        return ok(entry && receiptOf(entry, seed));
      }),
  } satisfies Partial<Processor>;

  /** The result of a capture. If it ends later, its end is in the books, and not in the reply. */
  function endOf(after: Entry, key: string): Result<Entry, ProcessorError> {
    if (after.status === 'captured') return ok(after);
    const now = books.load(after.id);
    if (now?.capture?.key !== key || now.capture.state === 'failed') return err(failed);
    return now.capture.state === 'captured' ? ok(now) : err(unanswered);
  }
}

function setupCalls({ setups, clock, send }: CallsOptions, { ask }: Ways) {
  return {
    openSetup: (request) =>
      send('openSetup', { ...request, account: platformAccount }, (fault) =>
        setups.open(request, fault).andThen(existing).map(toProcessorSetup),
      ),

    readSetup: (setup) =>
      ask('readSetup', { ...setup, account: platformAccount }, () => {
        const entry = setups.find(setup);
        return ok(entry && { ...toProcessorSetup(entry), at: clock.now() });
      }),

    cancelSetup: (request) =>
      send('cancelSetup', { ...request, account: platformAccount }, (fault) =>
        setups.cancel(request, fault).map((entry) => entry && toProcessorSetup(entry)),
      ),
  } satisfies Partial<Processor>;
}

function chargeCalls(desk: CallsOptions, { show }: Ways): NonNullable<Processor['charges']> {
  const { books, keyed, setups, clock, seed, nextNumber, send } = desk;
  return {
    authorize: (request) =>
      send('authorizeMethod', request, (fault) => {
        const { paymentId, installation, amountMinor, currency, method } = request;
        const { applicationFeeMinor: fee } = request;
        const params = [paymentId, installation, `${amountMinor}`, currency, `fee ${fee}`];
        const saved = [method.customerId, method.setupReference, method.paymentMethod];
        const name = 'authorizeMethod';
        const call = { ...request, name, params: [...params, ...saved] } as const;
        return keyed.once(books, call, fault, () => {
          if (amountMinor <= 0n) return err('amountNotPositive');
          if (fee !== undefined && (fee < 0n || fee > amountMinor)) return err('amountTooLarge');
          const card = setups.cardOf(request);
          if (card === undefined) return err('methodGone');
          const identity = identify(seed, 'fpi', nextNumber('payments'));
          const now = clock.now();
          return ok(chargedOffSession(openEntry(request, identity, now), card, now));
        });
      })
        .andThen(existing)
        .map(show),
  };
}

function refundCalls(desk: CallsOptions, ways: Ways): NonNullable<Processor['refunds']> {
  const { books, clock } = desk;
  const { ask, change, list } = ways;
  return {
    refund: (request) => {
      const { refundId, amountMinor, currency, returnsFee, reversesTransfer } = request;
      const params = [refundId, `${amountMinor}`, currency, `${returnsFee}`, `${reversesTransfer}`];
      return change('refund', request, params, (entry) =>
        entry.currency === currency
          ? refunded(entry, request, desk.newRefunds(), clock.now())
          : err('currencyMismatch'),
      )
        .andThen(existing)
        .andThen((after) =>
          existing(refundsOf(after).findLast((refund) => refund.refundId === refundId)),
        );
    },

    list: (payment) =>
      ask('listRefunds', payment, () => {
        const entry = books.find(payment);
        return ok(entry === undefined ? [] : refundsOf(entry));
      }),

    listRecent: (request) => list('listRecentRefunds', request, ({ refunds }) => refunds, returned),
  };
}

function disputeCalls(desk: CallsOptions, ways: Ways): NonNullable<Processor['disputes']> {
  const { books } = desk;
  const { ask, list } = ways;
  return {
    list: (payment) =>
      ask('listDisputes', payment, () => {
        const entry = books.find(payment);
        return ok(entry === undefined ? [] : disputesOf(entry));
      }),

    listRecent: (request) =>
      list('listRecentDisputes', request, ({ disputes }) => disputes, returned),
  };
}

function settlementCalls(desk: CallsOptions, ways: Ways): NonNullable<Processor['settlements']> {
  const { settlements } = desk;
  const { ask, withTime } = ways;
  return {
    listEntries: (request) =>
      ask('listEntries', { account: request.books }, () =>
        withTime(settlements.listEntries(request)),
      ),
    listPayouts: (request) =>
      ask('listPayouts', { account: request.books }, () =>
        withTime(settlements.listPayouts(request)),
      ),
  };
}

function returned({ entry: { paymentId }, openedAt }: Opened) {
  return [{ paymentId, openedAt }];
}

function existing<T>(entry: T | undefined): Result<T, ProcessorError> {
  return entry ? ok(entry) : err(rejected('unknownPayment'));
}
