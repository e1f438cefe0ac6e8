import { hourMs } from '@chairside/core';
import type { ListedPayment, ListRequest } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authorizePayment,
  charge,
  openPayment,
  problem,
  setUp,
  startAt,
  sweep,
  value,
} from './helpers.ts';

const open = async (fake: FakeProcessor, paymentId: string) =>
  value(await fake.openPayment({ ...charge, paymentId, idempotencyKey: paymentId }));

/** All pages, with other actions between two of them. */
async function pages(
  fake: FakeProcessor,
  request: ListRequest,
  between: () => Promise<unknown> = async () => undefined,
): Promise<readonly ListedPayment[]> {
  const { items, cursor } = value(await fake.listPayments(request));
  expect(items.length).toBeLessThanOrEqual(request.limit);
  if (cursor === undefined) return items;
  await between();
  return [...items, ...(await pages(fake, { ...request, cursor }, between))];
}

describe('listing payments', () => {
  it('shows each payment once and oldest first, for any page size, clock and action in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, limit) => {
          const { fake, clock } = setUp();
          for (const [i, step] of steps.entries()) {
            // Even a clock that is set back.
            clock.advance(step);
            await open(fake, `cpm_${i}`);
          }
          let later = 0;
          const listed = await pages(fake, { ...sweep, limit }, async () => {
            later += 1;
            // An end of the span, because pages of one need it.
            if (later < 5) await open(fake, `later_${later}`);
          });
          const ids = listed.map(({ paymentId }) => paymentId);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(steps.map((_, i) => `cpm_${i}`)));
          const times = listed.map(({ openedAt }) => openedAt);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
        },
      ),
    );
  });

  it('has no cursor after the last page, a full one included', async () => {
    const { fake } = setUp();
    await open(fake, 'cpm_1');
    await open(fake, 'cpm_2');
    expect(value(await fake.listPayments({ ...sweep, limit: 1 }))).toHaveProperty('cursor');
    expect(value(await fake.listPayments({ ...sweep, limit: 2 }))).not.toHaveProperty('cursor');
  });

  it('shows changes that time has made to a payment', async () => {
    const { fake, clock } = setUp();
    await authorizePayment(fake, 'expires_soon');
    clock.advance(hourMs);
    const { items } = value(await fake.listPayments(sweep));
    expect(items).toMatchObject([{ paymentId: 'cpm_1', status: 'canceled', openedAt: startAt }]);
  });

  it('hides a late reference, in the cursor too', async () => {
    const { fake } = setUp({ lateReferences: true });
    await openPayment(fake, 'open_1');
    await openPayment(fake, 'open_2');
    const page = value(await fake.listPayments({ ...sweep, limit: 1 }));
    expect(page.items[0]).not.toHaveProperty('reference');
    for (const { id } of fake.entries()) expect(page.cursor).not.toContain(id);
  });

  it.each([
    [{ limit: 0 }, 'limitNotPositive'],
    [{ cursor: '' }, 'unknownCursor'],
    [{ cursor: 'next' }, 'unknownCursor'],
    [{ cursor: '1.2.3' }, 'unknownCursor'],
  ])('rejects %o', async (change, reason) => {
    const { fake } = setUp();
    expect(problem(await fake.listPayments({ ...sweep, ...change }))).toEqual({
      kind: 'rejected',
      reason,
    });
  });

  it('is rejected for an account that is not set up', async () => {
    const { fake } = setUp({ accounts: ['acct_2'] });
    expect(problem(await fake.listPayments(sweep))).toEqual({ kind: 'notSetUp' });
  });
});
