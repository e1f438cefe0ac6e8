import { type ProcessorAccount, ResultAsync } from '@chairside/core';
import type {
  CancelPaymentRequest,
  CapturePaymentRequest,
  OpenPaymentRequest,
  PaymentHandle,
  Processor,
} from '@chairside/core/ports';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { amountsContract } from './amounts-contract.ts';
import { cancelingContract } from './canceling-contract.ts';
import { capturingContract } from './capturing-contract.ts';
import { chargesContract } from './charges-contract.ts';
import { eventsContract } from './events-contract.ts';
import { failingContract } from './failing-contract.ts';
import { busyContract, foreignContract } from './foreign-contract.ts';
import type { ProcessorCapability, ProcessorHarness } from './harness.ts';
import { lateCapturesContract } from './late-captures-contract.ts';
import { listingContract } from './listing-contract.ts';
import { openingContract, tokensContract } from './opening-contract.ts';
import { presentingContract, receiptsContract } from './presenting-contract.ts';
import { readingContract } from './reading-contract.ts';
import { disputesContract, refundsContract } from './returned-contract.ts';
import { settlementsContract } from './settlements-contract.ts';
import { setupsContract } from './setups-contract.ts';
import {
  amountMinor,
  isUnanswered,
  need,
  newId,
  type Opened,
  present,
  type Suite,
  value,
} from './suite.ts';
import { timeContract } from './time-contract.ts';
import { unansweredContract } from './unanswered-contract.ts';
import { type Watched, watch } from './watch.ts';

const parts = {
  opening: openingContract,
  presenting: presentingContract,
  reading: readingContract,
  capturing: capturingContract,
  lateCaptures: lateCapturesContract,
  canceling: cancelingContract,
  foreign: foreignContract,
  tokens: tokensContract,
  receipts: receiptsContract,
  listing: listingContract,
  refunds: refundsContract,
  disputes: disputesContract,
  settlements: settlementsContract,
  setups: setupsContract,
  charges: chargesContract,
  events: eventsContract,
  failing: failingContract,
  unanswered: unansweredContract,
  amounts: amountsContract,
  time: timeContract,
  // It is the slowest.
  busy: busyContract,
};

/** A part of the contract. */
export type ProcessorPart = keyof typeof parts;

const allParts = Object.keys(parts) as ProcessorPart[]; // cast: the keys of the table

/**
 * The requirements for every implementation of the port `Processor`. Third parties run it on
 * theirs, in a vitest file: `processorContract('mine', () => harness)`.
 * @param without the capabilities that cannot be tested here, each with the reason, which is shown
 * for the skipped test.
 * @param only the parts that run. After one whole run, another mode of a processor needs those that it changes.
 */
export function processorContract(
  name: string,
  makeHarness: () => ProcessorHarness | Promise<ProcessorHarness>,
  without: Partial<Readonly<Record<ProcessorCapability, string>>> = {},
  only: readonly ProcessorPart[] = allParts,
): void {
  describe(`processor contract: ${name}`, () => {
    let harness: ProcessorHarness;
    let installation: string;
    let watched: Watched;
    let processor: Processor;
    let account: ProcessorAccount;

    beforeEach(async () => {
      harness = await makeHarness();
      // A real account keeps the payments of earlier tests, which have other marks.
      installation = newId(harness);
      watched = watch(harness.processor);
      processor = watched.processor;
      account = await harness.newAccount();
    });

    afterEach(async () => {
      watched.check();
      await harness.close?.();
    });

    function needs(test: TestContext, capability: ProcessorCapability): void {
      const reason = without[capability];
      if (reason !== undefined) test.skip(`without ${capability}: ${reason}`);
    }

    /** A payment that was begun here and is not yet at the processor. */
    const begun = (paymentId = newId(harness)): OpenPaymentRequest => ({
      account: account.id,
      paymentId,
      installation,
      begunAt: harness.clock.now(),
      amountMinor,
      currency: account.currency,
      idempotencyKey: newId(harness),
    });

    async function open(request = begun()): Promise<Opened> {
      const opened = await value(processor.openPayment(request));
      const {
        amountMinor: _amount,
        currency: _currency,
        idempotencyKey: _key,
        ...handle
      } = request;
      return { ...handle, ...opened };
    }

    async function authorize(
      request?: OpenPaymentRequest,
    ): Promise<Opened & { readonly reference: string }> {
      const opened = await open(request);
      return { ...opened, reference: await harness.present(opened.clientSecret, 'approve') };
    }

    const sendCapture = (payment: PaymentHandle, more: Partial<CapturePaymentRequest> = {}) =>
      processor.capturePayment({ ...charge(payment), idempotencyKey: newId(harness), ...more });

    const capture = (payment: PaymentHandle, more: Partial<CapturePaymentRequest> = {}) =>
      new ResultAsync(captureToEnd(payment, { idempotencyKey: newId(harness), ...more }));

    async function captureToEnd(payment: PaymentHandle, more: Partial<CapturePaymentRequest>) {
      const sent = await sendCapture(payment, more);
      if (sent.isOk() || harness.endCapture === undefined || !isUnanswered(sent.error)) return sent;
      await endCapture(payment);
      return sendCapture(payment, more);
    }

    async function endCapture(
      { reference }: PaymentHandle,
      end: 'captured' | 'failed' = 'captured',
    ): Promise<void> {
      if (reference !== undefined) await harness.endCapture?.(reference, end);
    }

    const cancel = (payment: PaymentHandle, more: Partial<CancelPaymentRequest> = {}) =>
      processor.cancelPayment({ ...payment, idempotencyKey: newId(harness), ...more });

    const charge = (payment: PaymentHandle) => ({
      ...payment,
      amountMinor,
      currency: account.currency,
    });

    const read = (payment: PaymentHandle, claimed?: string) =>
      present(value(processor.readPayment(payment, claimed)));

    it('states a deadline', () => {
      expect(processor.deadlineMs).toBeGreaterThan(0);
      expect(processor.deadlineMs).toBeLessThan(Number.POSITIVE_INFINITY);
    });

    const suite: Suite = {
      harness: () => harness,
      processor: () => processor,
      account: () => account,
      needs,
      itNeeds:
        (...capabilities) =>
        (name, run, timeoutMs) =>
          it(
            name,
            async (test) => {
              for (const capability of capabilities) needs(test, capability);
              await run(test);
            },
            timeoutMs,
          ),
      able: (name) => need(name, harness[name]),
      begun,
      open,
      authorize,
      capture,
      sendCapture,
      endCapture,
      cancel,
      read,
      loseReply: (call) => need('loseReply', harness.loseReply)(call),
    };
    for (const part of only) parts[part](suite);
  });
}
