import type { Caller } from '../call/call.ts';
import type { ResultAsync } from '../domain/result.ts';
import type {
  DeleteBarberScheduleError,
  DeleteBarberScheduleInput,
} from '../operations/deleteBarberSchedule.ts';
import type {
  EraseCustomerError,
  EraseCustomerInput,
  ErasedCustomer,
} from '../operations/eraseCustomer.ts';
import type {
  GetPayoutPreferencesError,
  GetPayoutPreferencesInput,
} from '../operations/getPayoutPreferences.ts';
import type {
  ListChallengeMethodsError,
  ListChallengeMethodsInput,
} from '../operations/listChallengeMethods.ts';
import type {
  PreparePaymentMethodError,
  PreparePaymentMethodInput,
} from '../operations/preparePaymentMethod.ts';
import type {
  PaymentMethodSetupStatus,
  ReadPaymentMethodSetupError,
  ReadPaymentMethodSetupInput,
} from '../operations/readPaymentMethodSetup.ts';
import type {
  RemoveFinancialAccountError,
  RemoveFinancialAccountInput,
} from '../operations/removeFinancialAccount.ts';
import type { ChallengeMethods } from '../schemas/challenge-methods.ts';
import type { PaymentMethodSetup } from '../schemas/payment-method-setup.ts';
import type { BusinessPayoutPreferences } from '../schemas/payout-preferences.ts';

/** The payment methods and personal data of customers. */
export interface CustomerUseCases {
  /**
   * Opens a session of one hour in which the processor's SDK collects the customer's payment method.
   * Pass its id when you create the appointment.
   *
   * @example
   * const setup = await chairside.preparePaymentMethod(customer, {
   *   body: { savePaymentMethod: true },
   * });
   */
  preparePaymentMethod(
    caller: Caller,
    input: PreparePaymentMethodInput,
  ): ResultAsync<PaymentMethodSetup, PreparePaymentMethodError>;

  /**
   * Reads whether a setup was completed, by whom, and whether the method can be reused. For the host's
   * own creation of appointments.
   *
   * @example
   * const setup = await chairside.readPaymentMethodSetup(customer, {
   *   paymentMethodSetupId: 'pms_01h',
   * });
   * const hasCard = setup.isOk() && setup.value.status === 'completed';
   */
  readPaymentMethodSetup(
    caller: Caller,
    input: ReadPaymentMethodSetupInput,
  ): ResultAsync<PaymentMethodSetupStatus, ReadPaymentMethodSetupError>;

  /**
   * Erases a customer's personal data: the cards of settled payments, the reasons of their refunds,
   * and finished setups. Amounts, states and ids stay. Call again later while `pending` names something.
   *
   * @example
   * const erased = await chairside.eraseCustomer({
   *   customerId: 'customer_1',
   *   appointmentIds: ['haircut'],
   * });
   */
  eraseCustomer(input: EraseCustomerInput): ResultAsync<ErasedCustomer, EraseCustomerError>;
}

/** Bank accounts, payouts, schedules and one-time passcodes. */
export interface ShopUseCases {
  /**
   * Unlinks a bank account from one of the caller's businesses. The default account is a 409 `conflict`.
   *
   * @example
   * const removed = await chairside.removeFinancialAccount(manager, {
   *   businessId: 'shop',
   *   accountId: 'account_1',
   * });
   */
  removeFinancialAccount(
    caller: Caller,
    input: RemoveFinancialAccountInput,
  ): ResultAsync<void, RemoveFinancialAccountError>;

  /**
   * Reads the payout schedule of one of the caller's businesses.
   *
   * @example
   * const payouts = await chairside.getPayoutPreferences(manager, { businessId: 'shop' });
   * if (payouts.isOk()) console.log(payouts.value.settings.frequency);
   */
  getPayoutPreferences(
    caller: Caller,
    input: GetPayoutPreferencesInput,
  ): ResultAsync<BusinessPayoutPreferences, GetPayoutPreferencesError>;

  /**
   * Deletes a weekly schedule, for its barber or a system administrator.
   *
   * @example
   * const deleted = await chairside.deleteBarberSchedule(barber, {
   *   barberId: 'ada',
   *   scheduleId: 'winter',
   * });
   */
  deleteBarberSchedule(
    caller: Caller,
    input: DeleteBarberScheduleInput,
  ): ResultAsync<void, DeleteBarberScheduleError>;

  /**
   * Lists how a one-time passcode can be sent. The response depends on the channel alone, so it reveals
   * no account.
   *
   * @example
   * const methods = await chairside.listChallengeMethods(customer, {
   *   query: { emailAddress: 'ada@marlow.example' },
   * });
   */
  listChallengeMethods(
    caller: Caller,
    input: ListChallengeMethodsInput,
  ): ResultAsync<ChallengeMethods, ListChallengeMethodsError>;
}
