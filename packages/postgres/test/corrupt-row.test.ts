import { expect, it } from 'vitest';
import { insertOf, newPlace, openNoting } from './helpers.ts';

it('a corrupt row is storeUnavailable, without its values', async () => {
  const { schema, pool } = newPlace();
  const { store, errors: told } = await openNoting({ schema }, pool);
  expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  await pool.query(`UPDATE "${schema}".chairside_payments SET timeline = 'secret'`);

  const read = await store.payments.get('cpm_1');
  expect(read._unsafeUnwrapErr()).toStrictEqual({
    kind: 'storeUnavailable',
    outcome: 'notApplied',
    cause: new Error('A stored text cannot be read: get_payments_id'),
  });
  expect(told).toStrictEqual(['Error: A stored text cannot be read: get_payments_id']);
});
