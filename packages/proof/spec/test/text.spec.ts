import { expect, it } from 'vitest';
import { payment, problem, terminal } from '../src/answer.ts';
import { chargeBody } from '../src/charges.ts';
import { people } from '../src/people.ts';
import { capture, create, givenAppointment, givenPresented, register } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

const unstorable = {
  'U+0000': 'a\u0000b',
  'only U+0000': '\u0000',
  'the first half of a pair': 'a\ud83d',
  'the second half of a pair': '\ude00a',
  'a pair the wrong way round': '\ude00\ud83d',
};

describeEverywhere('text', (makeWorld, { transport }) => {
  for (const [name, text] of Object.entries(unstorable)) {
    it(`with ${name} is rejected`, async () => {
      const world = await makeWorld();
      const { payment: presented, reference } = await givenPresented(world);
      for (const field of ['deviceIdentifier', 'deviceModel', 'appVersion']) {
        const refused = problem(await register(world, { [field]: text }), 'badRequest');
        expect(refused.problems?.map(({ attributes }) => attributes)).toEqual([
          { pointer: `/${field}` },
        ]);
      }
      problem(await capture(world, presented.id, text), 'badRequest');
      problem(await capture(world, presented.id, reference + text), 'badRequest');
      expect(world.processor.entries().map(({ status }) => status)).toEqual(['authorized']);

      // Headers and paths cannot contain an unpaired surrogate.
      if (transport === 'in process') {
        const appointmentId = await givenAppointment(world);
        problem(await create(world, appointmentId, { key: text }), 'badRequest');
        problem(await create(world, text), 'notFound');
      } else if (text.isWellFormed()) problem(await create(world, text), 'notFound');
    });
  }

  it('in a path is not found, and neither is another kind of value (D1)', async () => {
    const { chairside } = await makeWorld();
    const [caller, key] = [{ ...people.ada, businessIds: ['shop'] }, { idempotencyKey: 'k' }];
    const externalPaymentReference = { id: 'fpi_1', paymentProcessor: 'processor_a' } as const;
    const number = 5n as never; // cast: a host without types
    for (const id of ['a\u0000b', '', number]) {
      const ended = [
        await chairside.createContactlessPayment(caller, { ...key, appointmentId: id }),
        await chairside.captureContactlessPayment(caller, {
          ...key,
          contactlessPaymentId: id,
          body: { externalPaymentReference },
        }),
        await chairside.chargePaymentMethod(caller, {
          ...key,
          appointmentId: id,
          body: chargeBody('pms_1'),
        }),
      ];
      const types = ended.map((result) => result._unsafeUnwrapErr().type);
      expect(types).toEqual(['notFound', 'notFound', 'notFound']);
    }
  });

  it('of any other kind is returned unchanged', async () => {
    const world = await makeWorld();
    const texts = ['😀', '\u0001\u007f', '\ufeff', '\uffff', 'é', 'é', ' x ', "'; --", '\\x00'];
    for (const deviceModel of texts) {
      const answer = await register(world, { deviceModel, platform: 'android' });
      expect(terminal(answer, 201)).toMatchObject({ deviceModel });
    }
    const long = '😀'.repeat(255);
    expect(terminal(await register(world, { deviceIdentifier: long }), 201)).toMatchObject({
      deviceIdentifier: long,
    });
    problem(await register(world, { deviceIdentifier: `${long}x` }), 'badRequest');
    const key = 'é'.repeat(transport === 'in process' ? 255 : 100);
    const created = await create(world, await givenAppointment(world), { key });
    payment(created, 201);
  });
});
