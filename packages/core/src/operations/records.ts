import type * as v from 'valibot';
import type { OperationName } from '../call/admission.ts';
import { commit } from '../call/commit.ts';
import { parseInput } from '../call/input.ts';
import { type CommonProblem, hostCaller, perform, type Run } from '../call/perform.ts';
import type { ApplicationFee } from '../domain/application-fee.ts';
import type { Appointment } from '../domain/appointment.ts';
import {
  type Barber,
  type Business,
  type FinancialAccount,
  hasTwoDecimals,
} from '../domain/business.ts';
import { canBeMoney } from '../domain/money.ts';
import type { PayoutPreferences } from '../domain/payout-preferences.ts';
import { badRequest, type Fault, fault, fieldFault, type ProblemOf } from '../domain/problem.ts';
import { err, ok, type Result, type ResultAsync } from '../domain/result.ts';
import type { Schedule } from '../domain/schedule.ts';
import { isTimeZone, parseTimestamp } from '../domain/time.ts';
import type { Change } from '../ports/change.ts';
import type { Ports } from '../ports/ports.ts';
import { type AppointmentLedger, viewLedger } from '../schemas/appointment-ledger.ts';
import {
  appointmentRecordSchema,
  barberRecordSchema,
  businessRecordSchema,
  financialAccountRecordSchema,
  payoutPreferencesRecordSchema,
  scheduleRecordSchema,
} from '../schemas/records.ts';
import { orUnknown } from '../work/faults.ts';

export type PutRecordError = ProblemOf<'badRequest' | 'unprocessableEntity' | CommonProblem>;
type Put = ResultAsync<void, PutRecordError>;
type RecordFault = Fault<'badRequest'> | Fault<'unprocessableEntity'>;

/**
 * Inserts or replaces an appointment (D35). It returns the captured and reserved amounts, read
 * after the write. Once it returns `reserved: 0.00`, no capture exceeds the new amount (D13).
 */
export function putAppointment(
  ports: Ports,
  record: Appointment,
): ResultAsync<AppointmentLedger, PutRecordError> {
  const steps = (run: Run) => writeAppointment(run, record);
  return perform(ports, 'putAppointment', hostCaller, steps, record);
}

async function* writeAppointment(run: Run, record: Appointment) {
  yield* write(run, appointmentRecordSchema, record, appointmentChange);
  const ledger = await run.ports.store.ledgers.get(record.id);
  return viewLedger(yield* ledger.mapErr(orUnknown<never>));
}

function appointmentChange(
  appointment: v.InferOutput<typeof appointmentRecordSchema>,
): Result<Change, RecordFault> {
  const { amountDueMinor, occursOn, timeZone } = appointment;
  if (!canBeMoney(amountDueMinor)) {
    return err(invalid('/amountDueMinor', 'has more than 15 digits'));
  }
  if (parseTimestamp(occursOn) === undefined) {
    return err(badRequest([fieldFault('/occursOn', '/occursOn is not a date of the calendar.')]));
  }
  if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
    return err(invalid('/timeZone', 'is not an IANA time zone'));
  }
  return ok({ kind: 'putAppointment', appointment });
}

/** Inserts or replaces a barber (D35). */
export function putBarber(ports: Ports, record: Barber): Put {
  return put(ports, 'putBarber', barberRecordSchema, record, (barber) =>
    ok({ kind: 'putBarber', barber }),
  );
}

/** Inserts or replaces a business. Its currency must have two decimals (D18, D35). */
export function putBusiness(ports: Ports, record: Business): Put {
  return put(ports, 'putBusiness', businessRecordSchema, record, (valid) => {
    const currency = valid.processorAccount?.currency;
    if (currency !== undefined && !hasTwoDecimals(currency)) {
      return err(
        invalid('/processorAccount/currency', 'is not a lower-case currency with two decimals'),
      );
    }
    const fee = valid.applicationFee;
    if (fee !== undefined && !isFee(fee, currency)) {
      return err(invalid('/applicationFee', 'needs a fixed part in the currency of the account'));
    }
    return ok({ kind: 'putBusiness', business: valid });
  });
}

/** A fixed part must be in the account's currency and within D2's digits (D46). */
function isFee({ fixedMinor = 0n, currency }: ApplicationFee, paidIn = currency): boolean {
  return (
    fixedMinor === 0n || (canBeMoney(fixedMinor) && currency === paidIn && currency !== undefined)
  );
}

/** Inserts or replaces a bank account. A new default replaces the business's old one (D30). */
export function putFinancialAccount(ports: Ports, record: FinancialAccount): Put {
  return put(ports, 'putFinancialAccount', financialAccountRecordSchema, record, (account) =>
    ok({ kind: 'putFinancialAccount', account }),
  );
}

/** Inserts or replaces a barber's weekly schedule (D35). */
export function putSchedule(ports: Ports, record: Schedule): Put {
  return put(ports, 'putSchedule', scheduleRecordSchema, record, (schedule) => {
    const wrong = schedule.hours.findIndex(({ from, to }) => from >= to);
    return wrong === -1
      ? ok({ kind: 'putSchedule', schedule })
      : err(invalid(`/hours/${wrong}/to`, 'is not after its beginning'));
  });
}

/** Inserts or replaces a business's payout schedule (D7, D35). */
export function putPayoutPreferences(ports: Ports, record: PayoutPreferences): Put {
  return put(ports, 'putPayoutPreferences', payoutPreferencesRecordSchema, record, (preferences) =>
    ok({ kind: 'putPayoutPreferences', preferences }),
  );
}

function put<S extends v.GenericSchema>(
  ports: Ports,
  operation: OperationName,
  schema: S,
  record: object,
  change: (valid: v.InferOutput<S>) => Result<Change, RecordFault>,
): Put {
  return perform(ports, operation, hostCaller, (run) => write(run, schema, record, change), record);
}

async function* write<S extends v.GenericSchema>(
  { ports }: Run,
  schema: S,
  record: object,
  change: (valid: v.InferOutput<S>) => Result<Change, RecordFault>,
) {
  const valid = yield* parseInput(schema, withoutUndefined(record));
  yield* await commit(ports, [yield* change(valid)]);
}

/** `undefined` means omitted. */
function withoutUndefined(record: object): Record<string, unknown> {
  const given = Object.entries(record).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    given.map(([name, member]) => [
      name,
      isPlainObject(member) ? withoutUndefined(member) : member,
    ]),
  );
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(pointer: string, why: string): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', `${pointer} ${why}.`, { attributes: { pointer } });
}
