import {
  err,
  errAsync,
  ok,
  type ProcessorError,
  Result,
  type ResultAsync,
  systemClock,
} from '@chairside/core';
import {
  createFakeProcessor,
  type FakeProcessor,
  type LedgerFailed,
} from '@chairside/fake-processor';
import type { Database } from 'better-sqlite3';
import { createDurableLedger, openLedgerFile } from './durable-ledger.ts';

export interface DemoProcessor extends FakeProcessor {
  close(): void;
}

/** Opens the fake processor on a ledger that outlives the process. An error is for a person. */
export function openDemoProcessor(path: string): Result<DemoProcessor, string> {
  return Result.fromThrowable(
    () => overLedger(openLedgerFile(path)),
    (thrown) => `${path}: ${thrown instanceof Error ? thrown.message : 'it cannot be opened'}`,
  )();
}

/**
 * The fake applies a call as it is made, in several reads and writes. A transaction around each
 * makes it one step: for the disk, and for another server on the same files.
 */
function overLedger(db: Database): DemoProcessor {
  const fake = createFakeProcessor({ clock: systemClock, ledger: createDurableLedger(db) });
  const begin = db.prepare<[]>('BEGIN IMMEDIATE');
  const commit = db.prepare<[]>('COMMIT');
  const rollback = db.prepare<[]>('ROLLBACK');

  function atomically<T>(call: () => T): Result<T, 'ledgerFailed'> {
    try {
      begin.run();
      const answer = call();
      commit.run();
      return ok(answer);
    } catch {
      if (db.inTransaction) rollback.run();
      return err('ledgerFailed');
    }
  }

  function send<T>(call: () => ResultAsync<T, ProcessorError>): ResultAsync<T, ProcessorError> {
    return atomically(call).unwrapOr(errAsync(unanswered));
  }

  /** The same for what a person does at the processor. */
  function act<T, E>(call: () => Result<T, E>): Result<T, E | LedgerFailed> {
    return atomically(call).unwrapOr(err({ kind: 'ledgerFailed' }));
  }

  return {
    ...fake,
    openPayment: (request) => send(() => fake.openPayment(request)),
    readPayment: (payment, claimed) => send(() => fake.readPayment(payment, claimed)),
    capturePayment: (request) => send(() => fake.capturePayment(request)),
    cancelPayment: (request) => send(() => fake.cancelPayment(request)),
    createConnectionToken: (request) => send(() => fake.createConnectionToken(request)),
    listPayments: (request) => send(() => fake.listPayments(request)),
    readReceipt: (payment) => send(() => fake.readReceipt(payment)),
    openSetup: (request) => send(() => fake.openSetup(request)),
    readSetup: (setup) => send(() => fake.readSetup(setup)),
    presentCard: (clientSecret, card) => act(() => fake.presentCard(clientSecret, card)),
    completeSetup: (clientSecret, card) => act(() => fake.completeSetup(clientSecret, card)),
    refund: (reference, amountMinor) => act(() => fake.refund(reference, amountMinor)),
    dispute: (reference, amountMinor) => act(() => fake.dispute(reference, amountMinor)),
    pendingEvents: (limit) => act(() => fake.pendingEvents(limit)),
    takeEvents: (limit) => act(() => fake.takeEvents(limit)),
    close: () => db.close(),
  };
}

const unanswered: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
