import type { ProcessorAccount } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  problem,
  rejected,
  type Suite,
  unknown,
  unreferenced,
  value,
} from './suite.ts';

/** A payment is opened once, and only for an account that can take cards (D20). */
export function openingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, read } = suite;

  describe('opening', () => {
    it('opens a payment in the state created', async (test) => {
      needs(test, 'readBeforeCard');
      const request = begun();
      const { clientSecret, reference } = await open(request);
      const seen = await read(reference === undefined ? request : { ...request, reference });
      expect(seen).toMatchObject({
        status: 'created',
        account: suite.account().id,
        currency: suite.account().currency,
        amountMinor,
        clientSecret,
        ...(reference !== undefined && { reference }),
      });
      expect(seen.card).toBeUndefined();
      expect(seen.capturedMinor ?? 0n).toBe(0n);
      // By our own id as well, because the reply to the opening may have been lost.
      expect(await read(request)).toMatchObject({ status: 'created', clientSecret });
    });

    it('opens once for one key', async () => {
      const request = begun();
      const first = await value(suite.processor().openPayment(request));
      expect(await value(suite.processor().openPayment(request))).toEqual(first);
    });

    it('opens once for one key that is sent twice at the same time', async () => {
      const request = begun();
      const both = await Promise.all([
        suite.processor().openPayment(request),
        suite.processor().openPayment(request),
      ]);
      const settled = await value(suite.processor().openPayment(request));
      for (const result of both) {
        if (result.isOk()) expect(result.value).toEqual(settled);
        else expect(result.error).toEqual(unknown);
      }
    });

    for (const [what, other, abilities] of [
      ['another amount', { amountMinor: amountMinor + 1n }, []],
      ['another fee', { applicationFeeMinor: 254n }, ['fees']],
    ] as const) {
      it(`rejects a key that was used with ${what}`, async (test) => {
        needs(test, 'keysCoverParameters', ...abilities);
        const fee = { applicationFeeMinor: 253n };
        const request = begun(abilities.length > 0 ? fee : {});
        const payment = await open(request);
        const asked = suite.processor().openPayment({ ...request, ...other });
        expect(await problem(asked)).toEqual(rejected);
        await suite.harness().present(payment.clientSecret, 'approve');
        const kept = { status: 'authorized', amountMinor, ...(abilities.length > 0 && fee) };
        expect(await read(payment)).toMatchObject(kept);
      });
    }

    it('keeps the fee of the platform', async (test) => {
      needs(test, 'fees');
      for (const applicationFeeMinor of [253n, amountMinor]) {
        const payment = await authorize(begun({ applicationFeeMinor }));
        expect(await read(payment)).toMatchObject({ amountMinor, applicationFeeMinor });
      }
      expect(await read(await authorize())).toMatchObject({ applicationFeeMinor: 0n });
    });

    it('charges a tip as a part of the amount, and shows the same tip or none', async () => {
      const tipMinor = 200n;
      const tipped = await authorize(begun({ tipMinor }));
      const seen = await read(tipped);
      expect(seen).toMatchObject({ amountMinor });
      expect(seen.tipMinor ?? tipMinor).toBe(tipMinor);
      await value(capture(tipped));
      const captured = await read(tipped);
      expect(captured).toMatchObject({ amountMinor, capturedMinor: amountMinor });
      expect(captured.tipMinor ?? tipMinor).toBe(tipMinor);
      expect(await read(unreferenced(tipped))).toMatchObject({ reference: tipped.reference });
      expect((await read(await authorize())).tipMinor ?? 0n).toBe(0n);
    });

    it('keeps payments apart', async () => {
      const [first, second] = [await authorize(), await authorize()];
      expect(first.reference).not.toBe(second.reference);
      await value(capture(first));
      expect(await read(second)).toMatchObject({ status: 'authorized' });
    });

    it('can lose its reply', async (test) => {
      needs(test, 'loseReply');
      const request = begun();
      await suite.loseReply('openPayment');
      expect(await problem(suite.processor().openPayment(request))).toEqual(unknown);
      const { clientSecret } = await open(request);
      await suite.harness().present(clientSecret, 'approve');
      expect(await read(request)).toMatchObject({ status: 'authorized', clientSecret });
    });

    it('is rejected for an account that is not set up', async (test) => {
      needs(test, 'accountNotSetUp');
      const other = await suite.able('accountNotSetUp')();
      const request = begun({ account: other.id, currency: other.currency });
      expect(await problem(suite.processor().openPayment(request))).toEqual({ kind: 'notSetUp' });
    });
  });
}

/** Connection tokens of terminals (D24). */
export function tokensContract(suite: Suite): void {
  const { needs } = suite;

  describe('connection tokens', () => {
    const token = (more: Partial<ProcessorAccount> = {}) => {
      const { id, terminalLocation } = { ...suite.account(), ...more };
      return suite.processor().createConnectionToken({
        account: id,
        ...(terminalLocation !== undefined && { terminalLocation }),
      });
    };

    it('are new for each call', async () => {
      const tokens = [await value(token()), await value(token())];
      for (const { clientSecret } of tokens) expect(clientSecret).not.toBe('');
      expect(tokens[0]).not.toEqual(tokens[1]);
    });

    it('are rejected for a location that the processor does not accept', async (test) => {
      needs(test, 'rejectedLocation');
      const terminalLocation = suite.able('rejectedLocation');
      expect(await problem(token({ terminalLocation }))).toEqual(rejected);
    });

    it('are rejected for an account that is not set up', async (test) => {
      needs(test, 'accountNotSetUp');
      const other = await suite.able('accountNotSetUp')();
      expect(await problem(token(other))).toEqual({ kind: 'notSetUp' });
    });
  });
}
