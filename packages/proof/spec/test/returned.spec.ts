import {
  type Chairside,
  hourMs,
  type Processor,
  type ProcessorDispute,
  type ProcessorRefund,
  type RawEvent,
  secondMs,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { deliverMessages, host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

function refund(chairside: Chairside, contactlessPaymentId: string, amount?: string) {
  const body = amount === undefined ? {} : { amount };
  return chairside.refundPayment(host, {
    contactlessPaymentId,
    idempotencyKey: fresh('refund'),
    body,
  });
}

async function refundsOf({ chairside }: World, contactlessPaymentId: string) {
  return (await chairside.listRefunds(host, { contactlessPaymentId }))._unsafeUnwrap();
}

/** The only message that waits. */
function takeMessage({ processor }: World): RawEvent {
  const [message] = processor.takeEvents()._unsafeUnwrap();
  if (message === undefined) throw new Error('The processor sent no message.');
  return message;
}

/** The events about refunds and disputes that the host receives. */
async function told(world: World) {
  const events = await delivered(world);
  return events.filter(({ type }) => /refund|dispute/.test(type));
}

/** The same processor, whose list of refunds differs. */
function listing(
  { processor: { refunds } }: World,
  change: (listed: readonly ProcessorRefund[]) => readonly ProcessorRefund[],
): Partial<Processor> {
  return { refunds: { ...refunds, list: (payment) => refunds.list(payment).map(change) } };
}

describeEverywhere('the refunds that a processor lists', (makeWorld) => {
  it('are ours by their mark, although their reply is not here yet', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    (await refund(world.chairside, payment.id, '5.00'))._unsafeUnwrap();
    await deliverMessages(world);
    world.processor.failNext('refund', 'landsLater');
    expect((await refund(world.chairside, payment.id, '10.00')).isErr()).toBe(true);
    world.processor.landAbandoned();
    await deliverMessages(world);
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    await deliverMessages(world);
    const { items, refundable } = await refundsOf(world, payment.id);
    expect(refundable).toBe('29.00');
    expect(items.map(({ amount, origin }) => `${amount} ${origin}`).toSorted()).toEqual([
      ...['1.00 elsewhere', '10.00 here', '5.00 here'],
    ]);
    const events = await told(world);
    const [there] = world.processor.entries();
    expect(events.map(({ data }) => data)).toMatchObject(
      ['5.00', '10.00', '1.00'].map((amount, index) => ({
        amount,
        processorReference: there?.refunds?.[index]?.id,
      })),
    );
  });

  it.each([
    [false, 'last'],
    [false, 'first'],
    [true, 'last'],
    [true, 'first'],
  ] as const)(
    'count twice and need a person, if two have one mark; with the reply: %s, the copy comes %s',
    async (isReplied, place) => {
      const world = await makeWorld();
      const { payment } = await givenCaptured(world);
      if (!isReplied) world.processor.failNext('refund', 'landsLater');
      expect((await refund(world.chairside, payment.id, '10.00')).isOk()).toBe(isReplied);
      world.processor.landAbandoned();
      const node = withProcessor(
        world,
        listing(world, (listed) =>
          listed.flatMap((one) => {
            const copy = { ...one, reference: `${one.reference}_again` };
            return place === 'last' ? [one, copy] : [copy, one];
          }),
        ),
      );
      await deliverMessages(world, node);
      await deliverMessages(world, node);
      expect(await refundsOf(world, payment.id)).toMatchObject({ count: 2, refundable: '25.00' });
      expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
        { reason: 'refundedTwice', contactlessPaymentId: payment.id },
      ]);
    },
  );

  it('count once although the processor lists each of them twice, as disputes do', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    const { disputes } = world.processor;
    const twice = <T>(items: readonly T[]) => [...items, ...items];
    const node = withProcessor(world, {
      ...listing(world, twice),
      disputes: { ...disputes, list: (of) => disputes.list(of).map(twice) },
    });
    world.processor.slowRefunds(true);
    (await refund(node, payment.id, '10.00'))._unsafeUnwrap();
    world.processor.slowRefunds(false);
    const [own = { id: '' }] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, own.id, 'succeeded').isOk()).toBe(true);
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    expect(world.processor.dispute(reference, 500n).isOk()).toBe(true);
    await deliverMessages(world, node);
    const { items, refundable } = await refundsOf(world, payment.id);
    expect(refundable).toBe('29.00');
    expect(items.map(({ amount, state }) => `${amount} ${state}`).toSorted()).toEqual([
      ...['1.00 succeeded', '10.00 succeeded'],
    ]);
    expect((await told(world)).map(({ data }) => data)).toMatchObject(
      ['10.00', '10.00', '1.00', '5.00'].map((amount) => ({ amount })),
    );
  });

  it('are not reported again if only their amount differs, which needs a person', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    expect((await refund(world.chairside, payment.id, '10.00')).isOk()).toBe(true);
    const node = withProcessor(
      world,
      listing(world, (listed) => listed.map((one) => ({ ...one, amountMinor: 900n }))),
    );
    await deliverMessages(world, node);
    expect((await refundsOf(world, payment.id)).refundable).toBe('36.00');
    expect(await told(world)).toMatchObject([{ data: { amount: '10.00' } }]);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'refundedAnotherAmount' },
    ]);
  });

  it('leave room for a refund as they are now, beside a dispute', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    for (const amount of ['10.00', '10.00']) {
      (await refund(world.chairside, payment.id, amount))._unsafeUnwrap();
    }
    expect(world.processor.dispute(reference, 1000n).isOk()).toBe(true);
    await deliverMessages(world);
    for (const { id } of world.processor.entries()[0]?.refunds ?? []) {
      expect(world.processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    }
    const tooMuch = (await refund(world.chairside, payment.id, '35.01'))._unsafeUnwrapErr();
    expect(tooMuch.attributes).toMatchObject({ refundable: '35.00' });
    expect((await refund(world.chairside, payment.id, '35.00')).isOk()).toBe(true);
  });
});

