import {
  type CountedCall,
  countCall,
  find,
  onlyFor,
  requireBusiness,
  requireOwn,
  tooManyRequests,
} from '../frame/access.ts';
import { commit } from '../frame/commit.ts';
import { operation } from '../frame/operation.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { badRequest, conflict, type FaultOf, fieldFault } from '../problems/problem.ts';
import { err, type Steps } from '../values/result.ts';
import { sha256Hex } from '../values/text.ts';
import type { Business } from './host.ts';
import {
  type BusinessPayoutPreferences,
  businessPayoutPreferencesSchema,
  type ChallengeMethods,
  type ChallengeMethodsQuery,
  challengeMethodsQuery,
  challengeMethodsSchema,
  challengeMethodsShapes,
  payoutPreferencesShapes,
} from './wire.ts';

/** Operations on the records of a business. */
export const businesses = {
  /**
   * Unlinks a bank account from one of the caller's businesses. The default account is a 409 `conflict`.
   *
   * @example
   * const removed = await chairside.removeFinancialAccount(manager, {
   *   businessId: 'shop',
   *   accountId: 'account_1',
   * });
   */
  removeFinancialAccount: operation({
    ids: ['businessId', 'accountId'],
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Businesses',
    summary: 'Unlinks a bank account from a business',
    description:
      'A business can remove only its own accounts. The default payout account cannot be removed until another account is the default.',
  })(async function* ({ ports, auth }, input) {
    const business = yield* findOwnBusiness(ports, auth, input.businessId);
    // Under another business's path the account does not exist.
    const account = yield* await find(
      'financial account',
      input.accountId,
      ports.store.financialAccounts,
      ({ businessId }) => businessId === business.id,
    );
    if (account.isDefault) {
      const detail = 'Payouts go to this account; make another one the default first.';
      return yield* err(conflict('defaultAccount', detail));
    }
    // If it became the default meanwhile, the store rejects the change and the run starts again.
    const { id, businessId } = account;
    yield* await commit(ports, [{ kind: 'deleteFinancialAccount', businessId, id }]);
  }),

  /**
   * Reads the payout schedule of one of the caller's businesses.
   *
   * @example
   * const payouts = await chairside.getPayoutPreferences(manager, { businessId: 'shop' });
   * if (payouts.isOk()) console.log(payouts.value.settings.frequency);
   */
  getPayoutPreferences: operation({
    ids: ['businessId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Businesses',
    summary: "Reads a business's payout schedule",
    description:
      'A business can read only its own preferences. Payouts due on a weekend or a holiday are made on the next business day.',
    output: businessPayoutPreferencesSchema,
    shapes: payoutPreferencesShapes,
  })<BusinessPayoutPreferences>(async function* ({ ports, auth }, { businessId }) {
    const { id } = yield* findOwnBusiness(ports, auth, businessId);
    const { payoutPreferences } = ports.store;
    const { settings } = yield* await find('payout preference', id, payoutPreferences);
    return { settings };
  }),
};

/** Operations on the records of a barber. */
export const barbers = {
  /**
   * Deletes a weekly schedule, for its barber or a system administrator.
   *
   * @example
   * const deleted = await chairside.deleteBarberSchedule(barber, {
   *   barberId: 'ada',
   *   scheduleId: 'winter',
   * });
   */
  deleteBarberSchedule: operation({
    ids: ['barberId', 'scheduleId'],
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Barbers',
    summary: "Deletes a barber's named weekly schedule",
    description: 'Only the barber who owns the schedule, or a system administrator, may delete it.',
  })(async function* ({ ports, auth }, input) {
    const refusal = onlyFor("the schedule's barber or an administrator");
    const isAdministrator = auth.systemAdministrator === true;
    if (!isAdministrator && auth.barberId === undefined) yield* err(refusal);
    // Checks the barber of the path first (404, 403), so that the schedule ids of others stay secret.
    const barber = yield* await find('barber', input.barberId, ports.store.barbers);
    if (!isAdministrator && auth.barberId !== barber.id) yield* err(refusal);
    const { schedules } = ports.store;
    // Under another barber's path the schedule does not exist.
    const { id } = yield* await find(
      'schedule',
      input.scheduleId,
      schedules,
      ({ barberId }) => barberId === barber.id,
    );
    const deleted = await commit(ports, [{ kind: 'deleteSchedule', barberId: barber.id, id }]);
    if (deleted.isOk()) return;
    const { error } = deleted;
    if (error.kind !== 'storeConflict') return yield* err(error);
    // If it is gone, the run starts again; otherwise the host still needs it (D35).
    const kept = yield* await schedules.get(id);
    if (kept?.barberId !== barber.id) return yield* err(error);
    return yield* err(conflict('scheduleInUse', 'The schedule is still in use.'));
  }),
};

/**
 * Finds the business of a path, which must belong to the caller. The order is D11's: 403 for a
 * caller without a business, 404 for a missing one, 403 for another's. Its records are read only
 * afterwards, so the errors reveal no other business's data.
 */
async function* findOwnBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<Business, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const businessIds = yield* requireBusiness(auth);
  const business = yield* await find('business', id, ports.store.businesses);
  yield* requireOwn(businessIds.includes(business.id), 'business');
  return business;
}

