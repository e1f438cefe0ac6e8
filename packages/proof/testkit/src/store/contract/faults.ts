import { minuteMs, type Result } from '@chairside/core';
import type { Commit, Read, Store, StoreConflict, StoreUnavailable } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { someTime } from '../../builders.ts';
import { about } from './failures.ts';
import { idOfEach, oneOfEachKind } from './records.ts';
import { answerOf, type Calm, ledgerMove, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** How often a commit is sent again until the server is there. */
const tries = 20;

/** Responses of the store are true, even if a message is lost or the server stops. */
export function faultsContract(suite: StoreSuite): void {
  const { store, inTime } = suite;
  const newCommit = () => someCommit(suite);

  /** The answer is true now. A commit without a success can be sent again, unless it was denied. */
  async function expectTrueNow(commit: Commit, answer: Answer): Promise<void> {
    const observer = await suite.other();
    const isWritten = await isThere(observer, commit);
    expectTrue(answer, isWritten);
    const asked = await store().wasCommitted(commit.id);
    if (asked.isOk()) expect(asked.value, `wasCommitted(${commit.id})`).toBe(isWritten);
    if (asked.isOk() && !asked.value) {
      expect((await store().commit(commit)).isErr()).toBe(true);
      expect(await isThere(observer, commit)).toBe(false);
      return;
    }
    await untilWritten(commit);
    expect(await isThere(observer, commit)).toBe(true);
    expect(answerOf(await observer.wasCommitted(commit.id))).toBe(true);
  }

  /** The answers of many commits are true, though a fault strikes them. */
  async function expectTruth(
    strike: () => Promise<void>,
    onceOneIsWritten: boolean,
  ): Promise<void> {
    const commits = Array.from({ length: 40 }, newCommit);
    const sent = commits.map((commit) => inTime(store().commit(commit)));
    if (onceOneIsWritten) expect((await Promise.race(sent)).isOk()).toBe(true);
    await strike();
    const answers = await Promise.all(sent);
    for (const [index, commit] of commits.entries()) {
      const answer = answers[index];
      if (answer !== undefined) await expectTrueNow(commit, answer);
    }
  }

  async function untilWritten(commit: Commit): Promise<void> {
    let answer = await store().commit(commit);
    for (let count = 1; answer.isErr() && count < tries; count += 1) {
      expect(answer.error.kind).toBe('storeUnavailable');
      answer = await store().commit(commit);
    }
    answerOf(answer);
  }

  describe('where the connection to its server fails', () => {
    it.for([
      ['a commit', false],
      ['a commit whose id was sent again', true],
    ] as const)(
      'says what is true of %s, for each reply that is lost',
      async ([, isSentAgain], test) => {
        const loseReply = suite.need(test, 'loseReply');
        await untilWritten(newCommit());
        for (let after = 0; ; after += 1) {
          expect(after).toBeLessThan(mostMessages);
          const commit = newCommit();
          if (isSentAgain) await untilWritten(commit);
          const calm = await loseReply(after);
          const answer = await inTime(store().commit(commit));
          const hasStruck = await calm();
          if (isSentAgain && answer.isErr()) {
            expect(answer.error).toMatchObject({ kind: 'storeUnavailable', outcome: 'unknown' });
          }
          await expectTrueNow(commit, answer);
          if (!hasStruck) break;
        }
      },
    );

    it(
      'ends every call where the server falls silent, and says what is true',
      async (test) => {
        const stall = suite.need(test, 'stall');
        await untilWritten(newCommit());
        for (const after of [0, 1, 3]) {
          const commit = newCommit();
          const calm = await stall(after);
          const answer = await inTime(store().commit(commit));
          const hasStruck = await calm();
          await expectTrueNow(commit, answer);
          if (!hasStruck) break;
        }
        const calm = await stall(0);
        const read = await inTime(store().payments.get('cpm_1'));
        if (read.isErr()) expect(read.error.outcome).toBe('notApplied');
        await calm();
        await untilWritten(newCommit());
      },
      6 * minuteMs,
    );

    it('says what is true of many commits whose connections end, and goes on', async (test) => {
      const kill = suite.need(test, 'kill');
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(Array.from({ length: 16 }, () => untilWritten(newCommit())));
        await expectTruth(kill, round > 0);
      }
    });

    it('keeps what it acknowledged when the server crashes, and goes on', async (test) => {
      const restart = suite.need(test, 'restart');
      const acknowledged = Array.from({ length: 16 }, newCommit);
      await Promise.all(acknowledged.map(untilWritten));
      await expectTruth(restart, true);
      for (const commit of acknowledged) expect(await isThere(store(), commit)).toBe(true);
    });
  });
}

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
    const of = idOfEach;
    return new Map<string, Reading>([
      ['a payment', (node) => node.payments.get(of)],
      ['payments of an appointment', (node) => node.payments.listByAppointment(of, 9)],
      ['due payments', (node) => node.payments.listDue(someTime, 9)],
      ['a key', (node) => node.keys.get(of, of)],
      ['a ledger', (node) => node.ledgers.get(of)],
      ['a terminal', (node) => node.terminals.getByDeviceIdentifier(of)],
      ['due events', (node) => node.events.listDue(someTime, 9)],
      ['a message of the processor', (node) => node.processorEvents.has(of)],
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

export type Answer = Result<void, StoreConflict | StoreUnavailable>;

/** No commit takes more messages than that. */
const mostMessages = 60;

/** One record of three tables each, so that a part shows. */
export function someCommit({ nextId }: StoreSuite): Commit {
  const id = nextId();
  const move = ledgerMove({ appointmentId: id, openPayments: 1 });
  return { id, at: someTime, changes: [write.payment({ id }), move, write.barber({ id })] };
}

/** Whether a store shows the whole commit. */
export async function isThere(store: Store, { id }: Commit): Promise<boolean> {
  const payment = answerOf(await store.payments.get(id)) !== undefined;
  const { openPayments } = answerOf(await store.ledgers.get(id));
  const barber = answerOf(await store.barbers.get(id)) !== undefined;
  const seen = { payment, openPayments, barber };
  expect(seen).toStrictEqual({ payment, openPayments: payment ? 1 : 0, barber: payment });
  return payment;
}

/** A success was written. What was not applied was not, and nothing is true of an unknown outcome. */
export function expectTrue(answer: Answer, isWritten: boolean): void {
  if (answer.isOk()) {
    expect(isWritten, `The store answered ok${about(answer)}`).toBe(true);
    return;
  }
  const { error } = answer;
  const outcome = expect.stringMatching(/^(notApplied|unknown)$/);
  const unavailable = { kind: 'storeUnavailable', outcome };
  expect(error, `The answer${about(answer)}`).toMatchObject(unavailable);
  if (error.kind === 'storeUnavailable' && error.outcome === 'notApplied') {
    expect(isWritten, `The store said notApplied${about(answer)}`).toBe(false);
  }
}
