import type * as v from 'valibot';
import { commit } from '../frame/commit.ts';
import { hostTask, parseInput, withoutUndefined } from '../frame/operation.ts';
import type { Run } from '../frame/perform.ts';
import { booksOf } from '../payment/carry.ts';
import { orUnknown } from '../payment/faults.ts';
import { readLedger } from '../payment/find.ts';
import type { Change } from '../ports/store.ts';
import { type Fault, unfit } from '../problems/problem.ts';
import { clockErrorMs } from '../upkeep/swept-books.ts';
import { canBeMoney } from '../values/money.ts';
import { err, ok, type Result } from '../values/result.ts';
import { isTimeZone } from '../values/time.ts';
import {
  type ApplicationFee,
  type Appointment,
  type Barber,
  type Business,
  type FinancialAccount,
  hasTwoDecimals,
  type PayoutPreferences,
  type Schedule,
  withEarlierAccounts,
} from './host.ts';
import {
  type AppointmentLedger,
  appointmentRecordSchema,
  barberRecordSchema,
  businessRecordSchema,
  financialAccountRecordSchema,
  payoutPreferencesRecordSchema,
  scheduleRecordSchema,
} from './wire.ts';

type RecordFault = Fault<'unprocessableEntity'>;

export const records = {
  /** The host's own records, where Chairside's store keeps them. */
  records: {
    /**
     * Puts an appointment, and returns the captured and reserved amounts. With `reserved: '0.00'` no
     * capture exceeds the new amount due.
     *
     * @example
     * const ledger = await chairside.records.putAppointment({
     *   id: 'haircut',
     *   businessId: 'shop',
     *   amountDueMinor: 4500n,
     *   occursOn: '2026-12-01T09:00:00.000Z',
     *   timeZone: 'Europe/Berlin',
     *   barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
     *   location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
     * });
     */
    putAppointment: hostTask<[record: Appointment], AppointmentLedger>()({
      problems: ['badRequest', 'unprocessableEntity'],
      async *task(run, record) {
        yield* write(run, appointmentRecordSchema, record, appointmentChange);
        // Read after the write: with `reserved: 0.00` no capture exceeds the new amount (D13).
        const ledger = await readLedger(run.ports, record.id);
        return yield* ledger.mapErr(orUnknown<never>);
      },
    }),
    /**
     * Puts a barber's business.
     *
     * @example
     * const put = await chairside.records.putBarber({ id: 'ada', businessId: 'shop' });
     */
    putBarber: put<Barber, typeof barberRecordSchema>(barberRecordSchema, (barber) =>
      ok({ kind: 'putBarber', barber }),
    ),
    /**
     * Puts a business. Without a `processorAccount` it cannot take cards yet. Its currency must have two
     * decimals.
     *
     * @example
     * const put = await chairside.records.putBusiness({
     *   id: 'shop',
     *   name: 'Marlow & Sons',
     *   processorAccount: { id: 'acct_1', currency: 'eur' },
     * });
     */
    putBusiness: hostTask<[record: Business], void>()({
      problems: ['badRequest', 'unprocessableEntity'],
      task: putBusiness,
    }),
    /**
     * Puts a bank account. A new default replaces the business's old one.
     *
     * @example
     * const put = await chairside.records.putFinancialAccount({
     *   id: 'account_1',
     *   businessId: 'shop',
     *   bankName: 'Old Town Savings',
     *   maskedAccountNumber: '*6789',
     *   currency: 'eur',
     *   isDefault: true,
     * });
     */
    putFinancialAccount: put<FinancialAccount, typeof financialAccountRecordSchema>(
      financialAccountRecordSchema,
      (account) => ok({ kind: 'putFinancialAccount', account }),
    ),
    /**
     * Puts a business's payout schedule.
     *
     * @example
     * const put = await chairside.records.putPayoutPreferences({
     *   businessId: 'shop',
     *   settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' },
     * });
     */
    putPayoutPreferences: put<PayoutPreferences, typeof payoutPreferencesRecordSchema>(
      payoutPreferencesRecordSchema,
      (preferences) => ok({ kind: 'putPayoutPreferences', preferences }),
    ),
    /**
     * Puts a barber's weekly schedule.
     *
     * @example
     * const put = await chairside.records.putSchedule({
     *   id: 'winter',
     *   barberId: 'ada',
     *   name: 'Winter',
     *   hours: [{ day: 'monday', from: '09:00', to: '17:30' }],
     * });
     */
    putSchedule: put<Schedule, typeof scheduleRecordSchema>(scheduleRecordSchema, scheduleChange),
  },
};