describeEverywhere('a message about a refund that is recorded', (makeWorld) => {
  it('is remembered, and changes no record', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    await deliverMessages(world);
    expect((await refund(world.chairside, payment.id)).isOk()).toBe(true);
    const before = (await world.store.payments.get(payment.id))._unsafeUnwrap();
    await deliverMessages(world);
    const commits = world.observations.filter(({ kind }) => kind === 'commit');
    expect(commits.at(-1)).toMatchObject({ changes: ['insertProcessorEvent'] });
    // A refund that finds all recorded writes its claim, and no commit before.
    expect((await refund(world.chairside, payment.id)).isErr()).toBe(true);
    expect(world.observations.filter(({ kind }) => kind === 'commit')).toEqual(commits);
    expect((await world.store.payments.get(payment.id))._unsafeUnwrap()).toEqual(before);
  });
});

describeEverywhere('a dispute at a processor without lists', (makeWorld) => {
  it('follows its messages by the times that they carry', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    await deliverMessages(world);
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    const respondBy = world.clock.now() + 240 * hourMs;
    const at = world.clock.now() - 60 * secondMs;
    const seen: {
      amountMinor: bigint;
      dispute: Omit<ProcessorDispute, 'reference' | 'amountMinor'> & { at: number };
    } = {
      amountMinor: 1500n,
      dispute: { state: 'open', at, respondBy },
    };
    const message = takeMessage(world);
    let count = 0;
    const node = withProcessor(world, {
      refunds: undefined,
      disputes: undefined,
      parseEvent: (event, now) =>
        world.processor.parseEvent(event, now).map((parsed) => {
          count += 1;
          return parsed.kind === 'dispute' ? { ...parsed, ...seen, id: `evt_${count}` } : parsed;
        }),
    });
    const receive = async () => (await node.receiveProcessorEvent(message))._unsafeUnwrap().outcome;
    expect(await receive()).toBe('applied');
    seen.amountMinor = 2000n;
    seen.dispute = { state: 'open', at: at + 10 * secondMs, respondBy };
    expect(await receive()).toBe('applied');
    expect((await refundsOf(world, payment.id)).refundable).toBe('25.00');
    seen.dispute = { state: 'won', at: at + 20 * secondMs };
    expect(await receive()).toBe('applied');
    expect((await refundsOf(world, payment.id)).refundable).toBe('45.00');
    const type = (name: string) => `contactlessPayment.${name}`;
    const due = new Date(respondBy).toISOString();
    expect(await told(world)).toMatchObject([
      { type: type('disputed'), data: { amount: '15.00', state: 'open', respondBy: due } },
      { type: type('disputeChanged'), data: { amount: '20.00', state: 'open', respondBy: due } },
      { type: type('disputeWon'), data: { amount: '20.00', state: 'won', respondBy: due } },
    ]);
  });

  it('says no deadline in its event, if the processor states none', async () => {
    const world = await makeWorld();
    const { reference } = await givenCaptured(world);
    const { disputes } = world.processor;
    const node = withProcessor(world, {
      disputes: {
        ...disputes,
        list: (payment) =>
          disputes
            .list(payment)
            .map((listed) => listed.map(({ respondBy: _none, reason: _noReason, ...one }) => one)),
      },
    });
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    await deliverMessages(world, node);
    const [event] = await told(world);
    expect(event?.data).not.toHaveProperty('respondBy');
    const [open] = (await world.chairside.listDisputes({ state: 'open' }))._unsafeUnwrap();
    expect(open).not.toHaveProperty('respondBy');
    expect(open).not.toHaveProperty('reason');
  });
});