export const challengeMethods = {
  /**
   * Lists how a one-time passcode can be sent. The response depends on the channel alone, so it reveals
   * no account: no user is read. Calls are also counted for each target (D8).
   *
   * @example
   * const methods = await chairside.listChallengeMethods(customer, {
   *   query: { emailAddress: 'ada@marlow.example' },
   * });
   */
  listChallengeMethods: operation({
    limit: 'challengeMethods',
    problems: ['badRequest'],
    group: 'Authentication',
    summary: 'Lists the ways to send a one-time passcode to a user',
    description:
      'Give exactly one of the two query parameters. The response does not reveal whether an account exists.',
    query: challengeMethodsQuery,
    output: challengeMethodsSchema,
    shapes: challengeMethodsShapes,
  })<ChallengeMethods>(async function* ({ ports, call }, { query }) {
    if ((query.phoneNumber === undefined) === (query.emailAddress === undefined)) {
      return yield* err(badRequest([fieldFault('query/phoneNumber', notOneParameter)]));
    }
    const { channel, target } = channelOf(query);
    // Hashed, because a limiter may keep its keys in a database.
    const counted = await countCall(ports, 'challengeTargets', sha256Hex(target));
    if (counted !== undefined) {
      call.facts.rateLimit = tighter(call.facts.rateLimit, counted);
      if (!counted.allowed) return yield* err(tooManyRequests(counted));
    }
    const items = ports.challengeMethods[channel].map((label) => ({ label }));
    return { items, count: items.length };
  }),
};

const notOneParameter = 'query/phoneNumber or query/emailAddress must be given, and not both.';

/** Different spellings of one target give the same `target`. */
function channelOf({ phoneNumber, emailAddress = '' }: ChallengeMethodsQuery) {
  if (phoneNumber === undefined) {
    // Mail servers treat `ｅxample.com` as `example.com`, so full-width letters and similar forms
    // are normalised.
    const target = `email ${emailAddress.normalize('NFKC').toLowerCase()}`;
    return { channel: 'email', target } as const;
  }
  // Callers dial `+49 (0)30 …` without the zero.
  const digits = phoneNumber
    .replace('(0)', '')
    .replaceAll(/[^0-9]/g, '')
    .replace(/^0+/, '');
  return { channel: 'phone', target: `phone ${digits}` } as const;
}

/** The quota that the caller would exhaust first. */
function tighter(one: CountedCall | undefined, other: CountedCall): CountedCall {
  // Stryker disable next-line EqualityOperator: of two equal ones, either will do.
  return one !== undefined && one.remaining < other.remaining ? one : other;
}
