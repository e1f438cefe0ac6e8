import {
  type Call,
  type Caller,
  type Chairside,
  hourMs,
  type Problem,
  problemTypes,
  type ResultAsync,
  type Store,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { type Answer, refund, setup, terminal } from '../src/answer.ts';
import {
  givenAccount,
  givenOtherShop,
  givenPayoutPreferences,
  givenSchedule,
} from '../src/business.ts';
import { operations, type Request, type SpecOperation } from '../src/operations.ts';
import { people } from '../src/people.ts';
import {
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  phone,
  register,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// Every role, for every record, in every operation that takes a caller (D10, D58). The table is
// written down from the decisions; each response is compared with its cell. A role that is always
// refused gets the same response for every record, so it cannot tell which exist (D11).

const roles = {
  nobody: 'nobody',
  badToken: 'badToken',
  barber: 'ada',
  barberWithoutEntitlement: 'adaWithoutEntitlement',
  customer: 'customer',
  business: 'owner',
  administrator: 'administrator',
} as const;
type Role = keyof typeof roles;

/**
 * `own` is Ada's, who works in the owner's shop, or the shop's; `foreign` is Ben's or another
 * shop's; `absent` never existed, and `deleted` was once the own.
 */
const records = ['own', 'foreign', 'absent', 'deleted'] as const;
type RecordKind = (typeof records)[number];

/** A success by its status, a problem by its type; for `own`, `foreign`, `absent`, `deleted`. */
type Cell = 200 | 201 | 204 | Problem['type'];
type Row = readonly [Cell, Cell, Cell, Cell];
/** If the path names no record, there is only one cell. */
type Rows = Readonly<Record<Role, Row | readonly [Cell]>>;

const forbidden: Row = ['forbidden', 'forbidden', 'forbidden', 'forbidden'];
const unauthorized: Row = ['unauthorized', 'unauthorized', 'unauthorized', 'unauthorized'];
const entitlementMissing: Row = [
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
  'contactlessPaymentEntitlementMissing',
];

/** Only the callers in the row are permitted. */
const only = (allowed: Partial<Rows>): Rows => ({
  nobody: unauthorized,
  badToken: unauthorized,
  barber: forbidden,
  barberWithoutEntitlement: forbidden,
  customer: forbidden,
  business: forbidden,
  administrator: forbidden,
  ...allowed,
});
/** As above, for a path without a record. */
const onlyWithoutRecord = (allowed: Partial<Record<Role, Cell>>): Rows => ({
  nobody: ['unauthorized'],
  badToken: ['unauthorized'],
  barber: [allowed.barber ?? 'forbidden'],
  barberWithoutEntitlement: [allowed.barberWithoutEntitlement ?? 'forbidden'],
  customer: [allowed.customer ?? 'forbidden'],
  business: [allowed.business ?? 'forbidden'],
  administrator: [allowed.administrator ?? 'forbidden'],
});
const ofBusiness = (success: 200 | 201) =>
  only({
    business: [success, 'forbidden', 'notFound', success],
    administrator: [success, success, 'notFound', success],
  });
const bothBarbers = (row: Row) => only({ barber: row, barberWithoutEntitlement: row });

/** Of the payment's barber, its business or an administrator. */
const ofManagers = only({
  barber: [200, 'forbidden', 'notFound', 200],
  barberWithoutEntitlement: [200, 'forbidden', 'notFound', 200],
  business: [200, 'forbidden', 'notFound', 200],
  administrator: [200, 200, 'notFound', 200],
});

/** The operations that take a caller, by their types. */
type CallersOperation = {
  [Name in keyof Chairside]: Chairside[Name] extends (...input: infer Input) => unknown
    ? Input extends readonly [infer First, ...unknown[]]
      ? [First, Caller] extends [Caller, First]
        ? Name
        : never
      : never
    : never;
}[keyof Chairside];
/** Those that a host may serve on its own routes (D58). */
type HostOperation = Exclude<CallersOperation, SpecOperation>;
type Operation = SpecOperation | HostOperation;

const hostOperations: Readonly<
  Record<
    HostOperation,
    (chairside: Chairside, caller: Caller, id: string) => ResultAsync<unknown, Problem>
  >
> = {
  cancelContactlessPayment: (chairside, caller, contactlessPaymentId) =>
    chairside.cancelContactlessPayment(caller, { contactlessPaymentId }),
  getPaymentTimeline: (chairside, caller, contactlessPaymentId) =>
    chairside.getPaymentTimeline(caller, { contactlessPaymentId }),
  getReceipt: (chairside, caller, contactlessPaymentId) =>
    chairside.getReceipt(caller, { contactlessPaymentId }),
  getAppointmentLedger: (chairside, caller, appointmentId) =>
    chairside.getAppointmentLedger(caller, { appointmentId }),
  releaseTerminal: (chairside, caller, deviceIdentifier) =>
    chairside.releaseTerminal(caller, { deviceIdentifier }),
  readPaymentMethodSetup: (chairside, caller, paymentMethodSetupId) =>
    chairside.readPaymentMethodSetup(caller, { paymentMethodSetupId }),
};

/** A world whose host can remove records that Chairside's own store never removes. */
interface Shop extends World {
  readonly removed: Set<string>;
  readonly refunded: Map<RecordKind, { id: string; id2: string }>;
}

type Given = (shop: Shop, kind: RecordKind) => Promise<Request>;

const anAppointment: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent'), key: fresh('key') };
  const barber = kind === 'foreign' ? 'ben' : 'ada';
  const id = await givenAppointment(shop, { barber });
  if (kind === 'deleted') shop.removed.add(id);
  return { id, key: fresh('key') };
};

const aPayment: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const appointmentId = await givenAppointment(shop, { barber: as });
  const { id } = await givenPayment(shop, { appointmentId, as });
  if (kind === 'deleted') shop.removed.add(appointmentId);
  return { id };
};

