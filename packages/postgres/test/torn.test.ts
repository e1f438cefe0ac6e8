import type { Change } from '@chairside/core/ports';
import { aBarber } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { commitOf, moveOf, newPool, openStore } from './helpers.ts';

const move = moveOf('a');
const put = (businessId: string): Change => ({
  kind: 'putBarber',
  barber: { ...aBarber(), id: 'ada', businessId },
});

describe.each([true, false])('on a pool that the host shares, pipeline: %s, (D93)', (pipeline) => {
  it.each(['DISCARD ALL', 'DEALLOCATE ALL', 'DISCARD PLANS'])(
    'a commit after the host ran %s is whole',
    async (text) => {
      const pool = newPool({ max: 1, pipeline });
      const store = await openStore({}, pool);
      (await store.commit(commitOf('first', move, move)))._unsafeUnwrap();
      await pool.query(text);
      const refused = await store.commit(
        commitOf('refused', put('one'), put('two'), { kind: 'deleteTerminal', id: 'none' }),
      );
      expect(refused._unsafeUnwrapErr()).toStrictEqual({
        kind: 'storeConflict',
        change: 'deleteTerminal',
      });
      expect((await store.barbers.get('ada'))._unsafeUnwrap()).toBeUndefined();
      expect((await store.wasCommitted('refused'))._unsafeUnwrap()).toBe(false);
      (await store.commit(commitOf('next', move, move)))._unsafeUnwrap();
      expect((await store.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(4);
    },
  );
});
