import { type AuthorizeMethodRequest, methodGone, type SavedMethod } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import type { SavedCard } from './harness.ts';
import {
  amountMinor,
  beginSetup,
  listedIn,
  messageOf,
  need,
  problem,
  rejected,
  type Suite,
  timeless,
  unreferenced,
  value,
} from './suite.ts';

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
      it(`hold the amount and take none, saved for later: ${savePaymentMethod}`, async (test) => {
        suite.needs(test, 'books');
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

    it('are reported by messages as any payment', async (test) => {
      suite.needs(test, 'events');
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

    it('are refunded as any payment', async (test) => {
      suite.needs(test, 'refunds');
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

    it('reject a key that was used with another amount', async (test) => {
      suite.needs(test, 'keysCoverParameters');
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

    it('carry the fee of the platform', async (test) => {
      suite.needs(test, 'fees');
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

    it('of a method for a single appointment are made under another key after a failure', async (test) => {
      suite.needs(test, 'fail');
      const request = await begun('approve', false);
      await suite.able('fail')('authorizeMethod', false);
      expect(await problem(authorize(request))).toMatchObject({ outcome: 'unknown' });
      const again = { ...request, idempotencyKey: `${request.idempotencyKey}:2` };
      expect(await value(authorize(again))).toMatchObject({ status: 'authorized' });
      expect(await listedIn(suite, request)).toHaveLength(1);
    });

    it('are notSetUp for an account that takes no cards', async (test) => {
      suite.needs(test, 'accountNotSetUp');
      const account = await suite.able('accountNotSetUp')();
      const request = { ...(await begun()), account: account.id };
      expect(await problem(authorize(request))).toEqual({ kind: 'notSetUp' });
    });
  });
}
