import { err, ok, type Result, secondMs, systemClock } from '@chairside/core';
import { type RawEvent, unknownOption } from '@chairside/core/ports';
import { defaultFees } from './balance.ts';
import { createBooks } from './books.ts';
import { createCalls } from './calls.ts';
import { createChannel } from './channel.ts';
import { type Entry, type HistoryLine, holdMs } from './entry.ts';
import { captureEnded } from './entry-changes.ts';
import { type Rejection, withStorage } from './errors.ts';
import { type CallName, createScript, type ProcessorCall, platformAccount } from './faults.ts';
import { type FileStorage, openFileStorage } from './file-storage.ts';
import { derive } from './ids.ts';
import type { FakeProcessor, FakeProcessorOptions, RefundError } from './interface.ts';
import { createKeyed } from './once.ts';
import { createOutbox, type Outbox, outboxCapacity } from './outbox.ts';
import { disputeChanged, disputed, type NewRefund, refundEnded, refunded } from './returned.ts';
import { createSettlements } from './settlements.ts';
import { createSetups } from './setups.ts';
import { sign } from './signature.ts';
import { createMemoryStorage } from './storage.ts';
import { presentCard } from './terminal.ts';

const optionNames: Readonly<Record<keyof FakeProcessorOptions, true>> = {
  clock: true,
  seed: true,
  webhookSecret: true,
  storage: true,
  file: true,
  accounts: true,
  rejectedLocations: true,
  fees: true,
  lateReferences: true,
  deadlineMs: true,
  faults: true,
  delay: true,
};

/**
 * A deterministic processor with terminals, cards and faults. Its books are in memory, in a file, or where
 * `storage` keeps them. Throws a TypeError for an option that does not exist, or a file that cannot be opened.
 */
