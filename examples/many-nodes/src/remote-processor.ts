import type { Worker } from 'node:cluster';
import { err, ok, type Result, ResultAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';

// A processor in another process: the primary process runs it, and the nodes call it by messages.

type Method =
  | Exclude<keyof Processor, 'deadlineMs' | 'booksOf'>
  | `refunds.${keyof Processor['refunds']}`
  | `disputes.${keyof Processor['disputes']}`;

interface Question {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly isOk: boolean;
  readonly value: unknown;
}

/** Short, so that the leases of a dead node end soon. */
const deadlineMs = 100;

/** The node's side. */
export function createRemoteProcessor(): Processor {
  const waiting = new Map<number, (answer: Answer) => void>();
  let questions = 0;
  process.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });

  function ask<T>(method: Method, ...args: readonly unknown[]): ResultAsync<T, ProcessorError> {
    questions += 1;
    const question: Question = { id: questions, method, args };
    const answered = new Promise<Result<T, ProcessorError>>((resolve) => {
      waiting.set(question.id, ({ isOk, value }) => {
        // cast: the other side runs the method of this name, which has these types
        resolve(isOk ? ok(value as T) : err(value as ProcessorError));
      });
    });
    process.send?.(question);
    return new ResultAsync(answered);
  }

  return {
    deadlineMs,
    openPayment: (request) => ask('openPayment', request),
    readPayment: (payment, claimed) => ask('readPayment', payment, claimed),
    capturePayment: (request) => ask('capturePayment', request),
    cancelPayment: (request) => ask('cancelPayment', request),
    createConnectionToken: (request) => ask('createConnectionToken', request),
    listPayments: (request) => ask('listPayments', request),
    readReceipt: (payment) => ask('readReceipt', payment),
    openSetup: (request) => ask('openSetup', request),
    readSetup: (setup) => ask('readSetup', setup),
    cancelSetup: (request) => ask('cancelSetup', request),
    refunds: {
      refund: (request) => ask('refunds.refund', request),
      list: (payment) => ask('refunds.list', payment),
      listRecent: (request) => ask('refunds.listRecent', request),
    },
    disputes: {
      list: (payment) => ask('disputes.list', payment),
      listRecent: (request) => ask('disputes.listRecent', request),
    },
    parseEvent: (event, now) => ask('parseEvent', event, now),
  };
}

/**
 * The processor's side.
 * @param onApplied called after each applied call, before the node gets the reply.
 */
export function serveProcessor(
  processor: FakeProcessor,
  node: Worker,
  onApplied: (method: string) => void,
): void {
  node.on('message', async ({ id, method, args }: Question) => {
    const [group = '', member] = method.split('.');
    const found: unknown = Reflect.get(processor, group);
    // cast: the node sends the arguments of the method that it names
    const call = (member === undefined ? found : Reflect.get(Object(found), member)) as (
      ...args: readonly unknown[]
    ) => ResultAsync<unknown, unknown>;
    const result = await call(...args);
    onApplied(method);
    if (!node.isConnected()) return;
    const value = result.isOk() ? result.value : result.error;
    const answer: Answer = { id, isOk: result.isOk(), value };
    node.send({ ...answer });
  });
}
