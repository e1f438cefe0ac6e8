import { type Call, problemTypes, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { type Cell, type Role, records, roles } from '../src/access.ts';
import type { Answer } from '../src/answer.ts';
import { givenOtherShop } from '../src/business.ts';
import type { Shop } from '../src/given-records.ts';
import { clientCases, hostCases } from '../src/operation-table.ts';
import type { Request, SpecOperation } from '../src/operations.ts';
import { people } from '../src/people.ts';
import { fresh, givenAppointment, givenPresented } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// Every role, for every record, in every operation that takes a caller (D10, D58). Each response is compared
// with its cell. A role that is always refused gets the same response for every record, so it cannot tell
// which exist (D11).

const table = { ...clientCases, ...hostCases };
type Operation = keyof typeof table;

function withRemoved(real: Store, removed: ReadonlySet<string>): Store {
  const { appointments, businesses, payoutPreferences } = real;
  const unlessRemoved = <T>(id: string, found: T) => (removed.has(id) ? undefined : found);
  return {
    ...real,
    appointments: { get: (id) => appointments.get(id).map((found) => unlessRemoved(id, found)) },
    businesses: { get: (id) => businesses.get(id).map((found) => unlessRemoved(id, found)) },
    payoutPreferences: {
      get: (id) => payoutPreferences.get(id).map((found) => unlessRemoved(id, found)),
    },
  };
}

type Reply = Pick<Answer, 'status' | 'text'>;

/** A success has a status alone, because only problems are compared. */
async function call(
  { chairside, send }: World,
  operation: Operation,
  role: Role,
  request: Request,
): Promise<Reply> {
  const person = roles[role];
  if (isSpecOperation(operation)) return send(operation, person, request);
  const stranger = person === 'nobody' || person === 'badToken';
  const caller: Call = {
    auth: person === 'badToken' ? 'rejectedToken' : stranger ? undefined : people[person],
    facts: {},
  };
  const result = await hostCases[operation].call(chairside, caller, request.id ?? '');
  return result.match(
    (value) => ({ status: value === undefined ? 204 : 200, text: '' }),
    (problem) => ({ status: problem.status, text: JSON.stringify(problem) }),
  );
}

function cellOf({ status, text }: Reply): string | number {
  if (status < 400) return status;
  const { type } = JSON.parse(text);
  const name = String(type).split('/').at(-1) ?? '';
  return Object.hasOwn(problemTypes, name) ? name : `${status} ${type}`;
}

/** A problem without the members that name its own request. */
function withoutRequest({ text }: Reply): unknown {
  const { id: _id, occurredAt: _at, instance: _instance, ...rest } = JSON.parse(text);
  return rest;
}

const refusals: readonly Cell[] = [
  'unauthorized',
  'forbidden',
  'contactlessPaymentEntitlementMissing',
];

function isSpecOperation(name: string): name is SpecOperation {
  return name in clientCases;
}
const isOperation = (name: string): name is Operation => name in table;

describeEverywhere('the access matrix (D10, D58)', (makeWorld, { transport }) => {
  const called = Object.keys(table)
    .filter(isOperation)
    .filter((name) => isSpecOperation(name) || transport === 'in process');

  it.each(called)('%s', async (operation) => {
    const removed = new Set<string>();
    const world = await makeWorld({ store: (real) => withRemoved(real, removed) });
    const shop: Shop = { ...world, removed, refunded: new Map() };
    const { given, access: expected } = table[operation];
    const answered: Record<string, (string | number)[]> = {};
    for (const role of Object.keys(roles).filter(isRole)) {
      const kinds = records.slice(0, expected.barber.length);
      const row: Reply[] = [];
      for (const kind of kinds) {
        const request = await given(shop, kind);
        row.push(await call(shop, operation, role, request));
      }
      answered[role] = row.map(cellOf);
      if (expected[role].every((cell) => refusals.includes(cell))) {
        const told = new Set(row.map((reply) => JSON.stringify(withoutRequest(reply))));
        expect(told.size, `${role} can tell records apart`).toBe(1);
      }
    }
    expect(answered).toEqual(expected);
  });
});

const ofPayments = [
  'getContactlessPayment',
  'captureContactlessPayment',
  'cancelContactlessPayment',
  'getPaymentTimeline',
] as const satisfies readonly Operation[];

// Opened by Ben at the owner's shop. The appointment is Ada's since then (D38).
describeEverywhere('a payment whose appointment has moved', (makeWorld, { transport }) => {
  const called = ofPayments.filter((name) => isSpecOperation(name) || transport === 'in process');

  it.each(called)('%s is for the present barber at the same business alone', async (operation) => {
    const world = await makeWorld();
    const id = await givenAppointment(world, { barber: 'ben' });
    const { payment, reference } = await givenPresented(world, { appointmentId: id, as: 'ben' });
    const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
    const isCapture = operation === 'captureContactlessPayment';
    const request = { id: payment.id, ...(isCapture && { key: fresh('key'), body }) };
    const answered: (string | number)[] = [];
    for (const business of [await givenOtherShop(world), 'shop']) {
      await givenAppointment(world, { id, barber: 'ada', business });
      answered.push(cellOf(await call(world, operation, 'barber', request)));
    }
    expect(answered).toEqual(['forbidden', 200]);
  });
});

function isRole(name: string): name is Role {
  return name in roles;
}
