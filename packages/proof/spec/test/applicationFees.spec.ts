import { createChairside, okAsync, type Processor, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem } from '../src/answer.ts';
import { ada, captureInput, host, withLedger } from '../src/elsewhere.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  stored,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const account = { id: 'acct_shop', currency: 'eur' };

function putFee(
  { chairside }: World,
  applicationFee: { fixedMinor?: bigint; currency?: string; basisPoints?: number },
) {
  return chairside.records.putBusiness({
    id: 'shop',
    name: 'Marlow & Sons',
    processorAccount: account,
    applicationFee,
  });
}

const fees = ({ processor }: World) => processor.entries().map((entry) => entry.applicationFee);

describeEverywhere('a fee of the platform (D46)', (makeWorld) => {
  it('is frozen when the payment is opened', async () => {
    const world = await makeWorld();
    expect((await putFee(world, { basisPoints: 290 })).isOk()).toBe(true);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    const appointmentId = await givenAppointment(world);
    await create(world, appointmentId, { key: 'k' });
    expect((await putFee(world, { basisPoints: 1000 })).isOk()).toBe(true);
    const opened = await givenPayment(world, { appointmentId, key: 'k' });
    expect((await stored(world, opened.id)).applicationFeeMinor).toBe(131n);
    expect(fees(world)).toEqual(['1.31']);
  });

  it('of zero is not sent', async () => {
    const world = await makeWorld();
    expect((await putFee(world, { basisPoints: 0 })).isOk()).toBe(true);
    const opened = await givenPayment(world);
    expect(await stored(world, opened.id)).not.toHaveProperty('applicationFeeMinor');
    expect(fees(world)).toEqual([undefined]);
  });

  it('in another currency is refused, and so is one that makes no sense', async () => {
    const world = await makeWorld();
    const other = await putFee(world, { fixedMinor: 30n, currency: 'usd' });
    expect(other._unsafeUnwrapErr().status).toBe(422);
    expect((await putFee(world, { fixedMinor: 30n }))._unsafeUnwrapErr().status).toBe(422);
    for (const fee of [{ fixedMinor: -1n, currency: 'eur' }, { basisPoints: 10_001 }]) {
      expect((await putFee(world, fee))._unsafeUnwrapErr().status).toBe(400);
    }
    const { store, clock } = world;
    const business = {
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: account,
      applicationFee: { fixedMinor: 30n, currency: 'usd' },
    };
    const changes = [{ kind: 'putBusiness', business }] as const;
    const written = await store.commit({ id: 'cmt_other', at: clock.now(), changes });
    expect(written.isOk()).toBe(true);
    const refused = await create(world, await givenAppointment(world));
    expect(problem(refused, 'unprocessableEntity').status).toBe(422);
    expect(fees(world)).toEqual([]);
  });

  it.each([
    ['stays with the platform by default', 290, undefined, [false, true]],
    ['is returned if the business wants it', 290, [true, false], [true, false]],
    ['is not returned if the payment has none', 0, [true, true], [false, true]],
    ['stays with the platform if the business is gone', 290, 'gone', [false, true]],
  ] as const)('%s, when the payment is refunded', async (_, basisPoints, policy, asked) => {
    const world = await makeWorld();
    expect((await putFee(world, { basisPoints })).isOk()).toBe(true);
    const { payment } = await givenCaptured(world);
    if (Array.isArray(policy)) {
      const [returnsFee, reversesTransfer] = policy;
      const refundPolicy = { returnsFee, reversesTransfer };
      const business = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
      const put = await world.chairside.records.putBusiness({ ...business, refundPolicy });
      expect(put.isOk()).toBe(true);
    }
    const sent: unknown[] = [];
    const { refunds } = world.processor;
    const processor: Processor = {
      ...world.processor,
      refunds: {
        ...refunds,
        refund(request) {
          sent.push([request.returnsFee, request.reversesTransfer]);
          return refunds.refund(request);
        },
      },
    };
    const { clock, store: real } = world;
    const store: Store =
      policy === 'gone'
        ? { ...real, businesses: { ...real.businesses, get: () => okAsync(undefined) } }
        : real;
    const node = createChairside({ store, processor, clock });
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key'), body: {} };
    expect((await node.refundPayment(host, input)).isOk()).toBe(true);
    expect(sent).toEqual([asked]);
  });

  it('is not captured where the processor shows another fee', async () => {
    const world = await makeWorld();
    expect((await putFee(world, { basisPoints: 290 })).isOk()).toBe(true);
    const { payment, reference } = await givenPresented(world);
    const other = withLedger(world, (seen) => ({ ...seen, applicationFeeMinor: 0n }));
    const refused = await other.captureContactlessPayment(ada, captureInput(payment.id, reference));
    expect(refused._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'differsAtProcessor' });
    const captured = await world.chairside.captureContactlessPayment(
      ada,
      captureInput(payment.id, reference),
    );
    expect(captured.isOk()).toBe(true);
  });
});
