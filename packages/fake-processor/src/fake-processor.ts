import {
  type EpochMs,
  err,
  foreignReference,
  type ListedPayment,
  type ListRequest,
  ok,
  type ProcessorError,
  type ProcessorPayment,
  type RawEvent,
  type Result,
  secondMs,
} from '@chairside/core';
import { belongs, createBooks } from './books.ts';
import { type Apply, createChannel } from './channel.ts';
import { type Entry, holdMs, openEntry, toProcessorPayment } from './entry.ts';
import { canceled, captured } from './entry-changes.ts';
import { failed, notSetUp, rejected, rejections, withLedger } from './errors.ts';
import { readEvent } from './events.ts';
import {
  type CallName,
  createScript,
  type FaultKind,
  type ProcessorCall,
  platformAccount,
} from './faults.ts';
import { derive, identify } from './ids.ts';
import type { FakeProcessor, FakeProcessorOptions } from './interface.ts';
import { createMemoryLedger } from './ledger.ts';
import { type ListedEntry, pageOf } from './listing.ts';
import { disputesOf, findRefund, refunded, refundsOf } from './money-back.ts';
import { createKeyed } from './once.ts';
import { createOutbox, type Outbox, outboxCapacity } from './outbox.ts';
import { receiptOf } from './receipt.ts';
import { createDashboard } from './refunds.ts';
import { toProcessorSetup } from './setup-entry.ts';
import { createSetups } from './setups.ts';
import { sign, verify } from './signature.ts';
import { presentCard } from './terminal.ts';

/**
 * A deterministic processor with terminals, cards and faults. Its ledger is in memory or durable.
 */
