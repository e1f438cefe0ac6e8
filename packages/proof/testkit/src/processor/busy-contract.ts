import { hourMs, secondMs } from '@chairside/core';
import { describe, expect } from 'vitest';
import { itemsOf, ledgerOf, type Opened, pagesOf, type Suite, unreferenced } from './suite.ts';

/** A ledger that other systems use much more than we do (D27). */
export function busyContract(suite: Suite): void {
  const { begun, open, authorize, read } = suite;
  const it = suite.itNeeds('listPayments', 'advance');

  async function listAll(openedBefore: number, limit: number): Promise<readonly string[]> {
    const { account, installation, begunAt } = begun();
    const ledger = ledgerOf(suite.processor(), account);
    const request = { ledger, installation, openedFrom: begunAt - hourMs, openedBefore, limit };
    const pages = await pagesOf((asked) => suite.processor().listPayments(asked), request);
    return itemsOf(pages).map(({ paymentId }) => paymentId);
  }

  describe('in a busy ledger', () => {
    it('each payment is listed once, and found by our own id', async () => {
      const { crowd = 20 } = suite.harness();
      const opened: Opened[] = [];
      const openInNextMoment = async () => {
        await suite.able('advance')(secondMs);
        opened.push(await authorize());
      };
      opened.push(await authorize());
      await openInNextMoment();
      const other = { installation: 'another' };
      for (let made = 0; made < crowd; made += 1) {
        await open({ ...begun(), ...other });
        if (made === Math.floor(crowd / 2)) opened.push(await authorize());
      }
      opened.push(await authorize());
      await openInNextMoment();
      const lastAt = suite.harness().clock.now();
      await openInNextMoment();
      const ids = opened.map(({ paymentId }) => paymentId);
      for (const limit of [20, 100]) {
        // The first span ends in the moment after the crowded one.
        const early = await listAll(lastAt + secondMs, limit);
        expect(early.toSorted()).toEqual(ids.slice(0, -1).toSorted());
        const all = await listAll(lastAt + hourMs, limit);
        expect(all.toSorted()).toEqual(ids.toSorted());
      }
      for (const payment of opened) {
        const { reference, status } = await read(unreferenced(payment));
        expect({ reference, status }).toEqual({
          reference: payment.reference,
          status: 'authorized',
        });
      }
    }, 60_000);
  });
}
