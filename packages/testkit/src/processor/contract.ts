import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  foreignReference,
  type OpenPaymentRequest,
  type PaymentHandle,
  type Processor,
  type ProcessorAccount,
} from '@chairside/core';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { eventsContract } from './events-contract.ts';
import type { LosableCall, ProcessorCapability, ProcessorHarness } from './harness.ts';
import { listingContract } from './listing-contract.ts';
import { setupsContract } from './setups-contract.ts';
import {
  amountMinor,
  need,
  newId,
  type Opened,
  present,
  problem,
  rejected,
  type Suite,
  unknown,
  value,
} from './suite.ts';
import { type Watched, watch } from './watch.ts';

/**
 * What every implementation of the port `Processor` must do. Third parties run it on theirs, in a
 * vitest file: `processorContract('mine', () => harness)`.
 * @param without what cannot be tested here, each with the reason; it is shown for the skipped test.
 */
export function processorContract(
  name: string,
  makeHarness: () => ProcessorHarness | Promise<ProcessorHarness>,
  without: Partial<Readonly<Record<ProcessorCapability, string>>> = {},
): void {
  describe(`processor contract: ${name}`, () => {
    let harness: ProcessorHarness;
    let watched: Watched;
    let processor: Processor;
    let account: ProcessorAccount;

    beforeEach(async () => {
      harness = await makeHarness();
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

    /** A payment that is begun here, and not yet at the processor. */
    const begun = (paymentId = newId(harness)): OpenPaymentRequest => ({
      account: account.id,
      paymentId,
      installation: 'contract',
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

    const capture = (payment: PaymentHandle, more: Partial<CapturePaymentRequest> = {}) =>
      processor.capturePayment({ ...charge(payment), idempotencyKey: newId(harness), ...more });

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

    describe('opening', () => {
      it('opens a payment that shows as created', async (test) => {
        needs(test, 'readBeforeCard');
        const payment = await open();
        const seen = await read(payment);
        expect(seen).toMatchObject({
          status: 'created',
          account: account.id,
          currency: account.currency,
          amountMinor,
          clientSecret: payment.clientSecret,
        });
        expect(seen.card).toBeUndefined();
        expect(seen.capturedMinor ?? 0n).toBe(0n);
      });

      it('finds a payment by our own id while its reference is not known', async (test) => {
        needs(test, 'readBeforeCard');
        const request = begun();
        const { clientSecret } = await open(request);
        expect(await read(request)).toMatchObject({ status: 'created', clientSecret });
      });

      it('opens once for one key', async () => {
        const request = begun();
        const first = await value(processor.openPayment(request));
        expect(await value(processor.openPayment(request))).toEqual(first);
      });

      it('opens once for one key that is sent twice at the same time', async () => {
        const request = begun();
        const both = await Promise.all([
          processor.openPayment(request),
          processor.openPayment(request),
        ]);
        const settled = await value(processor.openPayment(request));
        for (const result of both) {
          if (result.isOk()) expect(result.value).toEqual(settled);
          else expect(result.error).toEqual(unknown);
        }
      });

      it('refuses a key that was used with other parameters', async (test) => {
        needs(test, 'keysCoverParameters');
        const request = begun();
        const payment = await open(request);
        const other = { ...request, amountMinor: amountMinor + 1n };
        expect(await problem(processor.openPayment(other))).toEqual(rejected);
        await harness.present(payment.clientSecret, 'approve');
        expect(await read(payment)).toMatchObject({ status: 'authorized', amountMinor });
      });

      it('keeps payments apart', async () => {
        const [first, second] = [await authorize(), await authorize()];
        expect(first.reference).not.toBe(second.reference);
        await value(capture(first));
        expect(await read(second)).toMatchObject({ status: 'authorized' });
      });

      it('can have lost its reply', async (test) => {
        needs(test, 'loseReply');
        const request = begun();
        await loseReply('openPayment');
        expect(await problem(processor.openPayment(request))).toEqual(unknown);
        const { clientSecret } = await open(request);
        await harness.present(clientSecret, 'approve');
        expect(await read(request)).toMatchObject({ status: 'authorized', clientSecret });
      });

      it('is refused for an account that is not set up', async (test) => {
        needs(test, 'accountNotSetUp');
        const other = await need('accountNotSetUp', harness.accountNotSetUp)();
        const request = { ...begun(), account: other.id, currency: other.currency };
        expect(await problem(processor.openPayment(request))).toEqual({ kind: 'notSetUp' });
      });
    });

    describe('presenting a card', () => {
      it('shows as authorized, with the card', async () => {
        const payment = await authorize();
        const seen = await read(payment);
        expect(seen).toMatchObject({
          status: 'authorized',
          reference: payment.reference,
          amountMinor,
          card: { maskedPersonalAccountNumber: expect.any(String) },
          authorizedAt: expect.any(Number),
        });
        expect(seen.authorizedMinor ?? amountMinor).toBe(amountMinor);
        expect(seen.capturedMinor ?? 0n).toBe(0n);
        expect(seen.captureBefore ?? Number.POSITIVE_INFINITY).toBeGreaterThan(harness.clock.now());
      });

      it('shows as failed when declined, and takes another card', async (test) => {
        needs(test, 'decline');
        const payment = await open();
        await harness.present(payment.clientSecret, 'decline');
        expect(await read(payment)).toMatchObject({ status: 'failed' });
        await harness.present(payment.clientSecret, 'approve');
        expect(await read(payment)).toMatchObject({ status: 'authorized' });
      });

      it('shows as canceled when the customer cancels', async (test) => {
        needs(test, 'cancelAtTerminal');
        const payment = await open();
        await harness.present(payment.clientSecret, 'cancel');
        expect(await read(payment)).toMatchObject({ status: 'canceled' });
      });

      it('shows how much was approved', async (test) => {
        needs(test, 'approvePartly');
        const payment = await open();
        await harness.present(payment.clientSecret, 'approvePartly');
        const seen = await read(payment);
        expect(seen).toMatchObject({ status: 'authorized', amountMinor });
        expect(seen.authorizedMinor).toBeLessThan(amountMinor);
      });
    });

    describe('reading', () => {
      it('has no entry of a payment that was never opened', async () => {
        expect(await value(processor.readPayment(begun()))).toBeUndefined();
      });

      it('has no entry in another account', async () => {
        const payment = await authorize();
        const { reference: _reference, ...unreferenced } = payment;
        const elsewhere = { ...unreferenced, account: (await harness.newAccount()).id };
        expect(await value(processor.readPayment(elsewhere))).toBeUndefined();
      });

      it("accepts a payment's own reference, known before or not", async () => {
        const { reference, ...unreferenced } = await authorize();
        const expected = { reference, status: 'authorized' };
        expect(await read({ ...unreferenced, reference }, reference)).toMatchObject(expected);
        expect(await read(unreferenced, reference)).toMatchObject(expected);
      });

      it('rejects a reference that lives in another account', async () => {
        const { reference, ...unreferenced } = await authorize();
        const elsewhere = { ...unreferenced, account: (await harness.newAccount()).id };
        const claim = processor.readPayment(elsewhere, reference);
        expect(await problem(claim)).toEqual({ kind: 'rejected', reason: foreignReference });
      });

      it('rejects a reference of another payment, or of none', async () => {
        const [mine, other] = [await authorize(), await authorize()];
        const { reference, ...unreferenced } = mine;
        const foreign = { kind: 'rejected', reason: foreignReference };
        for (const payment of [mine, unreferenced]) {
          for (const claimed of [other.reference, `${reference}x`, 'nothing', '']) {
            const claim = processor.readPayment(payment, claimed);
            expect(await problem(claim), `claiming ${claimed}`).toEqual(foreign);
          }
        }
      });
    });

    describe('capturing', () => {
      it('takes exactly what was authorized', async () => {
        const payment = await authorize();
        const expected = {
          reference: payment.reference,
          status: 'captured',
          amountMinor,
          capturedMinor: amountMinor,
          currency: account.currency,
          account: account.id,
        };
        expect(await value(capture(payment))).toMatchObject(expected);
        expect(await read(payment)).toMatchObject(expected);
      });

      it('answers the same key again, and rejects another', async () => {
        const payment = await authorize();
        const idempotencyKey = newId(harness);
        const first = await value(capture(payment, { idempotencyKey }));
        expect(await value(capture(payment, { idempotencyKey }))).toEqual(first);
        expect(await problem(capture(payment))).toEqual(rejected);
        expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
      });

      it('has one effect when two keys race', async () => {
        const payment = await authorize();
        const both = await Promise.all([capture(payment), capture(payment)]);
        expect(both.filter((result) => result.isOk())).toHaveLength(1);
        expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
      });

      it('is rejected before a card was presented', async () => {
        expect(await problem(capture(await open()))).toEqual(rejected);
      });

      it('is rejected above what was authorized', async () => {
        const payment = await authorize();
        const tooMuch = { amountMinor: amountMinor + 1n };
        expect(await problem(capture(payment, tooMuch))).toEqual(rejected);
        expect(await read(payment)).toMatchObject({ status: 'authorized' });
      });

      it('can have lost its reply', async (test) => {
        needs(test, 'loseReply');
        const payment = await authorize();
        const idempotencyKey = newId(harness);
        await loseReply('capturePayment');
        expect(await problem(capture(payment, { idempotencyKey }))).toEqual(unknown);
        const expected = { status: 'captured', capturedMinor: amountMinor };
        expect(await read(payment)).toMatchObject(expected);
        expect(await value(capture(payment, { idempotencyKey }))).toMatchObject(expected);
      });
    });

    describe('canceling', () => {
      it('cancels a payment that no card was presented to', async (test) => {
        needs(test, 'readBeforeCard');
        const payment = await open();
        expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
        expect(await read(payment)).toMatchObject({ status: 'canceled' });
      });

      it('cancels an authorized payment, which can then not be captured', async () => {
        const payment = await authorize();
        expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
        expect(await problem(capture(payment))).toEqual(rejected);
        const seen = await read(payment);
        expect(seen.status).toBe('canceled');
        expect(seen.capturedMinor ?? 0n).toBe(0n);
      });

      it('answers a canceled payment again, for the same key and for another', async () => {
        const payment = await authorize();
        const idempotencyKey = newId(harness);
        const first = await value(cancel(payment, { idempotencyKey }));
        expect(await value(cancel(payment, { idempotencyKey }))).toEqual(first);
        expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
      });

      it('is rejected for a captured payment', async () => {
        const payment = await authorize();
        await value(capture(payment));
        expect(await problem(cancel(payment))).toEqual(rejected);
        expect(await read(payment)).toMatchObject({ status: 'captured' });
      });

      it('finds nothing to cancel where nothing was opened', async () => {
        expect(await value(cancel(begun()))).toBeUndefined();
      });

      it('can have lost its reply', async (test) => {
        needs(test, 'loseReply');
        const payment = await authorize();
        await loseReply('cancelPayment');
        expect(await problem(cancel(payment))).toEqual(unknown);
        expect(await read(payment)).toMatchObject({ status: 'canceled' });
      });
    });

    describe('connection tokens', () => {
      const token = (more: Partial<ProcessorAccount> = {}) => {
        const { id, terminalLocation } = { ...account, ...more };
        return processor.createConnectionToken({
          account: id,
          ...(terminalLocation !== undefined && { terminalLocation }),
        });
      };

      it('are made anew each time', async () => {
        const tokens = [await value(token()), await value(token())];
        for (const { clientSecret } of tokens) expect(clientSecret).not.toBe('');
        expect(tokens[0]).not.toEqual(tokens[1]);
      });

      it('are rejected for a location that the processor does not accept', async (test) => {
        needs(test, 'rejectedLocation');
        const terminalLocation = need('rejectedLocation', harness.rejectedLocation);
        expect(await problem(token({ terminalLocation }))).toEqual(rejected);
      });

      it('are refused for an account that is not set up', async (test) => {
        needs(test, 'accountNotSetUp');
        const other = await need('accountNotSetUp', harness.accountNotSetUp)();
        expect(await problem(token(other))).toEqual({ kind: 'notSetUp' });
      });
    });

    describe('receipts', () => {
      it('show how the card was read and approved', async (test) => {
        needs(test, 'readReceipt');
        const payment = await authorize();
        const receipt = await value(processor.readReceipt(payment));
        expect(receipt).toMatchObject({
          applicationIdentifier: expect.any(String),
          authorizationCode: expect.any(String),
        });
        await value(capture(payment));
        expect(await value(processor.readReceipt(payment))).toEqual(receipt);
      });

      it('are none before a card was read', async (test) => {
        needs(test, 'readReceipt');
        for (const payment of [await open(), begun()]) {
          expect(await value(processor.readReceipt(payment))).toBeUndefined();
        }
      });

      it("are none for another installation's payment", async (test) => {
        needs(test, 'readReceipt');
        const { reference: _reference, ...payment } = await authorize();
        const elsewhere = { ...payment, installation: 'another' };
        expect(await value(processor.readReceipt(elsewhere))).toBeUndefined();
      });
    });

    const loseReply = (call: LosableCall) => need('loseReply', harness.loseReply)(call);

    const suite: Suite = {
      harness: () => harness,
      processor: () => processor,
      needs,
      begun,
      open,
      authorize,
      capture,
      loseReply,
    };
    listingContract(suite);
    setupsContract(suite);
    eventsContract(suite);
  });
}
