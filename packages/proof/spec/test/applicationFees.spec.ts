import { expect, it } from 'vitest';
import { problem } from '../src/answer.ts';
import { ada, captureInput, withLedger } from '../src/elsewhere.ts';
import { create, givenAppointment, givenPayment, givenPresented, stored } from '../src/shop.ts';
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
