import type { CloudEvent } from '@chairside/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  capture,
  create,
  givenAppointment,
  openShop,
  paymentOf,
  present,
  type Shop,
  type ShopOptions,
  takenMinor,
  untilFinal,
} from './shop.ts';

/** A longer storm runs by a command: see `pnpm storm`. */
const repeats = Number(process.env['CHAIRSIDE_STORM'] ?? 1) - 1;

let shop: Shop;
afterEach(() => shop.close());

async function given(options?: ShopOptions): Promise<string> {
  shop = await openShop(options);
  return givenAppointment(shop, 'haircut');
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

async function ledger() {
  const read = await shop.nodes[0]?.store.ledgers.get('haircut');
  return read?._unsafeUnwrap();
}

describe('at four nodes at once', { repeats }, () => {
  it('1,000 clients with one key have one effect, and all successes are identical', async () => {
    const appointmentId = await given();
    const answers = await Promise.all(
      times(1000, () => create(shop.next(), appointmentId, 'the same')),
    );
    const retried = await Promise.all(
      answers.map((answer) =>
        'ok' in answer ? answer : untilFinal(() => create(shop.next(), appointmentId, 'the same')),
      ),
    );
    const bodies = new Set(retried.map((answer) => JSON.stringify(paymentOf(answer))));
    expect(bodies.size).toBe(1);
    expect(shop.processor.entries()).toHaveLength(1);
    expect(await ledger()).toMatchObject({ openPayments: 1, reservedMinor: 0n });
  });

  it('64 captures of one busy appointment charge it once', async () => {
    const appointmentId = await given();
    const opened = [];
    for (let index = 0; index < 16; index += 1) {
      opened.push(paymentOf(await create(shop.next(), appointmentId, `open ${index}`)));
    }
    const presented = opened.map((payment) => ({ payment, reference: present(shop, payment) }));
    const answers = await Promise.all(
      times(64, (index) => {
        const { payment, reference } = presented[index % 16] ?? presented[0] ?? never();
        const key = `capture ${index}`;
        return untilFinal(() => capture(shop.next(), payment, reference, key));
      }),
    );
    for (const node of shop.nodes) await node.chairside.settled();
    expect(takenMinor(shop)).toBe(4500n);
    const captured = answers.flatMap((answer) => ('ok' in answer ? [answer.ok.id] : []));
    expect(new Set(captured).size).toBe(1);
    expect(captured.length).toBeGreaterThanOrEqual(1);
    expect(await ledger()).toMatchObject({ capturedMinor: 4500n, reservedMinor: 0n });
  });

  it('deliver every event, those of one payment in order', async () => {
    const appointmentId = await given();
    const payment = paymentOf(await create(shop.next(), appointmentId, 'open'));
    paymentOf(await capture(shop.next(), payment, present(shop, payment), 'capture'));
    for (let index = 0; index < 10; index += 1) {
      paymentOf(await create(shop.next(), await givenAppointment(shop, `${index}`), `${index}`));
    }
    const received: CloudEvent[] = [];
    const handle = async (event: CloudEvent) => {
      received.push(event);
    };
    for (let round = 0; round < 5; round += 1) {
      const reports = await Promise.all(
        shop.nodes.map(({ chairside }) => chairside.events.deliver(handle)),
      );
      for (const report of reports) report._unsafeUnwrap();
    }
    const ids = received.map(({ id }) => id);
    // All calls succeeded here, so once is enough.
    expect(new Set(ids).size).toBe(ids.length);
    const types = received.filter(({ subject }) => subject === payment.id).map(({ type }) => type);
    expect(types).toStrictEqual([
      'contactlessPayment.created',
      'contactlessPayment.authorized',
      'contactlessPayment.captured',
    ]);
    expect(received).toHaveLength(13);
  }, 30_000);

  it('reconcile the same payment, and one of them records', async () => {
    const appointmentId = await given({ aheadMs: [0, 3000, -3000, 5000] });
    const payment = paymentOf(await create(shop.next(), appointmentId, 'open'));
    shop.clock.advance(16 * 60_000);
    const reports = await Promise.all(shop.nodes.map(({ chairside }) => chairside.reconcile()));
    for (const report of reports) report._unsafeUnwrap();
    const stored = (await shop.nodes[0]?.store.payments.get(payment.id))?._unsafeUnwrap();
    expect(stored?.state).toBe('canceled');
    expect(stored?.timeline.filter(({ what }) => /canceled/.test(what))).toHaveLength(1);
    expect(await ledger()).toMatchObject({ openPayments: 0 });
  }, 30_000);
});

describe('two nodes whose clocks are five seconds apart', () => {
  it.each([
    ['ahead', [5000, 0]],
    ['behind', [0, 5000]],
  ])(
    'charge once if the first one is %s',
    async (_which, aheadMs) => {
      const appointmentId = await given({ nodes: 2, aheadMs });
      const [first, second] = shop.nodes;
      if (first === undefined || second === undefined) throw new Error('There are two nodes');
      const opened = await create(first.chairside, appointmentId, 'open');
      expect(await create(second.chairside, appointmentId, 'open')).toStrictEqual(opened);
      const payment = paymentOf(opened);
      const reference = present(shop, payment);

      shop.processor.failNext('capturePayment', 'slowReply');
      const running = capture(first.chairside, payment, reference, 'capture');
      while (takenMinor(shop) === 0n) await new Promise((resolve) => setImmediate(resolve));
      // The other node's clock does not end a running lease, nor does its timer.
      const joined = await capture(second.chairside, payment, reference, 'capture');
      expect(joined).toMatchObject({ problem: { attributes: { reason: 'running' } } });
      (await second.chairside.reconcile())._unsafeUnwrap();
      shop.processor.release();
      expect(paymentOf(await running).state).toBe('captured');
      const again = await capture(second.chairside, payment, reference, 'capture');
      expect(again).toStrictEqual(await running);

      const received: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        shop.clock.advance(10_000);
        for (const { chairside } of shop.nodes) {
          const handler = async ({ type }: CloudEvent) => void received.push(type);
          (await chairside.events.deliver(handler))._unsafeUnwrap();
        }
      }
      expect(received.map((type) => type.split('.').at(-1))).toStrictEqual([
        'created',
        'authorized',
        'captured',
      ]);
      expect(takenMinor(shop)).toBe(4500n);
      expect(await ledger()).toMatchObject({ capturedMinor: 4500n, reservedMinor: 0n });
    },
    30_000,
  );
});

