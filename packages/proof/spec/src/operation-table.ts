import type {
  Caller,
  Chairside,
  ClientOperation,
  CommonProblem,
  Problem,
  ProblemType,
  ResultAsync,
} from '@chairside/core';
import {
  bothBarbers,
  entitlementMissing,
  ofAppointmentsBusiness,
  ofAppointmentsManagers,
  ofBusiness,
  ofBusinesses,
  ofManagers,
  ofTendersManagers,
  only,
  onlyWithoutRecord,
  type Rows,
} from './access.ts';
import { type Answer, terminal } from './answer.ts';
import { givenAccount, givenSchedule, withSchedulesInUse } from './business.ts';
import { charge, givenBooking } from './charges.ts';
import {
  aBusiness,
  aCharge,
  aDevice,
  anAccount,
  anAppointment,
  anAppointmentOfShop,
  anAppointmentToCharge,
  anAppointmentWithTenders,
  anOverpaidAppointment,
  aPayment,
  aPaymentToRefund,
  aPaymentToShare,
  aPaymentWithRefunds,
  aPresentedPayment,
  aRefund,
  aRefusedCharge,
  aSchedule,
  aSetup,
  aTender,
  aTenderToReturn,
  aTerminal,
  aVisit,
  type Given,
  givenCapturedPayment,
  managed,
  payoutPreferences,
} from './given-records.ts';
import type { Request } from './operations.ts';
import { share } from './shares.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  phone,
  register,
  until,
} from './shop.ts';
import { giveBack, givenTender, pay } from './tenders.ts';
import type { World, WorldOptions } from './world.ts';

// Each operation for every caller, record and problem. `everyOperation.spec` runs it.
// It is written down from the decisions: no response in it is derived from the code.

/** Who may call an operation, for which records. */
interface AccessCase {
  /** A request that is valid except, perhaps, for its sender and its record. */
  readonly given: Given;
  readonly access: Rows;
}

export type Scenario = (
  world: World,
  makeWorld: (options?: WorldOptions) => Promise<World>,
) => Promise<Answer>;

/** The problems that each operation of clients returns, by the core's types. */
type ProblemsOf<O extends ClientOperation> =
  ReturnType<Chairside[O]> extends ResultAsync<unknown, infer E extends Problem>
    ? E['type']
    : never;

/** Access to an operation of clients, and a scenario for each problem of its own. */
export interface ClientCase<T extends ProblemType> extends AccessCase {
  /** A well-formed request for records that do not exist. Default: the given one for an absent record. */
  readonly request?: Request;
  /** By default a caller without the role is forbidden, and the record of the request is not found. */
  readonly problems: Readonly<
    Record<Exclude<T, CommonProblem | 'forbidden' | 'notFound'>, Scenario>
  > & {
    readonly [Type in 'forbidden' | 'notFound']?: Scenario;
  };
}

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

/** Access to an operation that a host may serve on its own routes (D58). */
interface HostCase extends AccessCase {
  readonly call: (
    chairside: Chairside,
    caller: Caller,
    id: string,
  ) => ResultAsync<unknown, Problem>;
}

async function givenTerminal(world: World, as: 'ada' | 'cleo' = 'ada'): Promise<string> {
  return terminal(await register(world, { as }), 201).id;
}

const preparation = { body: { savePaymentMethod: true } };

function prepare({ send }: World): Promise<Answer> {
  return send('preparePaymentMethod', 'customer', { ...preparation, key: 'key' });
}