const aPresentedPayment: Given = async (shop, kind) => {
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const appointmentId = await givenAppointment(shop, { barber: as });
  const { payment, reference } = await givenPresented(shop, { appointmentId, as });
  if (kind === 'deleted') shop.removed.add(appointmentId);
  return {
    id: kind === 'absent' ? fresh('absent') : payment.id,
    key: fresh('key'),
    body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
  };
};

/** A captured payment of the owner's shop, or of another one, with a refund. All callers share it. */
async function aRefunded(shop: Shop, kind: RecordKind): Promise<{ id: string; id2: string }> {
  const made = shop.refunded.get(kind);
  if (made !== undefined) return made;
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const appointmentId = await givenAppointment(shop, { business });
  const { payment } = await givenCaptured(shop, { appointmentId });
  const asked = { id: payment.id, key: fresh('key'), body: { amount: '1.00' } };
  const refunded = refund(await shop.send('refundPayment', 'administrator', asked), 201);
  if (kind === 'deleted') shop.removed.add(appointmentId);
  const ids = { id: payment.id, id2: refunded.id };
  shop.refunded.set(kind, ids);
  return ids;
}

const aPaymentToRefund: Given = async (shop, kind) => ({
  id: kind === 'absent' ? fresh('absent') : (await aRefunded(shop, kind)).id,
  key: fresh('key'),
  body: { amount: '1.00' },
});

const aPaymentWithRefunds: Given = async (shop, kind) => ({
  id: kind === 'absent' ? fresh('absent') : (await aRefunded(shop, kind)).id,
});

const aRefund: Given = async (shop, kind) =>
  kind === 'absent'
    ? { id: (await aRefunded(shop, 'own')).id, id2: fresh('absent') }
    : aRefunded(shop, kind);

const aTerminal: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'ben' : 'ada';
  const { id } = terminal(await register(shop, { as }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id };
};