export function createFakeProcessor(options: FakeProcessorOptions = {}): FakeProcessor {
  const unknown = unknownOption(options, optionNames);
  if (unknown !== undefined) throw new TypeError(unknown);
  const { clock = systemClock } = options;
  const kept = storageOf(options);
  const { storage } = kept;
  const { seed = kept.seed } = options;
  const { accounts = 'any', lateReferences = false, deadlineMs = 10 * secondMs } = options;
  const { webhookSecret = `fws_${derive(seed, 'webhook', 'secret')}` } = options;
  // A setting that nobody filled in would be a secret that everybody knows.
  if (!/^(?!undefined$|null$)\S{8,255}$/.test(webhookSecret)) {
    throw new TypeError('webhookSecret: must have 8 to 255 characters, and be set');
  }
  const enabled = new Set(accounts === 'any' ? [] : accounts);
  const disabled = new Set<string>();
  const forgotten = new Set<string>();
  const rejectedLocations = new Set(options.rejectedLocations);
  let newRefunds: NewRefund = madeAtOnce;
  let areCapturesSlow = false;

  const outbox = createOutbox(storage);
  const books = createBooks(storage, outbox, clock);
  const keyed = createKeyed(storage, clock);
  const parts = { storage, keyed, nextNumber, clock, seed };
  const setups = createSetups({ ...parts, forgotten });
  const settlements = createSettlements(storage, { ...defaultFees, ...options.fees }, clock);
  const script = createScript();
  const made = new Map<CallName, number>();
  const channel = createChannel({
    faultFor: (call) => script.take(call.name) ?? options.faults?.(call),
    delay: options.delay,
  });

  const isSetUp = (account: string) =>
    !disabled.has(account) &&
    (accounts === 'any' || account === platformAccount || enabled.has(account));
  const signNow = (payload: string) => sign(payload, webhookSecret, clock.now());

  /** Counts 1, 2, 3, … for each kind of record, and continues after a restart. */
  function nextNumber(of: string): number {
    const value = (storage.get('counters', of)?.value ?? 0) + 1;
    storage.write([{ collection: 'counters', id: of, record: { value } }]);
    return value;
  }

  /** A change that only time causes is an event too. */
  const events = (get: Outbox['peek'], limit = outboxCapacity) =>
    withStorage<readonly RawEvent[], never>(() => {
      books.applyDue();
      return ok(get(limit).map(signNow));
    });

  /** An action of an operator or a cardholder on a payment, which is captured by default. */
  const act = (
    reference: string,
    change: (entry: Entry) => Result<Entry, Rejection>,
    needed: Entry['status'] = 'captured',
  ) =>
    withStorage<HistoryLine, RefundError>(() => {
      const entry = books.load(reference);
      if (entry === undefined) return err({ kind: 'unknownReference' });
      const { status } = entry;
      if (status !== needed) {
        return err(needed === 'captured' ? { kind: 'notCaptured', status } : { kind: 'notOpen' });
      }
      const changed = change(entry).andTee(books.save);
      return changed.mapErr(errorOf).andThen(({ history }) => {
        const line = history.at(-1);
        return line ? ok(line) : err<never, RefundError>({ kind: 'unknownReference' });
      });
    });

  return {
    deadlineMs,
    world: { processor: 'fake', mode: 'test' },
    longestHoldMs: holdMs,
    ...createCalls({
      ...parts,
      books,
      setups,
      settlements,
      webhookSecret,
      lateReferences,
      rejectedLocations,
      newRefunds: () => newRefunds,
      capturesEndLater: () => areCapturesSlow,
      send(name, about, apply) {
        const { account, paymentId, setupId, idempotencyKey } = about;
        made.set(name, (made.get(name) ?? 0) + 1);
        const call: ProcessorCall = {
          name,
          account,
          ...(paymentId !== undefined && { paymentId }),
          ...(setupId !== undefined && { setupId }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        };
        return channel.send(call, (fault) =>
          isSetUp(account) ? apply(fault) : err({ kind: 'notSetUp' }),
        );
      },
    }),

    presentCard: (clientSecret, card) => presentCard(books, clock, clientSecret, card),
    completeSetup: (clientSecret, card = 'visa_credit') => setups.complete(clientSecret, card),
    refund: (reference, amountMinor) =>
      act(reference, (entry) =>
        refunded(entry, { amountMinor, returnsFee: false }, madeAtOnce, clock.now()),
      ),
    dispute: (reference, amountMinor) =>
      act(reference, (entry) => disputed(entry, amountMinor, false, clock.now())),
    inquire: (reference, amountMinor) =>
      act(reference, (entry) => disputed(entry, amountMinor, true, clock.now())),
    endRefund: (reference, refund, state) =>
      act(reference, (entry) => refundEnded(entry, refund, state, clock.now())),
    closeDispute: (reference, dispute, state) =>
      act(reference, (entry) => disputeChanged(entry, dispute, state, clock.now())),
    reopenDispute: (reference, dispute) =>
      act(reference, (entry) => disputeChanged(entry, dispute, 'reopened', clock.now())),
    withholdDispute: (reference, dispute) =>
      act(reference, (entry) => disputeChanged(entry, dispute, 'withheld', clock.now())),
    slowCaptures(isSlow) {
      areCapturesSlow = isSlow;
    },
    endCapture: (reference, state) =>
      act(reference, (entry) => captureEnded(entry, state, clock.now()), 'authorized'),
    slowRefunds(isSlow, isBooked = true) {
      newRefunds = isSlow ? { state: 'pending', isBooked } : madeAtOnce;
    },
    pendingEvents: (limit) => events(outbox.peek, limit),
    balance: (account) => ({
      entries: settlements.entriesIn(account),
      payouts: settlements.payoutsIn(account),
    }),
    failPayout: (account, payout, state = 'failed') =>
      withStorage<void, { readonly kind: 'unknownPayout' }>(() =>
        settlements.fail(account, payout, state).mapErr((kind) => ({ kind })),
      ),
    takeEvents: (limit) => events(outbox.take, limit),
    signEvent: signNow,

    bookEntry(reference) {
      const entry = books.load(reference);
      if (entry === undefined) return undefined;
      const { id, status, amount, amountCaptured, refunds } = entry;
      return { id, status, amount, amountCaptured, ...(refunds.length > 0 && { refunds }) };
    },

    entries: books.all,
    setups: () => storage.list('setups'),
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
      rejectedLocations.add(terminalLocation);
    },
    forgetCustomer(customerId) {
      forgotten.add(customerId);
    },
    count: (call) => ({ made: made.get(call) ?? 0, applied: keyed.applied(call) }),
  };
}

function storageOf({ file, storage }: FakeProcessorOptions): FileStorage {
  if (file === undefined) return { storage: storage ?? createMemoryStorage(), seed: 'chairside' };
  if (storage !== undefined) throw new TypeError('file: give either it or storage');
  try {
    return openFileStorage(file);
  } catch (cause) {
    throw new TypeError(`file: ${file}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

const madeAtOnce: NewRefund = { state: 'succeeded', isBooked: true };

function errorOf(reason: Rejection): RefundError {
  return { kind: reason === 'unexpectedState' ? 'notOpen' : 'amountOutOfRange' };
}