/** The compiler requires an entry of each operation, and a scenario of each problem. */
export const clientCases: { readonly [O in ClientOperation]: ClientCase<ProblemsOf<O>> } = {
  createContactlessPayment: {
    given: anAppointment,
    access: bothBarbers([201, 'forbidden', 'notFound', 'notFound']),
    problems: {
      badRequest: (world) => create(world, 'none', { key: '' }),
      conflict: async (world) => {
        const appointmentId = await givenAppointment(world);
        for (let i = 0; i < 50; i += 1) await givenPayment(world, { appointmentId });
        return create(world, appointmentId);
      },
      appointmentAlreadyPaid: async (world) => {
        const appointmentId = await givenAppointment(world);
        await givenCaptured(world, { appointmentId });
        return create(world, appointmentId);
      },
      unprocessableEntity: async (world) =>
        create(world, await givenAppointment(world), { amount: '0.00' }),
      paymentProviderNotSetup: async (world) => {
        const appointmentId = await givenAppointment(world, {
          barber: 'cleo',
          business: 'newShop',
        });
        return create(world, appointmentId, { as: 'cleo' });
      },
      tipTooHigh: async (_world, makeWorld) => {
        const world = await makeWorld({ tips: { maxMinor: 100n } });
        const id = await givenAppointment(world);
        const body = { tip: '1.01' };
        return world.send('createContactlessPayment', 'ada', { id, key: 'key', body });
      },
    },
  },
  listContactlessPayments: {
    given: anAppointment,
    access: bothBarbers([200, 'forbidden', 'notFound', 'notFound']),
    problems: {},
  },
  // A payment is never deleted; `deleted` is its appointment, and the payment keeps its snapshot.
  getContactlessPayment: {
    given: aPayment,
    access: bothBarbers([200, 'forbidden', 'notFound', 200]),
    problems: {},
  },
  getReceipt: {
    given: managed(givenCapturedPayment),
    access: ofManagers,
    problems: {
      conflict: async (world) =>
        world.send('getReceipt', 'ada', { id: (await givenPayment(world)).id }),
    },
  },
  captureContactlessPayment: {
    given: aPresentedPayment,
    access: bothBarbers([200, 'forbidden', 'notFound', 'conflict']),
    request: {
      id: 'none',
      key: 'key',
      body: { externalPaymentReference: { id: 'fpi_1', paymentProcessor: 'processor_a' } },
    },
    problems: {
      badRequest: (world) => capture(world, 'none', ''),
      conflict: async (world) => {
        const { id } = await givenPayment(world);
        return capture(world, id, world.processor.entries()[0]?.id ?? '');
      },
      contactlessPaymentCanceled: async (world) => {
        const { payment, reference } = await givenPresented(world, { card: 'canceled' });
        return capture(world, payment.id, reference);
      },
      contactlessPaymentDeclined: async (world) => {
        const { payment, reference } = await givenPresented(world, { card: 'declined' });
        return capture(world, payment.id, reference);
      },
      unprocessableEntity: async (world) => {
        const { payment } = await givenPresented(world);
        return capture(world, payment.id, 'fpi_none');
      },
      paymentProviderNotSetup: async (world) => {
        const { payment, reference } = await givenPresented(world);
        world.processor.disableAccount('acct_shop');
        return capture(world, payment.id, reference);
      },
    },
  },
  registerTerminal: {
    given: async () => ({ body: { ...phone, deviceIdentifier: fresh('phone') } }),
    access: onlyWithoutRecord({
      barber: 201,
      barberWithoutEntitlement: 'contactlessPaymentEntitlementMissing',
    }),
    problems: {
      badRequest: (world) => register(world, { platform: 'windows' }),
      contactlessPaymentEntitlementMissing: (world) =>
        register(world, { as: 'adaWithoutEntitlement' }),
      conflict: async (world) => {
        const deviceIdentifier = fresh('phone');
        await register(world, { deviceIdentifier });
        return register(world, { deviceIdentifier });
      },
      unprocessableEntity: (world) => register(world, { osVersion: 'Tahoe' }),
      contactlessPaymentDeviceUnsupported: (world) => register(world, { osVersion: '12.0' }),
    },
  },
  listTerminals: {
    given: async () => ({}),
    access: onlyWithoutRecord({ barber: 200, barberWithoutEntitlement: 200 }),
    problems: {},
  },
  getTerminal: {
    given: aTerminal,
    access: bothBarbers([200, 'forbidden', 'notFound', 'notFound']),
    problems: {},
  },
  deleteTerminal: {
    given: aTerminal,
    access: bothBarbers([204, 'forbidden', 'notFound', 'notFound']),
    problems: {},
  },
  createTerminalConnectionToken: {
    given: aTerminal,
    access: only({
      barber: [201, 'forbidden', 'notFound', 'notFound'],
      barberWithoutEntitlement: entitlementMissing,
    }),
    problems: {
      // In process, `undefined` is the only invalid body; over HTTP any body is.
      badRequest: ({ send }) =>
        send('createTerminalConnectionToken', 'ada', { id: 'none', body: { any: 'thing' } }),
      contactlessPaymentEntitlementMissing: ({ send }) =>
        send('createTerminalConnectionToken', 'adaWithoutEntitlement', { id: 'none' }),
      unprocessableEntity: async (world) => {
        world.processor.rejectLocation('tml_shop');
        const id = await givenTerminal(world);
        return world.send('createTerminalConnectionToken', 'ada', { id });
      },
      paymentProviderNotSetup: async (world) => {
        const id = await givenTerminal(world, 'cleo');
        return world.send('createTerminalConnectionToken', 'cleo', { id });
      },
    },
  },
  preparePaymentMethod: {
    given: async () => ({ ...preparation, key: fresh('key') }),
    access: onlyWithoutRecord({ customer: 200 }),
    problems: {
      badRequest: ({ send }) => send('preparePaymentMethod', 'customer', { body: {} }),
      notFound: (world) => {
        world.processor.forgetCustomer('customer');
        return prepare(world);
      },
      conflict: async (world) => {
        world.processor.failNext('openSetup', 'slow');
        const first = prepare(world);
        await until(() => world.processor.count('openSetup').made === 1);
        const second = await prepare(world);
        world.processor.release();
        await first;
        return second;
      },
      unprocessableEntity: (world) => {
        world.processor.failNext('openSetup', 'rejected');
        return prepare(world);
      },
    },
  },
  removeFinancialAccount: {
    given: anAccount,
    access: only({ business: [204, 'forbidden', 'notFound', 'notFound'] }),
    problems: {
      conflict: async (world) => {
        const id2 = await givenAccount(world, { isDefault: true });
        return world.send('removeFinancialAccount', 'owner', { id: 'shop', id2 });
      },
    },
  },
  deleteBarberSchedule: {
    given: aSchedule,
    access: only({
      barber: [204, 'forbidden', 'notFound', 'notFound'],
      barberWithoutEntitlement: [204, 'forbidden', 'notFound', 'notFound'],
      administrator: [204, 204, 'notFound', 'notFound'],
    }),
    problems: {
      conflict: async (_world, makeWorld) => {
        const world = await makeWorld({ store: withSchedulesInUse });
        const id2 = await givenSchedule(world);
        return world.send('deleteBarberSchedule', 'ada', { id: 'ada', id2 });
      },
    },
  },
  listChallengeMethods: {
    given: async () => ({ query: { phoneNumber: '+4930901820' } }),
    access: onlyWithoutRecord({
      barber: 200,
      barberWithoutEntitlement: 200,
      customer: 200,
      business: 200,
      administrator: 200,
    }),
    problems: {
      badRequest: ({ send }) => send('listChallengeMethods', 'ada', { query: {} }),
    },
  },
  getPayoutPreferences: {
    given: payoutPreferences,
    access: only({ business: [200, 'forbidden', 'notFound', 'notFound'] }),
    problems: {},
  },
  // `foreign` is another shop's; `deleted` is the appointment of the payment.
  refundPayment: {
    given: aPaymentToRefund,
    access: ofBusiness(201),
    problems: {
      badRequest: ({ send }) => send('refundPayment', 'owner', { id: 'none', key: '' }),
      conflict: async (world) => {
        const { id } = await givenPayment(world);
        return world.send('refundPayment', 'owner', { id, key: fresh('key') });
      },
      unprocessableEntity: async (world) => {
        const { payment } = await givenCaptured(world);
        const body = { amount: '0.00' };
        return world.send('refundPayment', 'owner', { id: payment.id, key: fresh('key'), body });
      },
      paymentProviderNotSetup: async (world) => {
        const { payment } = await givenCaptured(world);
        world.processor.disableAccount('acct_shop');
        return world.send('refundPayment', 'owner', { id: payment.id, key: fresh('key') });
      },
    },
  },
  listRefunds: {
    given: aPaymentWithRefunds,
    access: ofBusiness(200),
    problems: {},
  },
  getRefund: {
    given: aRefund,
    access: ofBusiness(200),
    request: { id: 'none', id2: 'none' },
    problems: {},
  },
  // The appointment is the host's, so a removed one is not found.
  chargePaymentMethod: {
    given: anAppointmentToCharge,
    access: ofAppointmentsBusiness(201),
    problems: {
      badRequest: (world) => charge(world, 'none', 'pms_1', { key: '' }),
      conflict: async (world) => {
        const { appointmentId, method } = await givenBooking(world, { card: 'needs_customer' });
        return charge(world, appointmentId, method);
      },
      appointmentAlreadyPaid: async (world) => {
        const { appointmentId, method } = await givenBooking(world);
        await givenCaptured(world, { appointmentId });
        return charge(world, appointmentId, method);
      },
      unprocessableEntity: async (world) => {
        const { appointmentId, method } = await givenBooking(world);
        return charge(world, appointmentId, method, { amount: '45.01' });
      },
      paymentProviderNotSetup: async (world) => {
        const { appointmentId, method } = await givenBooking(world);
        world.processor.disableAccount('acct_shop');
        return charge(world, appointmentId, method);
      },
    },
  },
  listCharges: {
    given: anAppointmentOfShop,
    access: ofAppointmentsBusiness(200),
    problems: {},
  },
  getCharge: {
    given: aCharge,
    access: ofBusiness(200),
    problems: {},
  },
  recordTender: {
    given: aVisit,
    access: ofAppointmentsManagers(201),
    problems: {
      badRequest: (world) => pay(world, 'none', '20.00', { key: '' }),
      conflict: async (world) => pay(world, await givenAppointment(world), '45.01'),
      appointmentAlreadyPaid: async (world) => {
        const appointmentId = await givenAppointment(world);
        await givenCaptured(world, { appointmentId });
        return pay(world, appointmentId, '1.00');
      },
      unprocessableEntity: async (world) => pay(world, await givenAppointment(world), '0.00'),
      paymentProviderNotSetup: async (world) => {
        const terms = { barber: 'cleo', business: 'newShop' } as const;
        return pay(world, await givenAppointment(world, terms), '1.00', { as: 'cleo' });
      },
    },
  },
  listTenders: {
    given: anAppointmentWithTenders,
    access: ofAppointmentsManagers(200),
    problems: {},
  },
  returnTender: {
    given: aTenderToReturn,
    access: ofTendersManagers(201),
    problems: {
      badRequest: (world) => giveBack(world, 'none', '1.00', { key: '' }),
      conflict: async (world) => {
        const { id } = await givenTender(world, await givenAppointment(world), '20.00');
        return giveBack(world, id, '20.01');
      },
      unprocessableEntity: async (world) => {
        const { id } = await givenTender(world, await givenAppointment(world), '20.00');
        return giveBack(world, id, '0.00');
      },
    },
  },
  sharePayment: {
    given: aPaymentToShare,
    access: ofBusiness(201),
    problems: {
      badRequest: ({ send }) => send('sharePayment', 'owner', { id: 'none', key: '', body: {} }),
      conflict: async (world) => {
        const { payment } = await givenCaptured(world);
        return share(world, payment.id, [[payment.appointment.id, '44.99']]);
      },
      unprocessableEntity: async (world) => {
        const { payment } = await givenCaptured(world);
        return share(world, payment.id, [[payment.appointment.id, '0.00']]);
      },
    },
  },
  listShares: {
    given: anAppointmentWithTenders,
    access: ofAppointmentsManagers(200),
    problems: {},
  },
  voidTender: {
    given: aTender,
    access: ofTendersManagers(200),
    problems: {
      conflict: async (world) => {
        const { id } = await givenTender(world, await givenAppointment(world), '20.00');
        await giveBack(world, id, '5.00');
        return world.send('voidTender', 'ada', { id });
      },
    },
  },
};

