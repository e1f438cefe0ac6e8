import { minuteMs } from '@chairside/core';
import type { Commit, Read, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { oneOfEachKind } from './records.ts';
import { answerOf, type Calm, type StoreSuite } from './suite.ts';
import { expectTrue, isThere, mostMessages, someCommit } from './written.ts';

/** Records that are there are never said to be missing, and a late message changes no answer. */
export function outagesContract(suite: StoreSuite): void {
  const { store, nextId, given, inTime } = suite;

  /** Whether another node, whose connections have no faults, sees the commit. */
  const isSeen = async (commit: Commit) => isThere(await suite.other(), commit);

  /** Reads of every kind, each for records that are there. */
  type Reading = (node: Store) => Read<unknown>;
  async function readings(): Promise<ReadonlyMap<string, Reading>> {
    const id = nextId();
    await given(...oneOfEachKind);
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
      ['money that went back', (node) => node.returned.has('acct_1', 'refund', of)],
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
          const commit = someCommit(suite);
          const calm = await cutOff(after);
          const answer = await inTime(store().commit(commit));
          const asked = await inTime(store().wasCommitted(commit.id));
          const hasStruck = await calm();
          expectTrue(answer, await isSeen(commit));
          if (asked.isOk()) expect(asked.value).toBe(await isSeen(commit));
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
          const commit = someCommit(suite);
          const calm = await delayRequest(after);
          const answer = await inTime(store().commit(commit));
          const asked = isAsked ? await inTime(store().wasCommitted(commit.id)) : undefined;
          const hasStruck = await calm();
          expectTrue(answer, await isSeen(commit));
          const isWritten = await isSeen(commit);
          if (asked?.isOk()) expect(asked.value, 'wasCommitted').toBe(isWritten);
          const again = await store().wasCommitted(commit.id);
          if (again.isOk()) expect(again.value, 'wasCommitted').toBe(await isSeen(commit));
          if (!hasStruck) break;
        }
      },
    );
  });
}
