import type { Change, ChangeKind, Payment, Store, StoreConflict } from '@chairside/core';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { someTime } from '../builders.ts';
import { commitsContract } from './contract/commits.ts';
import { eventsContract } from './contract/events.ts';
import { fieldsContract } from './contract/fields.ts';
import { forgettingContract } from './contract/forgetting.ts';
import { hostContract } from './contract/host.ts';
import { identityContract } from './contract/identity.ts';
import { ledgersContract } from './contract/ledgers.ts';
import { lifetimeContract } from './contract/lifetime.ts';
import { listsContract } from './contract/lists.ts';
import { lookalikesContract } from './contract/lookalikes.ts';
import { moneyReturnedContract } from './contract/money-returned.ts';
import { racesContract } from './contract/races.ts';
import { refusalsContract } from './contract/refusals.ts';
import { reviewsContract } from './contract/reviews.ts';
import { answerOf, errorOf, type StoreSuite, type StoreUnderTest } from './contract/suite.ts';
import { sweepsContract } from './contract/sweeps.ts';

/**
 * The promises of the store port, each as a test. Call it in a test file of Vitest. The suite
 * closes the stores that it receives.
 */
export function storeContract(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the promises of the store port`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let commits = 0;

    beforeEach(async () => {
      subject = await makeStore();
      store = subject.store;
      checkTold(subject);
    });
    afterEach(() => store.close());

    const nextId = () => `cmt_${++commits}`;
    const commit = (...changes: Change[]) => store.commit({ id: nextId(), at: someTime, changes });
    const given = async (...changes: Change[]) => answerOf(await commit(...changes));
    const insert = (...payments: Payment[]) =>
      given(...payments.map((payment): Change => ({ kind: 'insertPayment', payment })));

    async function refuses(kind: ChangeKind, ...changes: Change[]) {
      const conflict: StoreConflict = { kind: 'storeConflict', change: kind };
      expect(errorOf(await commit(...changes))).toStrictEqual(conflict);
    }

    const suite: StoreSuite = {
      store: () => store,
      needsReopening(test) {
        if (subject.reopen === undefined) test.skip(`keeps nothing: ${subject.inMemory}`);
      },
      async reopen() {
        await store.close();
        if (subject.reopen !== undefined) store = await subject.reopen();
      },
      nextId,
      commit,
      given,
      insert,
      refuses,
    };
    fieldsContract(suite);
    identityContract(suite);
    lookalikesContract(suite);
    refusalsContract(suite);
    racesContract(suite);
    ledgersContract(suite);
    commitsContract(suite);
    listsContract(suite);
    eventsContract(suite);
    sweepsContract(suite);
    moneyReturnedContract(suite);
    reviewsContract(suite);
    hostContract(suite);
    forgettingContract(suite);
    lifetimeContract(suite);
  });
}

/** The types say it already, but not every test file is compiled with them. */
function checkTold({ reopen, inMemory }: StoreUnderTest): void {
  if ((reopen === undefined) === (inMemory === undefined)) {
    throw new Error('the store needs either `reopen` or, with the reason, `inMemory`');
  }
}
