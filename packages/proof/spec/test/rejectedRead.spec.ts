import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { capture, givenPresented } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

describeEverywhere(
  'a read that the processor rejects, not because of the reference',
  (makeWorld) => {
    it('is repeated with the same request, before a capture was sent and after', async () => {
      const world = await makeWorld();
      const { payment: opened, reference } = await givenPresented(world);
      const retryLater = { retry: 'retrySameRequestAfterDelay' };
      const key = 'capture';
      world.processor.failNext('readPayment', 'rejected');
      const before = await capture(world, opened.id, reference, { key });
      expect(problem(before, 'serviceUnavailable').recovery).toMatchObject(retryLater);

      world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
      problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
      world.processor.failNext('readPayment', 'rejected');
      const after = await capture(world, opened.id, reference, { key });
      expect(problem(after, 'serviceUnavailable').recovery).toMatchObject({
        outcome: 'unknown',
        ...retryLater,
      });
      expect(payment(await capture(world, opened.id, reference, { key }), 200)).toMatchObject({
        state: 'captured',
      });
    });
  },
);