describe('a node that dies or pauses in the middle', () => {
  it('is replaced, and writes no change when it continues', async () => {
    const appointmentId = await given({ nodes: 2, aheadMs: [0, 4000] });
    const [sleeper, other] = shop.nodes;
    if (sleeper === undefined || other === undefined) throw new Error('There are two nodes');
    const payment = paymentOf(await create(sleeper.chairside, appointmentId, 'open'));
    const reference = present(shop, payment);
    shop.processor.failNext('capturePayment', 'slowReply');
    // The money is taken, and the node pauses before it receives the reply.
    const asleep = capture(sleeper.chairside, payment, reference, 'capture');
    while (takenMinor(shop) === 0n) await new Promise((resolve) => setImmediate(resolve));

    const tooEarly = await capture(other.chairside, payment, reference, 'capture');
    expect(tooEarly).toMatchObject({ problem: { attributes: { reason: 'running' } } });
    shop.clock.advance(2 * 60_000);
    const taken = await capture(other.chairside, payment, reference, 'capture');
    expect(paymentOf(taken).state).toBe('captured');
    const before = (await other.store.payments.get(payment.id))._unsafeUnwrap();

    shop.processor.release();
    expect(await asleep).toStrictEqual(taken);
    const after = (await other.store.payments.get(payment.id))._unsafeUnwrap();
    expect(after).toStrictEqual(before);
    expect(takenMinor(shop)).toBe(4500n);
    expect(await ledger()).toMatchObject({ capturedMinor: 4500n, reservedMinor: 0n });
  }, 30_000);

  it('is finished by the timer of another', async () => {
    const appointmentId = await given({ nodes: 2 });
    const [dead, other] = shop.nodes;
    if (dead === undefined || other === undefined) throw new Error('There are two nodes');
    const payment = paymentOf(await create(dead.chairside, appointmentId, 'open'));
    const reference = present(shop, payment);
    shop.processor.failNext('capturePayment', 'slow');
    void capture(dead.chairside, payment, reference, 'capture');
    const count = () => shop.processor.count('capturePayment').made;
    while (count() === 0) await new Promise((resolve) => setImmediate(resolve));
    shop.clock.advance(2 * 60_000);
    for (let round = 0; round < 3; round += 1) {
      (await other.chairside.reconcile())._unsafeUnwrap();
      shop.clock.advance(60_000);
    }
    shop.processor.release();
    const again = await untilFinal(() => capture(other.chairside, payment, reference, 'capture'));
    expect(paymentOf(again).state).toBe('captured');
    expect(takenMinor(shop)).toBe(4500n);
  }, 30_000);
});

function never(): never {
  throw new Error('There is one');
}