const anAccount: Given = async (shop, kind) => {
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenAccount(shop, { businessId: id });
  if (kind === 'deleted') await shop.send('removeFinancialAccount', 'owner', { id, id2 });
  return { id, id2 };
};

const aSchedule: Given = async (shop, kind) => {
  const id = kind === 'foreign' ? 'ben' : 'ada';
  if (kind === 'absent') return { id, id2: fresh('absent') };
  const id2 = await givenSchedule(shop, id);
  if (kind === 'deleted') await shop.send('deleteBarberSchedule', 'ada', { id, id2 });
  return { id, id2 };
};

const payoutPreferences: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const id = kind === 'foreign' ? 'newShop' : 'shop';
  await givenPayoutPreferences(shop, id);
  if (kind === 'deleted') shop.removed.add(id);
  else shop.removed.delete(id);
  return { id };
};

/** Of Ada at the owner's shop, or of Ben at another one. */
const managed =
  (give: typeof givenPayment | typeof givenCapturedPayment): Given =>
  async (shop, kind) => {
    if (kind === 'absent') return { id: fresh('absent') };
    const as = kind === 'foreign' ? 'ben' : 'ada';
    const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
    const appointmentId = await givenAppointment(shop, { barber: as, business });
    const { id } = await give(shop, { appointmentId, as });
    if (kind === 'deleted') shop.removed.add(appointmentId);
    return { id };
  };

async function givenCapturedPayment(...given: Parameters<typeof givenCaptured>) {
  return (await givenCaptured(...given)).payment;
}

const anAppointmentOfShop: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const business = kind === 'foreign' ? await givenOtherShop(shop) : 'shop';
  const id = await givenAppointment(shop, { business });
  if (kind === 'deleted') shop.removed.add(id);
  return { id };
};

/** A phone that is registered for the owner's shop, or for Cleo's. */
const aDevice: Given = async (shop, kind) => {
  const deviceIdentifier = fresh('phone');
  if (kind === 'absent') return { id: deviceIdentifier };
  const as = kind === 'foreign' ? 'cleo' : 'ada';
  const { id } = terminal(await register(shop, { as, deviceIdentifier }), 201);
  if (kind === 'deleted') await shop.send('deleteTerminal', as, { id });
  return { id: deviceIdentifier };
};

const aSetup: Given = async (shop, kind) => {
  if (kind === 'absent') return { id: fresh('absent') };
  const as = kind === 'foreign' ? 'otherCustomer' : 'customer';
  const body = { savePaymentMethod: true };
  const { paymentMethodSetupId } = setup(await shop.send('preparePaymentMethod', as, { body }));
  if (kind === 'deleted') {
    shop.clock.advance(2 * hourMs);
    (await shop.chairside.reconcile())._unsafeUnwrap();
    (await shop.chairside.eraseCustomer({ customerId: 'customer' }))._unsafeUnwrap();
  }
  return { id: paymentMethodSetupId };
};

/**
 * For each operation a request that is valid except, perhaps, for its sender and its record; and its
 * rows.
 */
