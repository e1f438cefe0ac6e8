import { type Change, emptyLedger } from '@chairside/core/ports';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { always, answerOf, ledgerMove, type StoreSuite } from './suite.ts';

/** An appointment's sums, and their bounds (D13). */
export function ledgersContract(suite: StoreSuite): void {
  const { store, nextId, commit, given, refuses } = suite;

  describe('a ledger', () => {
    it('adds its moves exactly', () =>
      always(fc.array(moves(true), { maxLength: 12 }), async (drawn) => {
        const appointmentId = nextId();
        let expected = emptyLedger(appointmentId);
        for (const move of drawn) {
          const after = {
            appointmentId,
            capturedMinor: expected.capturedMinor + move.capturedMinor,
            reservedMinor: expected.reservedMinor + move.reservedMinor,
            tenderedMinor: (expected.tenderedMinor ?? 0n) + (move.tenderedMinor ?? 0n),
            tipsMinor: (expected.tipsMinor ?? 0n) + (move.tipsMinor ?? 0n),
            openPayments: expected.openPayments + move.openPayments,
          };
          const { tenderedMinor, tipsMinor, ...others } = after;
          const amounts = [after.reservedMinor, after.capturedMinor, tenderedMinor];
          if (after.openPayments < 0 || [...amounts, tipsMinor].some((minor) => minor < 0n)) {
            continue;
          }
          const committed = amounts.reduce((sum, minor) => sum + minor, 0n);
          const { maxOpenPayments = Infinity, maxCommittedMinor = 10n ** 18n } = move;
          const { currency = move.currency } = expected;
          const isFree = committed === 0n;
          const fits =
            (currency === move.currency || move.maxCommittedMinor === undefined) &&
            after.openPayments <= maxOpenPayments &&
            committed <= maxCommittedMinor &&
            tipsMinor <= (move.maxTipsMinor ?? tipsMinor) &&
            after.capturedMinor + tenderedMinor >= (move.minPaidMinor ?? 0n);
          const answer = await commit({ ...move, kind: 'moveLedger', appointmentId });
          expect(answer.isOk()).toBe(fits);
          const more = {
            ...(tenderedMinor > 0n && { tenderedMinor }),
            ...(tipsMinor > 0n && { tipsMinor }),
          };
          if (fits) expected = { ...others, ...more, ...(!isFree && { currency }) };
          expect(answerOf(await store().ledgers.get(appointmentId))).toStrictEqual(expected);
        }
      }));

    it('never exceeds its bounds under concurrent moves', () =>
      always(fc.array(moves(false), { minLength: 2, maxLength: 20 }), async (drawn) => {
        const appointmentId = nextId();
        const bounds = { maxOpenPayments: 5, maxCommittedMinor: 10_000n };
        const answers = await Promise.all(
          drawn.map((move) => commit({ ...move, ...bounds, kind: 'moveLedger', appointmentId })),
        );
        const applied = drawn.filter((_, index) => answers[index]?.isOk());
        const total = answerOf(await store().ledgers.get(appointmentId));
        const { currency: _currency, ...sums } = total;
        const tenderedMinor = applied.reduce((sum, move) => sum + (move.tenderedMinor ?? 0n), 0n);
        const tipsMinor = applied.reduce((sum, move) => sum + (move.tipsMinor ?? 0n), 0n);
        expect(sums).toStrictEqual({
          appointmentId,
          capturedMinor: applied.reduce((sum, move) => sum + move.capturedMinor, 0n),
          reservedMinor: applied.reduce((sum, move) => sum + move.reservedMinor, 0n),
          ...(tenderedMinor > 0n && { tenderedMinor }),
          ...(tipsMinor > 0n && { tipsMinor }),
          openPayments: applied.reduce((sum, move) => sum + move.openPayments, 0),
        });
        expect(total.openPayments).toBeLessThanOrEqual(5);
        expect(total.capturedMinor + total.reservedMinor + tenderedMinor <= 10_000n).toBe(true);
      }));

    it('accepts moves up to its bounds, and not beyond', async () => {
      const bounds = { maxOpenPayments: 1, maxCommittedMinor: 999_999_999_999_999n };
      await given(ledgerMove({ ...bounds, openPayments: 1, capturedMinor: 999_999_999_999_998n }));
      await given(ledgerMove({ ...bounds, reservedMinor: 1n }));
      await refuses('moveLedger', ledgerMove({ ...bounds, reservedMinor: 1n }));
      await refuses('moveLedger', ledgerMove({ ...bounds, openPayments: 1 }));
      expect(answerOf(await store().ledgers.get('appointment-1'))).toStrictEqual({
        appointmentId: 'appointment-1',
        capturedMinor: 999_999_999_999_998n,
        reservedMinor: 1n,
        openPayments: 1,
        currency: 'eur',
      });
    });

    it('accepts one move that reaches its bounds alone', async () => {
      const bounds = { maxOpenPayments: 1, maxCommittedMinor: 100n };
      await given(ledgerMove({ ...bounds, openPayments: 1, reservedMinor: 100n }));
      expect(answerOf(await store().ledgers.get('appointment-1')).reservedMinor).toBe(100n);
    });

    it('gives its one slot to one charge, until that frees it (D49)', async () => {
      const slot = (chargeId: string, move: 'claim' | 'keep' | 'free'): Change => {
        return { kind: 'moveSlot', appointmentId: 'appointment-1', chargeId, move };
      };
      const holder = async () =>
        answerOf(await store().ledgers.get('appointment-1')).chargeId ?? 'nobody';
      const opened = ledgerMove({ openPayments: 1, reservedMinor: 5n });
      await given(opened, slot('chg_1', 'claim'));
      for (const chargeId of ['chg_2', 'chg_1']) {
        await refuses('moveSlot', opened, slot(chargeId, 'claim'));
      }
      await given(slot('chg_1', 'keep'), slot('chg_2', 'keep'), slot('chg_2', 'free'));
      expect(await holder()).toBe('chg_1');
      // Sums and slot move apart.
      await given(ledgerMove({ openPayments: -1, reservedMinor: -5n }));
      expect(answerOf(await store().ledgers.get('appointment-1'))).toStrictEqual({
        ...emptyLedger('appointment-1'),
        chargeId: 'chg_1',
      });
      await given(slot('chg_1', 'free'));
      expect(await holder()).toBe('nobody');
      await given(slot('chg_1', 'free'), slot('chg_2', 'keep'));
      expect(await holder()).toBe('chg_2');
      await given(slot('chg_2', 'free'), slot('chg_1', 'claim'));
      expect(await holder()).toBe('chg_1');
    });

    it('gives its slot to one of many that ask at once (D49)', async () => {
      const appointmentId = 'appointment-1';
      const opened = ledgerMove({ openPayments: 1 });
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          commit(opened, { kind: 'moveSlot', appointmentId, chargeId: `${index}`, move: 'claim' }),
        ),
      );
      const applied = answers.findIndex((answer) => answer.isOk());
      expect(answers.filter((answer) => answer.isOk())).toHaveLength(1);
      expect(answerOf(await store().ledgers.get(appointmentId))).toMatchObject({
        openPayments: 1,
        chargeId: `${applied}`,
      });
    });

    it('keeps a sum of many large amounts exactly', async () => {
      const move = ledgerMove({ capturedMinor: 999_999_999_999_999n });
      for (let count = 0; count < 11; count += 1) await given(move);
      const { capturedMinor } = answerOf(await store().ledgers.get('appointment-1'));
      expect(capturedMinor).toBe(11n * 999_999_999_999_999n);
    });

    it('has the currency of its sums, and none while they are zero (D39)', async () => {
      const currency = async () =>
        answerOf(await store().ledgers.get('appointment-1')).currency ?? 'none';
      const bound = { maxCommittedMinor: 100n };
      await given(ledgerMove({ openPayments: 1 }));
      expect(await currency()).toBe('none');
      await given(ledgerMove({ ...bound, reservedMinor: 40n, currency: 'usd' }));
      await given(ledgerMove({ ...bound, reservedMinor: 10n, currency: 'usd' }));
      expect(await currency()).toBe('usd');
      await refuses('moveLedger', ledgerMove({ ...bound, reservedMinor: 1n }));
      await given(ledgerMove({ reservedMinor: -50n, currency: 'usd' }));
      expect(await currency()).toBe('none');
      await given(ledgerMove({ ...bound, reservedMinor: 1n }));
      expect(await currency()).toBe('eur');
      // Equal sums are not zero together.
      await given(ledgerMove({ capturedMinor: 1n }));
      await refuses('moveLedger', ledgerMove({ ...bound, reservedMinor: 1n, currency: 'usd' }));
      await given(ledgerMove({ openPayments: 1, currency: 'usd' }));
      expect(await currency()).toBe('eur');
      await given(ledgerMove({ capturedMinor: -1n }));
      await given(ledgerMove({ reservedMinor: -1n, capturedMinor: 1n }));
      await given(ledgerMove({ capturedMinor: 5n, currency: 'usd' }));
      expect(await currency()).toBe('eur');
    });
  });
}

/** Moves of either sign, or increases only. */
function moves(eitherSign: boolean) {
  const sign = eitherSign ? -1 : 0;
  const amount = fc.bigInt({ min: BigInt(sign) * 3000n, max: 5000n });
  return fc.record(
    {
      openPayments: fc.integer({ min: sign, max: 2 }),
      reservedMinor: amount,
      capturedMinor: amount,
      tenderedMinor: amount,
      tipsMinor: amount,
      maxOpenPayments: fc.integer({ min: 0, max: 6 }),
      maxCommittedMinor: fc.bigInt({ min: 0n, max: 20_000n }),
      maxTipsMinor: fc.bigInt({ min: 0n, max: 6000n }),
      minPaidMinor: fc.bigInt({ min: 0n, max: 6000n }),
      currency: fc.constantFrom('eur', 'usd'),
    },
    { requiredKeys: ['openPayments', 'reservedMinor', 'capturedMinor', 'currency'] },
  );
}