/** The same for the operations that hosts call. */
export const hostCases: {
  readonly [O in Exclude<CallersOperation, ClientOperation>]: HostCase;
} = {
  cancelContactlessPayment: {
    call: (chairside, caller, contactlessPaymentId) =>
      chairside.cancelContactlessPayment(caller, { contactlessPaymentId }),
    given: managed(givenPayment),
    access: ofManagers,
  },
  getPaymentTimeline: {
    call: (chairside, caller, contactlessPaymentId) =>
      chairside.getPaymentTimeline(caller, { contactlessPaymentId }),
    given: managed(givenPayment),
    access: ofManagers,
  },
  // An administrator may ask about an appointment that is gone.
  getAppointmentLedger: {
    call: (chairside, caller, appointmentId) =>
      chairside.getAppointmentLedger(caller, { appointmentId }),
    given: anAppointmentOfShop,
    access: only({
      business: [200, 'forbidden', 'notFound', 'notFound'],
      administrator: [200, 200, 200, 200],
    }),
  },
  getStatement: {
    given: aBusiness,
    access: ofBusinesses,
    call: (chairside, caller, businessId) =>
      chairside.getStatement(caller, { businessId, day: '2026-11-24', timeZone: 'Europe/Berlin' }),
  },
  findStatementLines: {
    given: aBusiness,
    access: ofBusinesses,
    call: (chairside, caller, businessId) =>
      chairside.findStatementLines(caller, {
        businessId,
        day: '2026-11-24',
        timeZone: 'Europe/Berlin',
        cardLastFour: '4242',
      }),
  },
  listPayouts: {
    given: aBusiness,
    access: ofBusinesses,
    call: (chairside, caller, businessId) =>
      chairside.listPayouts(caller, {
        businessId,
        from: '2026-11-24T00:00:00.000Z',
        until: '2026-11-25T00:00:00.000Z',
      }),
  },
  releaseTerminal: {
    call: (chairside, caller, deviceIdentifier) =>
      chairside.releaseTerminal(caller, { deviceIdentifier }),
    given: aDevice,
    access: only({
      business: [204, 'forbidden', 'notFound', 'notFound'],
      administrator: [204, 204, 'notFound', 'notFound'],
    }),
  },
  readPaymentMethodSetup: {
    call: (chairside, caller, paymentMethodSetupId) =>
      chairside.readPaymentMethodSetup(caller, { paymentMethodSetupId }),
    given: aSetup,
    access: only({
      customer: [200, 'forbidden', 'notFound', 'notFound'],
      administrator: [200, 200, 'notFound', 'notFound'],
    }),
  },
  releasePaymentMethod: {
    call: (chairside, caller, paymentMethodSetupId) =>
      chairside.releasePaymentMethod(caller, { paymentMethodSetupId }),
    given: aSetup,
    access: only({
      customer: [200, 'forbidden', 'notFound', 'notFound'],
      administrator: [200, 200, 'notFound', 'notFound'],
    }),
  },
  cancelCharge: {
    call: (chairside, caller, chargeId) => chairside.cancelCharge(caller, { chargeId }),
    given: aRefusedCharge,
    access: ofManagers,
  },
  refundExcess: {
    call: (chairside, caller, appointmentId) =>
      chairside.refundExcess(caller, { appointmentId, idempotencyKey: fresh('excess') }),
    given: anOverpaidAppointment,
    access: ofAppointmentsBusiness(200),
  },
  allowAnotherCharge: {
    call: (chairside, caller, chargeId) => chairside.allowAnotherCharge(caller, { chargeId }),
    given: aRefusedCharge,
    access: ofBusiness(200),
  },
};