const table: Readonly<Record<Operation, readonly [Given, Rows]>> = {
  createContactlessPayment: [
    anAppointment,
    bothBarbers([201, 'forbidden', 'notFound', 'notFound']),
  ],
  listContactlessPayments: [anAppointment, bothBarbers([200, 'forbidden', 'notFound', 'notFound'])],
  // A payment is never deleted; `deleted` is its appointment, and the payment keeps its snapshot.
  getContactlessPayment: [aPayment, bothBarbers([200, 'forbidden', 'notFound', 200])],
  captureContactlessPayment: [
    aPresentedPayment,
    bothBarbers([200, 'forbidden', 'notFound', 'conflict']),
  ],
  registerTerminal: [
    async () => ({ body: { ...phone, deviceIdentifier: fresh('phone') } }),
    onlyWithoutRecord({
      barber: 201,
      barberWithoutEntitlement: 'contactlessPaymentEntitlementMissing',
    }),
  ],
  listTerminals: [
    async () => ({}),
    onlyWithoutRecord({ barber: 200, barberWithoutEntitlement: 200 }),
  ],
  getTerminal: [aTerminal, bothBarbers([200, 'forbidden', 'notFound', 'notFound'])],
  deleteTerminal: [aTerminal, bothBarbers([204, 'forbidden', 'notFound', 'notFound'])],
  createTerminalConnectionToken: [
    aTerminal,
    only({
      barber: [201, 'forbidden', 'notFound', 'notFound'],
      barberWithoutEntitlement: entitlementMissing,
    }),
  ],
  preparePaymentMethod: [
    async () => ({ body: { savePaymentMethod: true } }),
    onlyWithoutRecord({ customer: 200 }),
  ],
  removeFinancialAccount: [
    anAccount,
    only({ business: [204, 'forbidden', 'notFound', 'notFound'] }),
  ],
  deleteBarberSchedule: [
    aSchedule,
    only({
      barber: [204, 'forbidden', 'notFound', 'notFound'],
      barberWithoutEntitlement: [204, 'forbidden', 'notFound', 'notFound'],
      administrator: [204, 204, 'notFound', 'notFound'],
    }),
  ],
  listChallengeMethods: [
    async () => ({ query: { phoneNumber: '+4930901820' } }),
    onlyWithoutRecord({
      barber: 200,
      barberWithoutEntitlement: 200,
      customer: 200,
      business: 200,
      administrator: 200,
    }),
  ],
  getPayoutPreferences: [
    payoutPreferences,
    only({ business: [200, 'forbidden', 'notFound', 'notFound'] }),
  ],
  // `foreign` is another shop's; `deleted` is the appointment of the payment.
  refundPayment: [aPaymentToRefund, ofBusiness(201)],
  listRefunds: [aPaymentWithRefunds, ofBusiness(200)],
  getRefund: [aRefund, ofBusiness(200)],
  cancelContactlessPayment: [managed(givenPayment), ofManagers],
  getPaymentTimeline: [managed(givenPayment), ofManagers],
  getReceipt: [managed(givenCapturedPayment), ofManagers],
  // An administrator may ask about an appointment that is gone.
  getAppointmentLedger: [
    anAppointmentOfShop,
    only({
      business: [200, 'forbidden', 'notFound', 'notFound'],
      administrator: [200, 200, 200, 200],
    }),
  ],
  releaseTerminal: [
    aDevice,
    only({
      business: [204, 'forbidden', 'notFound', 'notFound'],
      administrator: [204, 204, 'notFound', 'notFound'],
    }),
  ],
  readPaymentMethodSetup: [
    aSetup,
    only({
      customer: [200, 'forbidden', 'notFound', 'notFound'],
      administrator: [200, 200, 'notFound', 'notFound'],
    }),
  ],
};

function withRemoved(real: Store, removed: ReadonlySet<string>): Store {
  const { appointments, payoutPreferences } = real;
  const unlessRemoved = <T>(id: string, found: T) => (removed.has(id) ? undefined : found);
  return {
    ...real,
    appointments: { get: (id) => appointments.get(id).map((found) => unlessRemoved(id, found)) },
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
  const result = await hostOperations[operation](chairside, caller, request.id ?? '');
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
  return name in operations;
}
const isOperation = (name: string): name is Operation => name in table;

describeEverywhere('the access matrix', (makeWorld, { transport }) => {
  const called = Object.keys(table)
    .filter(isOperation)
    .filter((name) => isSpecOperation(name) || transport === 'in process');

  it.each(called)('%s', async (operation) => {
    const removed = new Set<string>();
    const world = await makeWorld({ store: (real) => withRemoved(real, removed) });
    const shop: Shop = { ...world, removed, refunded: new Map() };
    const [given, expected] = table[operation];
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
