import { minuteMs } from '@chairside/core';
import {
  type AuthorizeMethodRequest,
  methodGone,
  type OpenSetupRequest,
  type SavedMethod,
  type SetupHandle,
  unknownCustomer,
} from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import type { SavedCard } from './harness.ts';
import {
  amountMinor,
  beginSetup,
  listedIn,
  messageOf,
  need,
  present,
  problem,
  rejected,
  type Suite,
  timeless,
  unreferenced,
  value,
} from './suite.ts';

/** Collecting a customer's payment method, on the platform's account (D23). */
export function setupsContract(suite: Suite): void {
  const { needs } = suite;
  const it = suite.itNeeds('setups');

  const begun = (more?: Partial<OpenSetupRequest>) => beginSetup(suite.harness(), more);
  const open = (request: OpenSetupRequest) => value(suite.processor().openSetup(request));
  const read = (setup: SetupHandle) => value(suite.processor().readSetup(setup));
  const cancel = (setup: SetupHandle) =>
    suite.processor().cancelSetup({ ...setup, idempotencyKey: suite.key() });

  describe('setups', () => {
    for (const savePaymentMethod of [true, false]) {
      it(`are open at first, whether they save the method: ${savePaymentMethod}`, async () => {
        const request = begun({ savePaymentMethod });
        const { reference, clientSecret } = await open(request);
        expect(clientSecret).not.toBe('');
        const expected = { reference, status: 'open' };
        expect(await read({ ...request, reference })).toMatchObject(expected);
        // By our own id as well, because the reply to the opening may have been lost.
        expect(await read(request)).toMatchObject(expected);
      });
    }

    it('reject a key that was used with other parameters', async () => {
      needs('keysCoverParameters');
      const request = begun();
      await open(request);
      const { setupId } = begun();
      const other = { ...request, setupId };
      expect(await problem(suite.processor().openSetup(other))).toEqual(rejected);
    });

    it('are undefined if they were never opened, or by another installation', async () => {
      const request = begun();
      expect(await read(request)).toBeUndefined();
      const { reference } = await open(request);
      const elsewhere = { ...request, installation: 'another' };
      expect(await read(elsewhere)).toBeUndefined();
      expect(await read({ ...elsewhere, reference })).toBeUndefined();
      expect(await read(begun({ reference }))).toBeUndefined();
      // The processor may refuse an id that it never gave.
      const unknown = await suite.processor().readSetup(begun({ reference: 'seti_unknown' }));
      if (unknown.isOk()) expect(unknown.value).toBeUndefined();
    });

    it('show the payment method once they are completed, and not before', async () => {
      const request = begun();
      const { reference, clientSecret } = await open(request);
      expect(await read(request)).not.toHaveProperty('paymentMethod');
      await suite.able('completeSetup')(clientSecret);
      const completed = { reference, status: 'completed', paymentMethod: expect.any(String) };
      expect(await read(request)).toMatchObject(completed);
    });

    it('stay open when another setup of the customer is completed or canceled', async () => {
      const first = begun();
      const { customerId } = first;
      const [second, third] = [begun({ customerId }), begun({ customerId })];
      const opened = [await open(first), await open(second), await open(third)];
      await suite.able('completeSetup')(opened[0]?.clientSecret ?? '');
      expect(await value(cancel(third))).toMatchObject({ status: 'canceled' });
      for (const reference of [{}, { reference: opened[1]?.reference ?? '' }]) {
        const seen = await present(read({ ...second, ...reference }));
        expect(seen).toMatchObject({ reference: opened[1]?.reference, status: 'open' });
        expect(seen).not.toHaveProperty('paymentMethod');
      }
    });

    it('show the method of their own customer, if two have one', async () => {
      const [first, second] = [begun(), begun()];
      const opened = [await open(first), await open(second)];
      const methods = [];
      // The later one first: between the two, one is completed and the other is open.
      for (const at of [1, 0]) {
        expect(await read(first)).toMatchObject({
          reference: opened[0]?.reference,
          status: 'open',
        });
        expect(await read(first)).not.toHaveProperty('paymentMethod');
        await suite.able('completeSetup')(opened[at]?.clientSecret ?? '');
        const { paymentMethod, ...seen } = await present(read(at === 0 ? first : second));
        expect(seen).toMatchObject({ reference: opened[at]?.reference, status: 'completed' });
        methods.push(paymentMethod);
      }
      expect(new Set(methods).size).toBe(2);
      expect(await read(second)).toMatchObject({ paymentMethod: methods[0] });
    });

    for (const completed of ['older', 'newer'] as const) {
      it(`show the completed one, if it was opened twice: the ${completed}`, async () => {
        const request = begun();
        const older = await open(request);
        const newer = await open({ ...request, idempotencyKey: suite.key() });
        expect(newer.reference).not.toBe(older.reference);
        const { reference, clientSecret } = completed === 'older' ? older : newer;
        await suite.able('completeSetup')(clientSecret);
        expect(await read(request)).toMatchObject({ reference, status: 'completed' });
        expect(await problem(cancel(request))).toEqual(rejected);
      });
    }

    it('are not touched by the reference of another', async () => {
      const request = begun();
      const { reference } = await open(request);
      const other = begun();
      await open(other);
      for (const stranger of [
        { ...other, reference },
        begun({ reference }),
        { ...request, installation: 'another', reference },
      ]) {
        const seen = await suite.processor().readSetup(stranger);
        if (seen.isOk()) expect(seen.value).toBeUndefined();
        const canceled = await cancel(stranger);
        if (canceled.isOk()) expect(canceled.value).toBeUndefined();
      }
      for (const setup of [request, other])
        expect(await read(setup)).toMatchObject({ status: 'open' });
    });

    it('are found by our own id behind twelve others', async () => {
      const request = begun();
      const { reference } = await open(request);
      for (let others = 0; others < 12; others += 1) await open(begun());
      expect(await read(request)).toMatchObject({ reference, status: 'open' });
      expect(await value(cancel(request))).toMatchObject({ reference, status: 'canceled' });
    });

    it('are canceled, with or without a reference, and again under any key', async () => {
      for (const isReferenced of [true, false]) {
        const request = begun();
        const { reference } = await open(request);
        const handle = isReferenced ? { ...request, reference } : request;
        for (let times = 1; times <= 2; times += 1) {
          expect(await value(cancel(handle))).toMatchObject({ reference, status: 'canceled' });
        }
        expect(await read(request)).toMatchObject({ status: 'canceled' });
      }
    });

    it('are not canceled once they are completed', async () => {
      const request = begun();
      const { clientSecret } = await open(request);
      await suite.able('completeSetup')(clientSecret);
      expect(await problem(cancel(request))).toEqual(rejected);
      expect(await read(request)).toMatchObject({ status: 'completed' });
    });

    it('cannot be completed once they are canceled', async () => {
      const request = begun();
      const { clientSecret } = await open(request);
      await value(cancel(request));
      // The session refuses, or the method changes nothing.
      await suite
        .able('completeSetup')(clientSecret)
        .catch(() => undefined);
      const seen = await present(read(request));
      expect(seen).toMatchObject({ status: 'canceled' });
      expect(seen).not.toHaveProperty('paymentMethod');
    });

    it('are rejected for a customer that the processor no longer knows', async () => {
      const first = begun();
      const { customerId } = first;
      await open(first);
      await suite.able('forgetCustomer')(customerId);
      const second = begun({ customerId });
      const gone = { kind: 'rejected', reason: unknownCustomer };
      expect(await problem(suite.processor().openSetup(second))).toEqual(gone);
      expect(await read(second)).toBeUndefined();
    });

    it("state the processor's time when they are read", async () => {
      needs('processorTime');
      const request = begun();
      await open(request);
      const { at = 0 } = await present(read(request));
      expect(Math.abs(at - suite.harness().clock.now())).toBeLessThan(minuteMs);
    });

    it('cannot be canceled if they were never opened, or by another installation', async () => {
      const request = begun();
      expect(await value(cancel(request))).toBeUndefined();
      await open(request);
      expect(await value(cancel({ ...request, installation: 'another' }))).toBeUndefined();
      expect(await read(request)).toMatchObject({ status: 'open' });
    });
  });
}

