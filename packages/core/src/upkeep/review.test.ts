import { expect, it } from 'vitest';
import { now } from '../../test/support.ts';
import { reviewId } from './review.ts';

it('the same finding has the same id in every version', () => {
  const id = reviewId(now, 'acct_1', 'orphanCaptured', 'pi_1');
  expect(id).toBe('rev_01m7ynaym0f4bvp0ppwx0c3bvj');
  expect(reviewId(now, 'acct_1', 'orphanCaptured', 'pi_2')).not.toBe(id);
});
