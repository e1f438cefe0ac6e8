import { type Change, type Payment, paymentStates, type Read } from '@chairside/core/ports';
import { longestWaitMs } from '@chairside/core/storage';
import { describe, expect, it } from 'vitest';
import {
  anAppointmentReference,
  anEvent,
  aPayment,
  aSettlement,
  aSetup,
  aTerminal,
  someTime,
} from '../../builders.ts';
import { answerOf, idOf, type StoreSuite } from './suite.ts';
import { write } from './write.ts';

/** Lists, in their order and up to their limit. */
export function listsContract(suite: StoreSuite): void {
  const { store, given, insert } = suite;

  describe('lists', () => {
    const minutes = [3, 1, 5, 2, 4];

    it("an appointment's newest payments, oldest first", async () => {
      await insert(
        ...minutes.map((minute) => aPayment({ id: `${minute}`, createdAt: someTime + minute })),
        aPayment({ id: 'other', appointment: anAppointmentReference({ id: 'other' }) }),
      );
      const list = async (limit: number) =>
        answerOf(await store().payments.listByAppointment('appointment-1', limit)).map(idOf);
      expect(await list(3)).toStrictEqual(['3', '4', '5']);
      expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(0)).toStrictEqual([]);
    });

    it('nothing for a limit of 0 or below', async () => {
      const span = { from: 0, until: 2 * someTime };
      const checked = { nextCheckAt: someTime };
      const dead = anEvent({ subject: 'dead' });
      const { businessId: _none, ...unknown } = aSettlement({ id: 'unknown' });
      await insert(
        aPayment({ ...checked, id: 'captured', state: 'captured', capturedAt: someTime }),
      );
      await insert(aPayment(checked));
      await given(
        write.event(),
        { kind: 'appendEvent', event: dead },
        { kind: 'postponeEvent', subject: 'dead', version: dead.version },
        write.refund(checked),
        write.dispute(),
        write.tender({ paymentId: 'cpm_1' }),
        write.movement(),
        write.settlement(),
        { kind: 'putSettlement', settlement: unknown },
        write.payout(),
        write.review(),
        write.setup(checked),
        write.terminal(),
      );
      const lists: Readonly<Record<string, (limit: number) => Read<readonly unknown[]>>> = {
        payments: (limit) => store().payments.listByAppointment('appointment-1', limit),
        duePayments: (limit) => store().payments.listDue(someTime, limit),
        openPayments: (limit) => store().payments.listOpen('business-1', someTime, limit),
        captured: (limit) => store().payments.listCaptured('business-1', span, limit),
        events: (limit) => store().events.listDue(someTime, limit),
        dead: (limit) => store().events.listDead(limit),
        refunds: (limit) => store().refunds.listByPayment('cpm_1', limit),
        dueRefunds: (limit) => store().refunds.listDue(someTime, limit),
        disputes: (limit) => store().disputes.listByPayment('cpm_1', limit),
        openDisputes: (limit) => store().disputes.list('open', limit),
        tenders: (limit) => store().tenders.listByAppointment('appointment-1', limit),
        tendersOfPayment: (limit) => store().tenders.listByPayment('cpm_1', limit),
        tendersOfBusiness: (limit) => store().tenders.list('business-1', span, limit),
        movements: (limit) => store().movements.list('business-1', span, limit),
        movementsOfPayment: (limit) => store().movements.listByPayment('cpm_1', limit),
        settlements: (limit) => store().settlements.list('business-1', span, limit),
        unknown: (limit) => store().settlements.listUnknown('acct_1', span, limit),
        settlementsOfPayment: (limit) => store().settlements.listByPayment('cpm_1', limit),
        payouts: (limit) => store().payouts.list('acct_1', span, limit),
        reviews: (limit) => store().reviews.list('open', limit),
        reviewsOfAccount: (limit) => store().reviews.listOpenOf('acct_1', 'unsettled', limit),
        setups: (limit) => store().setups.listDue(someTime, limit),
        setupsOfCustomer: (limit) => store().setups.listByCustomer('customer-1', limit),
        sweeps: (limit) => store().sweeps.listStale(2 * someTime, limit),
        terminals: (limit) => store().terminals.listByBarber('barber-1', limit),
      };
      for (const [name, list] of Object.entries(lists)) {
        expect(answerOf(await list(9)), name).not.toStrictEqual([]);
        for (const limit of [0, -1]) expect(answerOf(await list(limit)), name).toStrictEqual([]);
      }
    });

    it("an appointment's newest payments at one business, up to the limit", async () => {
      await insert(
        ...minutes.map((minute) =>
          aPayment({
            id: `${minute}`,
            createdAt: someTime + minute,
            businessId: minute % 2 === 0 ? 'business-2' : 'business-1',
          }),
        ),
      );
      const list = async (limit: number, businessId?: string) =>
        answerOf(await store().payments.listByAppointment('appointment-1', limit, businessId)).map(
          idOf,
        );
      expect(await list(2, 'business-1')).toStrictEqual(['3', '5']);
      expect(await list(9, 'business-2')).toStrictEqual(['2', '4']);
      expect(await list(9, 'business-3')).toStrictEqual([]);
      expect(await list(9, undefined)).toStrictEqual(['1', '2', '3', '4', '5']);
    });

    it('all payments, tenders and terminals in order of their ids, page by page', async () => {
      const ids = ['c', 'a', 'e', 'b', 'd'];
      await insert(...ids.map((id) => aPayment({ id })));
      await given(
        ...ids.map((id): Change => write.tender({ id })),
        ...ids.map((id): Change => write.terminal({ id, deviceIdentifier: id })),
      );
      const { payments, tenders, terminals } = store();
      const lists: readonly ((limit: number, after?: string) => Promise<string[]>)[] = [
        async (limit, after) => answerOf(await payments.listAll(limit, after)).map(idOf),
        async (limit, after) => answerOf(await tenders.listAll(limit, after)).map(idOf),
        async (limit, after) => answerOf(await terminals.listAll(limit, after)).map(idOf),
      ];
      for (const listed of lists) {
        expect(await listed(2)).toStrictEqual(['a', 'b']);
        expect(await listed(2, 'b')).toStrictEqual(['c', 'd']);
        expect(await listed(9, 'd')).toStrictEqual(['e']);
        expect(await listed(9, 'e')).toStrictEqual([]);
        expect(await listed(0)).toStrictEqual([]);
      }
    });

    it('due payments, the longest overdue first', async () => {
      await insert(
        ...minutes.map((minute) => aPayment({ id: `${minute}`, nextCheckAt: someTime + minute })),
        aPayment({ id: 'never' }),
      );
      const list = async (at: number, limit: number) =>
        answerOf(await store().payments.listDue(someTime + at, limit)).map(idOf);
      expect(await list(9, 3)).toStrictEqual(['1', '2', '3']);
      expect(await list(9, 9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(2, 9)).toStrictEqual(['1', '2']);
      expect(await list(0, 9)).toStrictEqual([]);
      expect(await list(9, 0)).toStrictEqual([]);
    });

    it('open payments of a business, the next to check first', async () => {
      const states = ['created', 'processing', 'authorized', 'failed', 'captured', 'canceled'];
      await insert(
        ...paymentStates.map((state) =>
          aPayment({ id: state, state, nextCheckAt: someTime + states.indexOf(state) }),
        ),
        aPayment({ id: 'elsewhere', businessId: 'business-2', nextCheckAt: someTime }),
        aPayment({ id: 'never' }),
      );
      const list = async (at: number, limit: number, business = 'business-1') =>
        answerOf(await store().payments.listOpen(business, someTime + at, limit)).map(idOf);
      expect(await list(9, 9)).toStrictEqual(['created', 'processing', 'authorized', 'failed']);
      expect(await list(9, 2)).toStrictEqual(['created', 'processing']);
      expect(await list(1, 9)).toStrictEqual(['created', 'processing']);
      expect(await list(9, 0)).toStrictEqual([]);
      expect(await list(9, 9, 'business-2')).toStrictEqual(['elsewhere']);
    });

    it("a payment as due by its last change's time", async () => {
      const later = someTime + 1000;
      await insert(aPayment({ nextCheckAt: someTime }));
      const update = (expectedVersion: number, over: Partial<Payment>): Change => {
        const payment = aPayment({ version: expectedVersion + 1, ...over });
        return { kind: 'updatePayment', expectedVersion, payment };
      };
      await given(update(1, { nextCheckAt: later }));
      expect(answerOf(await store().payments.listDue(someTime, 9))).toStrictEqual([]);
      expect(answerOf(await store().payments.listDue(later, 9))).toHaveLength(1);
      await given(update(2, {}));
      expect(answerOf(await store().payments.listDue(later, 9))).toStrictEqual([]);
    });

    it("a barber's newest terminals, oldest first", async () => {
      const terminals = minutes.map((minute) => {
        const name = `${minute}`;
        return aTerminal({ id: name, deviceIdentifier: name, createdAt: someTime + minute });
      });
      const other = aTerminal({ id: 'o', deviceIdentifier: 'o', barberId: 'other' });
      await given(
        ...[...terminals, other].map((terminal): Change => ({ kind: 'insertTerminal', terminal })),
      );
      const list = async (limit: number) =>
        answerOf(await store().terminals.listByBarber('barber-1', limit)).map(idOf);
      expect(await list(3)).toStrictEqual(['3', '4', '5']);
      expect(await list(9)).toStrictEqual(['1', '2', '3', '4', '5']);
      expect(await list(0)).toStrictEqual([]);
    });
  });

  it('lists what is due, and then what a wrong clock has written', async () => {
    const times = [
      someTime + longestWaitMs + 2,
      someTime,
      someTime + longestWaitMs + 1,
      someTime + 1,
    ];
    for (const [index, nextCheckAt] of times.entries()) {
      const over = { id: `${index}`, nextCheckAt };
      await given(write.payment(over), write.refund(over), write.setup(over));
    }
    const { payments, refunds, setups } = store();
    for (const [now, limit, ids] of [
      [someTime, 9, ['1', '2', '0']],
      [someTime, 2, ['1', '2']],
      [someTime, 1, ['1']],
      [someTime, 0, []],
      [someTime + 1, 9, ['1', '3', '0']],
      [someTime + 2, 9, ['1', '3']],
    ] as const) {
      expect(answerOf(await payments.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await refunds.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
      expect(answerOf(await setups.listDue(now, limit)).map(idOf)).toStrictEqual(ids);
    }
  });

  it('lists due setups, the longest overdue first, until they are removed', async () => {
    const setups = [3, 1, 2].map((minute) =>
      aSetup({ id: `${minute}`, nextCheckAt: someTime + minute }),
    );
    await given(...setups.map((setup): Change => ({ kind: 'insertSetup', setup })));
    const list = async (at: number, limit: number) =>
      answerOf(await store().setups.listDue(someTime + at, limit)).map(idOf);
    expect(await list(9, 9)).toStrictEqual(['1', '2', '3']);
    expect(await list(9, 2)).toStrictEqual(['1', '2']);
    expect(await list(2, 9)).toStrictEqual(['1', '2']);
    await given({ kind: 'deleteSetup', id: '1', expectedVersion: 1 });
    expect(await list(9, 9)).toStrictEqual(['2', '3']);
    expect(answerOf(await store().setups.get('1'))).toBeUndefined();
  });
}
