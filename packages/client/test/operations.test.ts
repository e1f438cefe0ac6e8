import { optionalGroups, type Route, routes } from '@chairside/h3';
import { expect, it } from 'vitest';
import { chargeOperations } from '../src/charges.ts';
import { createClient } from '../src/index.ts';
import { operations } from '../src/operations.ts';
import { outgoing } from '../src/outgoing.ts';
import { receiptOperations } from '../src/receipts.ts';
import { refundOperations } from '../src/refunds.ts';
import { shareOperations } from '../src/shares.ts';
import { tenderOperations } from '../src/tenders.ts';
import { baseUrl, need, openShop } from './shop.ts';

const all = {
  ...operations,
  ...receiptOperations,
  ...refundOperations,
  ...chargeOperations,
  ...shareOperations,
  ...tenderOperations,
};
type Name = keyof typeof all;
type Table = Readonly<Record<Name, { route: string; problems: readonly string[] }>>;

/** An input whose ids are the names of the path's parameters, with the key and the body that the route has. */
function inputFor({ path, pathId = 'id', idempotencyKey, body }: Route) {
  const ids = [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) =>
    name === 'id' ? pathId : name,
  );
  return {
    ...Object.fromEntries(ids.map((id) => [id, `{${id}}`])),
    ...(idempotencyKey !== undefined && { idempotencyKey: 'k' }),
    ...(body !== undefined && { body: {} }),
  };
}

/** The differences between the client's requests and the service's routes. */
function differences(table: Table): string[] {
  const served = [...routes, ...Object.values(optionalGroups).flatMap((group) => group.routes)];
  return served.flatMap((route: Route) => {
    const name = route.operation;
    const sent = outgoing(table[name].route, inputFor(route));
    const [pathname = ''] = (sent?.path ?? '').split('?');
    const path = decodeURIComponent(pathname).replace(/{(business|barber)Id}/, '{id}');
    const common = ['unauthorized', 'tooManyRequests', 'internalError', 'serviceUnavailable'];
    const compared = {
      path: path === route.path,
      method: sent?.method === route.method,
      problems: `${table[name].problems}` === `${[...route.problems, ...common]}`,
    };
    return Object.entries(compared).flatMap(([what, isSame]) => (isSame ? [] : `${name}: ${what}`));
  });
}

it('sends each operation as the route table has it, and knows its problems', () => {
  expect(Object.keys(operations)).toEqual(routes.map(({ operation }) => operation));
  const tables = {
    refunds: refundOperations,
    receipts: receiptOperations,
    charges: chargeOperations,
    tenders: tenderOperations,
    shares: shareOperations,
  };
  for (const [name, table] of Object.entries(tables)) {
    const { routes: rows } = optionalGroups[name as keyof typeof tables]; // cast: a key of the tables
    expect(Object.keys(table)).toEqual(rows.map(({ operation }) => operation));
  }
  expect(differences(all)).toEqual([]);
});

it.each(Object.keys(all))('finds a mistake in the row of %s', (key) => {
  const name = key as Name; // cast: a key of the operations
  const { route, problems } = all[name];
  const found = (row: Partial<Table[Name]>) =>
    differences({ ...all, [name]: { route, problems, ...row } });
  expect(found({ route: `${route}s` })).toEqual([`${name}: path`]);
  expect(found({ route: route.replace(/^\w+/, 'PUT') })).toEqual([`${name}: method`]);
  expect(found({ problems: problems.slice(1) })).toEqual([`${name}: problems`]);
  expect(found({ problems: ['contentTooLarge', ...problems] })).toEqual([`${name}: problems`]);
});

it('takes a payment from create to capture, and reads it back', async () => {
  const shop = await openShop();
  const client = createClient({ baseUrl, fetch: shop.fetch, accessToken: () => 'ada' });
  const appointmentId = await shop.putAppointment('a/1 ä');
  const created = need(
    await client.createContactlessPayment({ appointmentId, idempotencyKey: 'create' }),
  );
  expect(created).toMatchObject({ state: 'created', amount: '45.00' });
  const tapped = need(shop.processor.presentCard(created.clientSecret, 'visa_credit'));
  const { externalPaymentReference } = tapped;
  const captured = need(
    await client.captureContactlessPayment({
      contactlessPaymentId: created.id,
      idempotencyKey: 'capture',
      body: { externalPaymentReference },
    }),
  );
  expect(captured).toMatchObject({ state: 'captured', card: { network: 'network_a' } });
  const read = need(await client.getContactlessPayment({ contactlessPaymentId: created.id }));
  expect(read).toEqual(captured);
  expect(need(await client.listContactlessPayments({ appointmentId })).count).toBe(1);
});

it('registers, lists, reads and deletes a terminal, and gets its tokens', async () => {
  const { fetch } = await openShop();
  const client = createClient({ baseUrl, fetch, accessToken: () => 'ada' });
  const body = { platform: 'ios', deviceIdentifier: 'phone' } as const;
  const terminal = need(await client.registerTerminal({ body }));
  const { id: terminalId } = terminal;
  expect(need(await client.getTerminal({ terminalId }))).toEqual(terminal);
  expect(need(await client.listTerminals())).toEqual({ items: [terminal], count: 1 });
  expect(need(await client.createTerminalConnectionToken({ terminalId })).clientSecret).not.toBe(
    '',
  );
  need(await client.deleteTerminal({ terminalId }));
  const gone = await client.getTerminal({ terminalId });
  expect('error' in gone && gone.error).toMatchObject({ type: 'notFound', status: 404 });
});

it('calls the other operations', async () => {
  const { fetch, chairside } = await openShop();
  const { records } = chairside;
  const account = { businessId: 'shop', bankName: 'Bank', currency: 'eur', isDefault: false };
  need(await records.putFinancialAccount({ ...account, id: 'fa', maskedAccountNumber: '*1234' }));
  need(
    await records.putSchedule({
      id: 'sch',
      barberId: 'ada',
      name: 'Winter',
      hours: [{ day: 'monday', from: '09:00', to: '17:00' }],
    }),
  );
  const settings = { frequency: 'daily', delayDays: 2 } as const;
  need(await records.putPayoutPreferences({ businessId: 'shop', settings }));
  const as = (token: string) => createClient({ baseUrl, fetch, accessToken: () => token });

  const setup = need(await as('kim').preparePaymentMethod({ body: { savePaymentMethod: false } }));
  expect(setup).toMatchObject({ paymentMethodReuseAuthorized: false });
  const query = { phoneNumber: '+49 30 901820' };
  expect(need(await as('kim').listChallengeMethods({ query })).items).toEqual([{ label: 'sms' }]);
  expect(need(await as('owner').getPayoutPreferences({ businessId: 'shop' }))).toEqual({
    settings,
  });
  need(await as('owner').removeFinancialAccount({ businessId: 'shop', accountId: 'fa' }));
  need(await as('ada').deleteBarberSchedule({ barberId: 'ada', scheduleId: 'sch' }));
});