/** A method that a customer has entered. */
export async function savedMethod(
  suite: Suite,
  card: SavedCard = 'approve',
  savePaymentMethod = true,
): Promise<SavedMethod> {
  const { installation } = suite.begun();
  const setup = beginSetup(suite.harness(), { installation, savePaymentMethod });
  const { clientSecret } = await value(suite.processor().openSetup(setup));
  await suite.able('completeSetup')(clientSecret, card);
  const seen = await value(suite.processor().readSetup(setup));
  const { reference = '', paymentMethod = '' } = seen ?? {};
  return { customerId: setup.customerId, setupReference: reference, paymentMethod };
}

/** Charging saved methods without their customers (D49). */
export function chargesContract(suite: Suite): void {
  const it = suite.itNeeds('charges', 'setups', 'completeSetup');

  const begun = async (
    card?: SavedCard,
    savePaymentMethod?: boolean,
  ): Promise<AuthorizeMethodRequest> => ({
    ...suite.begun(),
    method: await savedMethod(suite, card, savePaymentMethod),
  });
  const authorize = (request: AuthorizeMethodRequest) =>
    need('charges', suite.processor().charges).authorize(request);
  const capturedMinor = async (reference: string | undefined) =>
    (await suite.harness().books?.(reference ?? ''))?.capturedMinor;

  describe('charges of saved methods', () => {
    for (const savePaymentMethod of [true, false]) {
      it(`hold the amount and take none, saved for later: ${savePaymentMethod}`, async () => {
        suite.needs('books');
        const request = await begun('approve', savePaymentMethod);
        const charged = await value(authorize(request));
        expect(charged).toMatchObject({
          status: 'authorized',
          account: request.account,
          amountMinor,
          authorizedMinor: amountMinor,
          currency: request.currency,
          card: expect.any(Object),
        });
        expect(charged).not.toHaveProperty('capturedMinor');
        expect(await capturedMinor(charged.reference)).toBe(0n);
      });
    }

    it('are read, listed and captured as any payment', async () => {
      const request = await begun();
      const { reference = '' } = await value(authorize(request));
      for (const handle of [request, { ...request, reference }]) {
        expect(await suite.read(handle)).toMatchObject({ reference, status: 'authorized' });
      }
      expect(await suite.read(request, reference)).toMatchObject({ reference });
      const captured = await value(suite.capture({ ...request, reference }));
      expect(captured).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
      expect(await listedIn(suite, request)).toMatchObject([{ reference, status: 'captured' }]);
    });

    it('are reported by messages as any payment', async () => {
      suite.needs('events');
      const request = await begun();
      await suite.told();
      const { reference = '' } = await value(authorize(request));
      expect(await suite.told()).toContainEqual(messageOf(request));
      await value(suite.capture({ ...request, reference }));
      expect(await suite.told()).toContainEqual(messageOf(request));
    });

    it('are canceled as any payment', async () => {
      const request = await begun();
      await value(authorize(request));
      expect(await value(suite.cancel(unreferenced(request)))).toMatchObject({
        status: 'canceled',
      });
    });

    it('are refunded as any payment', async () => {
      suite.needs('refunds');
      const request = await begun();
      const { reference = '' } = await value(authorize(request));
      await value(suite.capture({ ...request, reference }));
      const { refunds } = suite.processor();
      const refund = await value(refunds.refund(suite.refundOf({ ...request, reference })));
      expect(refund).toMatchObject({ amountMinor: 1003n });
    });

    it('are one for one key', async () => {
      const request = await begun();
      const first = await value(authorize(request));
      const again = await value(authorize(request));
      expect(timeless(again)).toEqual(timeless(first));
      expect(await listedIn(suite, request)).toHaveLength(1);
    });

    it('reject a key that was used with another amount', async () => {
      suite.needs('keysCoverParameters');
      const request = await begun();
      await value(authorize(request));
      const other = { ...request, amountMinor: amountMinor + 1n };
      expect(await problem(authorize(other))).toEqual(rejected);
      expect(await suite.read(request)).toMatchObject({ amountMinor });
    });

    it('charge a saved method again for another payment', async () => {
      const request = await begun();
      const references = new Set<string | undefined>();
      for (let times = 1; times <= 3; times += 1) {
        const next = { ...suite.begun(), method: request.method };
        references.add((await value(authorize(next))).reference);
      }
      expect(references.size).toBe(3);
    });

    it('carry the fee of the platform', async () => {
      suite.needs('fees');
      const request = { ...(await begun()), applicationFeeMinor: 317n };
      expect(await value(authorize(request))).toMatchObject({ applicationFeeMinor: 317n });
      const whole = { ...(await begun()), applicationFeeMinor: amountMinor };
      expect(await value(authorize(whole))).toMatchObject({ applicationFeeMinor: amountMinor });
    });

    for (const [card, refusal] of [
      ['decline', undefined],
      ['needsCustomer', 'customerMustAct'],
    ] as const) {
      it(`show a refused card as failed: ${card}`, async () => {
        const request = await begun(card);
        const refused = await value(authorize(request));
        expect(refused.status).toBe('failed');
        // A decline needs no refusal: it is the default of a failed charge.
        const { refusal: told = 'declined' } = refused;
        expect(told).toBe(refusal ?? 'declined');
        const again = await value(authorize(request));
        expect(again).toMatchObject({ status: 'failed', reference: refused.reference });
        expect(await suite.read(request)).toMatchObject({ status: 'failed' });
        expect(await problem(suite.capture(request))).toEqual(rejected);
        const receipt = await suite.processor().readReceipt(request);
        expect(receipt.unwrapOr(undefined)?.authorizationCode).toBeUndefined();
        expect(await value(suite.cancel(request))).toMatchObject({ status: 'canceled' });
      });
    }

    it('of a method that the processor no longer has are rejected, without an entry', async () => {
      const request = await begun('vanish');
      const gone = { kind: 'rejected', reason: methodGone };
      expect(await problem(authorize(request))).toEqual(gone);
      expect(await value(suite.processor().readPayment(request))).toBeUndefined();
    });

    it('of a method that its setup did not collect, or another installation has, are rejected, without an entry', async () => {
      const request = await begun();
      const { setupReference } = await savedMethod(suite);
      for (const method of [
        { ...request.method, setupReference },
        { ...request.method, paymentMethod: 'pm_unknown' },
        { ...request.method, setupReference: 'seti_unknown' },
        request.method,
      ]) {
        const installation = method === request.method ? 'another' : request.installation;
        const idempotencyKey = suite.key();
        const wrong = { ...request, method, installation, idempotencyKey };
        expect(await problem(authorize(wrong))).toEqual({ kind: 'rejected', reason: methodGone });
        expect(await value(suite.processor().readPayment(request))).toBeUndefined();
      }
    });

    it('of a method that another setup of a single appointment did not collect are rejected', async () => {
      const request = await begun('approve', false);
      const { setupReference } = await savedMethod(suite, 'approve', false);
      const wrong = { ...request, method: { ...request.method, setupReference } };
      expect(await problem(authorize(wrong))).toEqual({ kind: 'rejected', reason: methodGone });
      expect(await value(suite.processor().readPayment(request))).toBeUndefined();
    });

    it('of a method for a single appointment are made under another key after a failure', async () => {
      const request = await begun('approve', false);
      await suite.able('fail')('authorizeMethod', false);
      expect(await problem(authorize(request))).toMatchObject({ outcome: 'unknown' });
      const again = { ...request, idempotencyKey: `${request.idempotencyKey}:2` };
      expect(await value(authorize(again))).toMatchObject({ status: 'authorized' });
      expect(await listedIn(suite, request)).toHaveLength(1);
    });

    it('are notSetUp for an account that takes no cards', async () => {
      const account = await suite.able('accountNotSetUp')();
      const request = { ...(await begun()), account: account.id };
      expect(await problem(authorize(request))).toEqual({ kind: 'notSetUp' });
    });
  });
}
