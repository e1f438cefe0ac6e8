import { err, Result, ResultAsync, secondMs, systemClock } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import {
  createFakeProcessor,
  type FakeProcessor,
  type StorageFailed,
} from '@chairside/fake-processor';
import type { Database } from 'better-sqlite3';
import { createDurableStorage, openStorageFile } from './durable-storage.ts';
import { createTurns } from './turns.ts';

export interface DemoProcessor extends FakeProcessor {
  close(): void;
}

/** Opens the fake processor with durable storage. An error is a line for a person. */
export function openDemoProcessor(path: string): Result<DemoProcessor, string> {
  return Result.fromThrowable(
    () => overStorage(openStorageFile(path)),
    (thrown) => `${path}: ${thrown instanceof Error ? thrown.message : 'it cannot be opened'}`,
  )();
}

/** The fake on that storage. Its replies survive a kill of the process. */
function overStorage(db: Database): DemoProcessor {
  const fake = createFakeProcessor({
    clock: systemClock,
    storage: createDurableStorage(db),
    // It replies at once, so a longer lease belongs to a dead holder, and a retry soon succeeds.
    deadlineMs: 2 * secondMs,
  });
  const turns = createTurns(db);

  function send<T>(call: () => ResultAsync<T, ProcessorError>): ResultAsync<T, ProcessorError> {
    return new ResultAsync(sent(call));
  }

  async function sent<T>(call: () => ResultAsync<T, ProcessorError>) {
    const turn = turns.enter();
    if (turn === undefined) return err(unanswered);
    // The fake applies a call at once; its reply waits for the commit.
    const answer = call();
    return (await turn.committed) ? answer : err(unanswered);
  }

  /** A person's action at the processor has an immediate result, so the turn ends here. */
  function act<T, E>(call: () => Result<T, E>): Result<T, E | StorageFailed> {
    const turn = turns.enter();
    if (turn === undefined) return err({ kind: 'storageFailed' });
    const answer = call();
    return turn.end() ? answer : err({ kind: 'storageFailed' });
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
    cancelSetup: (request) => send(() => fake.cancelSetup(request)),
    presentCard: (clientSecret, card) => act(() => fake.presentCard(clientSecret, card)),
    completeSetup: (clientSecret, card) => act(() => fake.completeSetup(clientSecret, card)),
    refund: (reference, amountMinor) => act(() => fake.refund(reference, amountMinor)),
    dispute: (reference, amountMinor) => act(() => fake.dispute(reference, amountMinor)),
    pendingEvents: (limit) => act(() => fake.pendingEvents(limit)),
    takeEvents: (limit) => act(() => fake.takeEvents(limit)),
    close() {
      turns.enter()?.end();
      db.close();
    },
  };
}

const unanswered: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
