import { minuteMs, type Result } from '@chairside/core';
import type { Commit, Read, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { about } from './failures.ts';
import { oneOfEachKind } from './records.ts';
import { answerOf, type Calm, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** No commit takes more messages than that. */
const mostMessages = 60;
const returned = {
  kind: 'refund',
  id: 're_1',
  account: 'acct_1',
  paymentId: 'cpm_1',
  amountMinor: 5n,
  at: someTime,
} as const;

/** Records that are there are never said to be missing, and a late message changes no answer. */
export function outagesContract(suite: StoreSuite): void {
  const { store, nextId, given, inTime } = suite;

  const someCommit = (): Commit => {
    const id = nextId();
    const payment = write.payment({ id });
    const move = ledgerMove({ appointmentId: id, openPayments: 1 });
    return { id, at: someTime, changes: [payment, move] };
  };

  /** Whether another node sees the commit, and sees its effect once. */
  async function isThere({ id }: Commit): Promise<boolean> {
    const node = await suite.other();
    const isWritten = answerOf(await node.payments.get(id)) !== undefined;
    expect(answerOf(await node.ledgers.get(id)).openPayments).toBe(isWritten ? 1 : 0);
    return isWritten;
  }

  async function expectTrue(
    commit: Commit,
    answer: Result<void, StoreConflict | StoreUnavailable>,
  ): Promise<void> {
    const isWritten = await isThere(commit);
    if (answer.isOk()) expect(isWritten, `The store answered ok${about(answer)}`).toBe(true);
    else {
      const { error } = answer;
      expect(error, `The answer${about(answer)}`).toMatchObject({ kind: 'storeUnavailable' });
      const saysNot = error.kind === 'storeUnavailable' && error.outcome === 'notApplied';
      if (saysNot) expect(isWritten, `The store said notApplied${about(answer)}`).toBe(false);
    }
  }

  /** Reads of every kind, each for records that are there. */
  type Reading = (node: Store) => Read<unknown>;
  async function readings(): Promise<ReadonlyMap<string, Reading>> {
    const id = nextId();
    await given(...oneOfEachKind, { kind: 'insertReturned', returned });
    answerOf(await store().commit({ id, at: someTime, changes: [] }));
    const [first] = oneOfEachKind;
    const of = first?.kind === 'insertPayment' ? first.payment.id : '';
    return new Map<string, Reading>([
      ['a payment', (node) => node.payments.get(of)],
      ['payments of an appointment', (node) => node.payments.listByAppointment(of, 9)],
      ['due payments', (node) => node.payments.listDue(someTime, 9)],
      ['a key', (node) => node.keys.get(of, of)],
      ['a ledger', (node) => node.ledgers.get(of)],
      ['a terminal', (node) => node.terminals.getByDeviceIdentifier(of)],
      ['due events', (node) => node.events.listDue(someTime, 9)],
      ['a message of the processor', (node) => node.processorEvents.has(of)],
      [
        'money that went back',
        (node) => node.returned.has(returned.account, returned.kind, returned.id),
      ],
      ['an appointment', (node) => node.appointments.get(of)],
      ['a setup', (node) => node.setups.get(of)],
      ['a commit', (node) => node.wasCommitted(id)],
    ]);
  }

  /** Each read returns what it returned before, or that the store is unavailable. */
  async function expectReads(strike: () => Promise<Calm>, isTogether: boolean): Promise<void> {
    const all = await readings();
    const before = new Map<string, unknown>();
    for (const [name, read] of all) before.set(name, answerOf(await read(store())));
    const expectRead = async (name: string, read: Reading) => {
      const answer = await inTime(read(store()));
      if (answer.isOk()) expect(answer.value, name).toStrictEqual(before.get(name));
      else expect(answer.error, name).toMatchObject({ outcome: 'notApplied' });
    };
    const groups = isTogether ? [[...all]] : [...all].map((one) => [one]);
    for (const group of groups) {
      const calm = await strike();
      await Promise.all(group.map(([name, read]) => expectRead(name, read)));
      await calm();
    }
    const healed = await Promise.all([...all.values()].map((read) => untilRead(read)));
    expect(healed).toStrictEqual([...before.values()]);
  }

  async function untilRead(read: Reading): Promise<unknown> {
    for (let tries = 1; tries < 20; tries += 1) {
      const answer = await read(store());
      if (answer.isOk()) return answer.value;
    }
    return answerOf(await read(store()));
  }

  describe('where its server is out of reach', () => {
    it('does not say that records are missing, if replies are lost', async (test) => {
      const loseReply = suite.need(test, 'loseReply');
      await expectReads(() => loseReply(0), false);
    });

    it('does not say that records are missing, if the server cannot be reached', async (test) => {
      const cutOff = suite.need(test, 'cutOff');
      await expectReads(() => cutOff(0), true);
    });

    it(
      'does not say that records are missing, if the server is silent',
      async (test) => {
        const stall = suite.need(test, 'stall');
        await expectReads(() => stall(0), true);
      },
      6 * minuteMs,
    );

    it(
      'says what is true of a commit whose reply is lost, if the server stays out of reach',
      async (test) => {
        const cutOff = suite.need(test, 'cutOff');
        for (let after = 0; ; after += 1) {
          expect(after).toBeLessThan(mostMessages);
          const commit = someCommit();
          const calm = await cutOff(after);
          const answer = await inTime(store().commit(commit));
          const asked = await inTime(store().wasCommitted(commit.id));
          const hasStruck = await calm();
          await expectTrue(commit, answer);
          if (asked.isOk()) expect(asked.value).toBe(await isThere(commit));
          if (!hasStruck) break;
        }
      },
      6 * minuteMs,
    );

    it.for([
      ['before the store is asked', false],
      ['after the store was asked', true],
    ] as const)(
      'says what is true of a commit whose message arrives late, %s',
      async ([, isAsked], test) => {
        const delayRequest = suite.need(test, 'delayRequest');
        for (let after = 0; ; after += 1) {
          expect(after).toBeLessThan(mostMessages);
          const commit = someCommit();
          const calm = await delayRequest(after);
          const answer = await inTime(store().commit(commit));
          const asked = isAsked ? await inTime(store().wasCommitted(commit.id)) : undefined;
          const hasStruck = await calm();
          await expectTrue(commit, answer);
          const isWritten = await isThere(commit);
          if (asked?.isOk()) expect(asked.value, 'wasCommitted').toBe(isWritten);
          const again = await store().wasCommitted(commit.id);
          if (again.isOk()) expect(again.value, 'wasCommitted').toBe(await isThere(commit));
          if (!hasStruck) break;
        }
      },
    );
  });
}