export function createFakeProcessor(options: FakeProcessorOptions): FakeProcessor {
  const { clock, seed = 'chairside', ledger = createMemoryLedger() } = options;
  const { accounts = 'any', lateReferences = false, deadlineMs = 10 * secondMs } = options;
  const enabled = new Set(accounts === 'any' ? [] : accounts);
  const disabled = new Set<string>();
  const forgotten = new Set<string>();
  const badLocations = new Set(options.rejectedLocations);
  const { webhookSecret = `fws_${derive(seed, 'webhook', 'secret')}` } = options;
  const outbox = createOutbox(ledger);
  const books = createBooks(ledger, outbox, clock);
  const keyed = createKeyed(ledger, clock);
  const setups = createSetups({
    ledger,
    keyed,
    nextNumber,
    clock,
    seed,
    isForgotten: (id) => forgotten.has(id),
  });
  let refundsAre: 'pending' | 'succeeded' = 'succeeded';
  const script = createScript();
  const made = new Map<CallName, number>();
  const channel = createChannel({
    faultFor: (call) => script.take(call.name) ?? options.faults?.(call),
    delay: options.delay,
  });

  const isSetUp = (account: string) =>
    !disabled.has(account) &&
    (accounts === 'any' || account === platformAccount || enabled.has(account));
  const isReferenceKnown = (entry: Entry) => !lateReferences || entry.presented;
  const show = (entry: Entry) => toProcessorPayment(entry, isReferenceKnown(entry));
  const showAny = (entry: Entry | undefined) => entry && show(entry);
  /** A reply to a read states the processor's time. */
  const showNow = (entry: Entry): ProcessorPayment => ({ ...show(entry), at: clock.now() });
  const signNow = (payload: string) => sign(payload, webhookSecret, clock.now());

  /** Counts 1, 2, 3, … for each kind of record, and continues after a restart. */
  function nextNumber(of: string): number {
    const value = (ledger.get('counters', of)?.value ?? 0) + 1;
    ledger.write([{ collection: 'counters', id: of, record: { value } }]);
    return value;
  }

  /** A change that only time causes is an event too. */
  const events = (get: Outbox['peek'], limit = outboxCapacity) =>
    withLedger<readonly RawEvent[], never>(() => {
      books.settleDue();
      return ok(get(limit).map(signNow));
    });

  /** A page of what `openedIn` finds in each payment. */
  const page = (
    request: ListRequest,
    openedIn: (entry: Entry) => readonly { readonly createdAt: EpochMs }[],
  ) => {
    const all = ledger
      .list('payments')
      .flatMap((entry) => openedIn(entry).map((one) => ({ entry, openedAt: one.createdAt })));
    return pageOf(all, request).mapErr(rejected);
  };

  const returned = (
    request: ListRequest,
    openedIn: (entry: Entry) => readonly { readonly createdAt: EpochMs }[],
  ) =>
    page(request, openedIn).map(({ found, ...more }) => ({
      ...more,
      items: found.map(({ entry, openedAt }) => ({ paymentId: entry.paymentId, openedAt })),
      at: clock.now(),
    }));

  /** Read one by one, so that only the entries of one page are brought up to date. */
  const listed = ({ entry: { id } }: ListedEntry): readonly ListedPayment[] => {
    const entry = books.load(id);
    if (entry === undefined) return [];
    return [{ ...showNow(entry), paymentId: entry.paymentId, openedAt: entry.createdAt }];
  };

  function send<T>(name: CallName, about: Omit<ProcessorCall, 'name'>, apply: Apply<T>) {
    const { account, paymentId, setupId, idempotencyKey } = about;
    made.set(name, (made.get(name) ?? 0) + 1);
    const call: ProcessorCall = {
      name,
      account,
      ...(paymentId !== undefined && { paymentId }),
      ...(setupId !== undefined && { setupId }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    return channel.send(call, (fault) => (isSetUp(account) ? apply(fault) : err(notSetUp)));
  }

  return {
    deadlineMs,
    longestHoldMs: holdMs,

    openPayment: (request) =>
      send('openPayment', request, (fault) => {
        const { paymentId, installation, amountMinor, currency } = request;
        const { applicationFeeMinor: fee } = request;
        const params = [paymentId, installation, `${amountMinor}`, currency];
        if (fee !== undefined) params.push(`fee ${fee}`);
        const opened = keyed.once(books, { ...request, name: 'openPayment', params }, fault, () => {
          if (amountMinor <= 0n) return err(rejections.amountNotPositive);
          if (fee !== undefined && (fee < 0n || fee > amountMinor)) {
            return err(rejections.amountTooLarge);
          }
          const identity = identify(seed, 'fpi', nextNumber('payments'));
          return ok(openEntry(request, identity, clock.now()));
        });
        return opened.andThen(existing).map(({ id, clientSecret }) => ({
          clientSecret,
          ...(!lateReferences && { reference: id }),
        }));
      }),

    readPayment: (payment, claimed) =>
      send('readPayment', payment, (fault) =>
        unkeyed(fault).andThen(() => {
          if (claimed === undefined) {
            const found = books.find(payment);
            return ok(found && showNow(found));
          }
          const entry = books.load(claimed);
          return entry && belongs(entry, payment) && isReferenceKnown(entry)
            ? ok(showNow(entry))
            : err(rejected(foreignReference));
        }),
      ),

    capturePayment: (request) =>
      send('capturePayment', request, (fault) => {
        const { amountMinor, currency } = request;
        const entry = books.find(request);
        const params = [entry?.id, `${amountMinor}`, currency];
        const done = keyed.once(books, { ...request, name: 'capturePayment', params }, fault, () =>
          entry ? captured(entry, amountMinor, currency, clock.now()) : ok(undefined),
        );
        return done.andThen(existing).map(show);
      }),

    cancelPayment: (request) =>
      send('cancelPayment', request, (fault) => {
        const entry = books.find(request);
        const call = { ...request, name: 'cancelPayment', params: [entry?.id] } as const;
        const done = keyed.once(books, call, fault, () =>
          entry ? canceled(entry, clock.now()) : ok(undefined),
        );
        return done.map(showAny);
      }),

    createConnectionToken: ({ account, terminalLocation }) =>
      send('createConnectionToken', { account }, (fault) =>
        unkeyed(fault).andThen(() =>
          terminalLocation !== undefined && badLocations.has(terminalLocation)
            ? err(rejected(rejections.unknownLocation))
            : ok({ clientSecret: `fct_${derive(seed, 'token', nextNumber('tokens'))}` }),
        ),
      ),

    listPayments: (request) =>
      send('listPayments', { account: request.ledger }, (fault) =>
        unkeyed(fault).andThen(() =>
          page(request, (entry) => [entry]).map(({ found, ...more }) => ({
            ...more,
            items: found.flatMap(listed),
            at: clock.now(),
          })),
        ),
      ),

    readReceipt: (payment) =>
      send('readReceipt', payment, (fault) =>
        unkeyed(fault).map(() => {
          const entry = books.find(payment);
          return entry && receiptOf(entry, seed);
        }),
      ),

    openSetup: (request) =>
      send('openSetup', { ...request, account: platformAccount }, (fault) =>
        setups.open(request, fault).andThen(existing).map(toProcessorSetup),
      ),

    readSetup: (setup) =>
      send('readSetup', { ...setup, account: platformAccount }, (fault) =>
        unkeyed(fault).map(() => {
          const entry = setups.find(setup);
          return entry && { ...toProcessorSetup(entry), at: clock.now() };
        }),
      ),

    cancelSetup: (request) =>
      send('cancelSetup', { ...request, account: platformAccount }, (fault) =>
        setups.cancel(request, fault).map((entry) => entry && toProcessorSetup(entry)),
      ),

    refunds: {
      refund: (request) =>
        send('refund', request, (fault) => {
          const { refundId, amountMinor, currency, returnsFee, reversesTransfer } = request;
          const entry = books.find(request);
          const flags = [`${returnsFee}`, `${reversesTransfer}`];
          const params = [entry?.id, refundId, `${amountMinor}`, currency, ...flags];
          const done = keyed.once(books, { ...request, name: 'refund', params }, fault, () => {
            if (entry === undefined) return ok(undefined);
            if (entry.currency !== currency) return err(rejections.currencyMismatch);
            return refunded(entry, request, refundsAre, clock.now());
          });
          return done.andThen(existing).andThen((after) => existing(findRefund(after, request)));
        }),

      list: (payment) =>
        send('listRefunds', payment, (fault) =>
          unkeyed(fault).map(() => {
            const entry = books.find(payment);
            return entry === undefined ? [] : refundsOf(entry);
          }),
        ),

      listRecent: (request) =>
        send('listRecentRefunds', { account: request.ledger }, (fault) =>
          unkeyed(fault).andThen(() => returned(request, ({ refunds = [] }) => refunds)),
        ),
    },

    disputes: {
      list: (payment) =>
        send('listDisputes', payment, (fault) =>
          unkeyed(fault).map(() => {
            const entry = books.find(payment);
            return entry === undefined ? [] : disputesOf(entry);
          }),
        ),

      listRecent: (request) =>
        send('listRecentDisputes', { account: request.ledger }, (fault) =>
          unkeyed(fault).andThen(() => returned(request, ({ disputes = [] }) => disputes)),
        ),
    },

    parseEvent: (event, now) =>
      send('parseEvent', { account: platformAccount }, (fault) =>
        unkeyed(fault).andThen(() =>
          verify(event, webhookSecret, now).andThen(readEvent).mapErr(rejected),
        ),
      ),

    presentCard: (clientSecret, card) => presentCard(books, clock, clientSecret, card),
    completeSetup: (clientSecret, card = 'visa_credit') => setups.complete(clientSecret, card),
    ...createDashboard(books, clock),
    slowRefunds(isSlow) {
      refundsAre = isSlow ? 'pending' : 'succeeded';
    },
    pendingEvents: (limit) => events(outbox.peek, limit),
    takeEvents: (limit) => events(outbox.take, limit),
    signEvent: signNow,

    ledgerEntry(reference) {
      const entry = books.load(reference);
      if (entry === undefined) return undefined;
      const { id, status, amount, amountCaptured, refunds } = entry;
      return { id, status, amount, amountCaptured, ...(refunds !== undefined && { refunds }) };
    },

    entries: books.all,
    setups: () => ledger.list('setups'),
    failNext: script.failNext,
    release: channel.release,
    landAbandoned: channel.landAbandoned,

    disableAccount(account) {
      disabled.add(account);
    },
    enableAccount(account) {
      disabled.delete(account);
      enabled.add(account);
    },
    rejectLocation(terminalLocation) {
      badLocations.add(terminalLocation);
    },
    forgetCustomer(customerId) {
      forgotten.add(customerId);
    },
    count: (call) => ({ made: made.get(call) ?? 0, applied: keyed.applied(call) }),
  };
}

/** Faults of the processor on a call without a key; they cannot be stored. */
function unkeyed(fault: FaultKind | undefined): Result<undefined, ProcessorError> {
  if (fault === 'failure' || fault === 'failureAfterApplying') return err(failed);
  return fault === 'rejected' ? err(rejected(rejections.scripted)) : ok(undefined);
}

function existing<T>(entry: T | undefined): Result<T, ProcessorError> {
  return entry ? ok(entry) : err(rejected(rejections.unknownPayment));
}
