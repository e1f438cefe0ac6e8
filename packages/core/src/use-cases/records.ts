import type { Appointment } from '../domain/appointment.ts';
import type { Barber, Business, FinancialAccount } from '../domain/business.ts';
import type { PayoutPreferences } from '../domain/payout-preferences.ts';
import type { ResultAsync } from '../domain/result.ts';
import type { Schedule } from '../domain/schedule.ts';
import type { PutRecordError } from '../operations/records.ts';
import type { AppointmentLedger } from '../schemas/appointment-ledger.ts';

/** Inserts or replaces the host's records, where Chairside's store keeps them (D35). */
export interface RecordUseCases {
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
  putAppointment(record: Appointment): ResultAsync<AppointmentLedger, PutRecordError>;

  /**
   * Puts a barber's business.
   *
   * @example
   * const put = await chairside.records.putBarber({ id: 'ada', businessId: 'shop' });
   */
  putBarber(record: Barber): ResultAsync<void, PutRecordError>;

  /**
   * Puts a business. Without a `processorAccount` it cannot take cards yet.
   *
   * @example
   * const put = await chairside.records.putBusiness({
   *   id: 'shop',
   *   name: 'Marlow & Sons',
   *   processorAccount: { id: 'acct_1', currency: 'eur' },
   * });
   */
  putBusiness(record: Business): ResultAsync<void, PutRecordError>;

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
  putFinancialAccount(record: FinancialAccount): ResultAsync<void, PutRecordError>;

  /**
   * Puts a business's payout schedule.
   *
   * @example
   * const put = await chairside.records.putPayoutPreferences({
   *   businessId: 'shop',
   *   settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' },
   * });
   */
  putPayoutPreferences(record: PayoutPreferences): ResultAsync<void, PutRecordError>;

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
  putSchedule(record: Schedule): ResultAsync<void, PutRecordError>;
}