function appointmentChange(
  appointment: v.InferOutput<typeof appointmentRecordSchema>,
): Result<Change, RecordFault> {
  const { amountDueMinor, noShowFeeMinor = 0n, timeZone } = appointment;
  if (!canBeMoney(amountDueMinor)) {
    return err(invalid('/amountDueMinor', 'has more than 15 digits'));
  }
  if (!canBeMoney(noShowFeeMinor)) {
    return err(invalid('/noShowFeeMinor', 'has more than 15 digits'));
  }
  if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
    return err(invalid('/timeZone', 'is not an IANA time zone'));
  }
  return ok({ kind: 'putAppointment', appointment });
}

/** Its accounts are read from now on, although no payment of ours is known there. */
async function* putBusiness({ ports }: Run, record: Business) {
  const valid = yield* parseInput(businessRecordSchema, withoutUndefined({ ...record }));
  yield* checkBusiness(valid);
  const now = ports.clock.now();
  const before = yield* await ports.store.businesses.get(valid.id);
  const business = withEarlierAccounts(valid, before, now);
  const { processorAccount, earlierAccounts = [] } = business;
  const accounts = [...(processorAccount ? [processorAccount] : []), ...earlierAccounts];
  const changes: Change[] = [{ kind: 'putBusiness', business }];
  for (const books of new Set(accounts.map(({ id }) => booksOf(ports, id)))) {
    if ((yield* await ports.store.sweeps.get(books)) !== undefined) continue;
    const begun = now - clockErrorMs;
    changes.push({ kind: 'putSweep', swept: { books, sweptBefore: begun, triedAt: begun } });
  }
  yield* await commit(ports, changes);
}

function checkBusiness(
  business: v.InferOutput<typeof businessRecordSchema>,
): Result<void, RecordFault> {
  const currency = business.processorAccount?.currency;
  if (currency !== undefined && !hasTwoDecimals(currency)) {
    return err(
      invalid('/processorAccount/currency', 'is not a lower-case currency with two decimals'),
    );
  }
  const fee = business.applicationFee;
  if (fee !== undefined && !isFee(fee, currency)) {
    return err(invalid('/applicationFee', 'needs a fixed part in the currency of the account'));
  }
  const { returnsFee = false, reversesTransfer = true } = business.refundPolicy ?? {};
  if (returnsFee && !reversesTransfer) {
    // Stripe refuses each refund that does (docs.stripe.com/connect/destination-charges).
    return err(invalid('/refundPolicy/returnsFee', 'needs reversesTransfer too'));
  }
  return ok();
}

/** A fixed part must be in the account's currency and within D2's digits. */
function isFee({ fixedMinor = 0n, currency }: ApplicationFee, paidIn = currency): boolean {
  return (
    fixedMinor === 0n || (canBeMoney(fixedMinor) && currency === paidIn && currency !== undefined)
  );
}

function scheduleChange(
  schedule: v.InferOutput<typeof scheduleRecordSchema>,
): Result<Change, RecordFault> {
  const wrong = schedule.hours.findIndex(({ from, to }) => from >= to);
  return wrong === -1
    ? ok({ kind: 'putSchedule', schedule })
    : err(invalid(`/hours/${wrong}/to`, 'is not after its beginning'));
}

/** States a task that inserts or replaces a record of the host. */
function put<T extends object, S extends v.GenericSchema>(
  schema: S,
  change: (valid: v.InferOutput<S>) => Result<Change, RecordFault>,
) {
  return hostTask<[record: T], void>()({
    problems: ['badRequest', 'unprocessableEntity'],
    task: (run, record) => write(run, schema, record, change),
  });
}

async function* write<S extends v.GenericSchema>(
  { ports }: Run,
  schema: S,
  record: object,
  change: (valid: v.InferOutput<S>) => Result<Change, RecordFault>,
) {
  const valid = yield* parseInput(schema, withoutUndefined({ ...record }));
  yield* await commit(ports, [yield* change(valid)]);
}

function invalid(pointer: string, why: string): Fault<'unprocessableEntity'> {
  return unfit(pointer, `${pointer} ${why}.`);
}
