import { minuteMs } from '@chairside/core';
import type { Change, ChangeKind, Payment, Store, StoreConflict } from '@chairside/core/ports';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { someTime } from '../builders.ts';
import { commitsContract, denialsContract } from './contract/commits.ts';
import { refusalsContract } from './contract/conditions.ts';
import { eventsContract, heldContract } from './contract/events.ts';
import { about, remembering } from './contract/failures.ts';
import { faultsContract, outagesContract } from './contract/faults.ts';
import { fieldsContract } from './contract/fields.ts';
import { forgettingContract } from './contract/forgetting.ts';
import { hostContract } from './contract/host.ts';
import { largeContract } from './contract/large.ts';
import { ledgersContract } from './contract/ledgers.ts';
import { flushesContract, lifetimeContract } from './contract/lifetime.ts';
import { listsContract } from './contract/lists.ts';
import { identityContract, lookalikesContract } from './contract/lookalikes.ts';
import { nodesContract, racesContract } from './contract/races.ts';
import { statementsContract, sweepsContract } from './contract/statements.ts';
import {
  answerOf,
  errorOf,
  type StoreCapability,
  type StoreSuite,
  type StoreUnderTest,
} from './contract/suite.ts';

/**
 * The promises of the store port, each as a test. Call it in a test file of Vitest. The suite
 * closes the stores that it receives.
 * @param makeStore is called before each test. Its store must show no records of an earlier test.
 * @param without the abilities that the harness lacks, each with the reason that its tests are
 * skipped.
 */
export function storeContract(
  name: string,
  makeStore: () => Promise<StoreUnderTest>,
  without: Partial<Readonly<Record<StoreCapability, string>>> = {},
): void {
  describe(`${name} keeps the promises of the store port`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    let second: Promise<Store> | undefined;
    let commits = 0;

    beforeEach(async () => {
      subject = await makeStore();
      store = remembering(subject.store);
      second = undefined;
      checkTold(subject);
    });
    afterEach(async () => {
      await (await second)?.close();
      await store.close();
    });

    const nextId = () => `cmt_${++commits}`;
    const commit = (...changes: Change[]) => store.commit({ id: nextId(), at: someTime, changes });
    const given = async (...changes: Change[]) => answerOf(await commit(...changes));
    const insert = (...payments: Payment[]) =>
      given(...payments.map((payment): Change => ({ kind: 'insertPayment', payment })));

    async function refuses(kind: ChangeKind, ...changes: Change[]) {
      const conflict: StoreConflict = { kind: 'storeConflict', change: kind };
      const answer = await commit(...changes);
      expect(errorOf(answer), `The answer${about(answer)}`).toStrictEqual(conflict);
    }

    const suite: StoreSuite = {
      store: () => store,
      async other() {
        second ??= subject.second?.().then(remembering);
        return (await second) ?? store;
      },
      async inTime(call) {
        const late = Promise.withResolvers<never>();
        const end = () => late.reject(new Error('a call did not end'));
        const timer = setTimeout(end, subject.longestCallMs ?? minuteMs);
        try {
          return await Promise.race([call, late.promise]);
        } finally {
          clearTimeout(timer);
        }
      },
      need(test, capability) {
        const reason = without[capability];
        if (reason !== undefined) test.skip(`without ${capability}: ${reason}`);
        const given = subject[capability];
        if (given === undefined) {
          throw new Error(`the harness has no ${capability}, and gives no reason`);
        }
        return given;
      },
      needsReopening(test) {
        if (subject.reopen === undefined) test.skip(`keeps nothing: ${subject.inMemory}`);
      },
      async reopen() {
        await store.close();
        if (subject.reopen !== undefined) store = remembering(await subject.reopen());
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
    heldContract(suite);
    ledgersContract(suite);
    commitsContract(suite);
    listsContract(suite);
    largeContract(suite);
    eventsContract(suite);
    sweepsContract(suite);
    statementsContract(suite);
    hostContract(suite);
    forgettingContract(suite);
    nodesContract(suite);
    denialsContract(suite);
    faultsContract(suite);
    outagesContract(suite);
    flushesContract(suite);
    lifetimeContract(suite);
  });
}

/** The types say it already, but not every test file is compiled with them. */
function checkTold({ reopen, inMemory }: StoreUnderTest): void {
  if ((reopen === undefined) === (inMemory === undefined)) {
    throw new Error('the store needs either `reopen` or, with the reason, `inMemory`');
  }
}
