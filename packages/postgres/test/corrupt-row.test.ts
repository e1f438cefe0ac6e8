import { expect, it } from 'vitest';
import { insertOf, newPlace, openNoting } from './helpers.ts';

it('a corrupt row is storeUnavailable, without its values', async () => {
  const { schema, pool } = newPlace();
  const { store, errors: told } = await openNoting({ schema }, pool);
  expect((await store.commit(insertOf('cpm_1', { nextCheckAt: 1 }))).isOk()).toBe(true);
  await pool.query(`UPDATE "${schema}".chairside_payments SET timeline = 'secret'`);

  const read = await store.payments.get('cpm_1');
  expect(read._unsafeUnwrapErr()).toStrictEqual({
    kind: 'storeUnavailable',
    outcome: 'notApplied',
    cause: new Error('A row of chairside_payments cannot be read: cpm_1'),
  });
  const row = 'Error: A row of chairside_payments cannot be read: cpm_1';
  expect(told).toStrictEqual([row]);
  // It must not stop the work of all shops.
  expect((await store.payments.listDue(1, 9))._unsafeUnwrap()).toEqual([]);
  expect(told).toStrictEqual([row, row]);
});
