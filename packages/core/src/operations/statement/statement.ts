import * as v from 'valibot';
import { find, managesShop, managesShops, requireOwn } from '../../call/access.ts';
import { parseInput } from '../../call/input.ts';
import { toLimit } from '../../call/limit.ts';
import { hostOperation } from '../../call/operation.ts';
import type { Business } from '../../domain/business.ts';
import { isDay, spanOf } from '../../domain/business-day.ts';
import { type FaultOf, fault, fieldFault } from '../../domain/problem.ts';
import { err, type Steps } from '../../domain/result.ts';
import { isTimeZone, parseTimestamp } from '../../domain/time.ts';
import type { AuthContext } from '../../ports/auth-context.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { type PayoutView, type StatementView, viewPayout } from '../../schemas/statement.ts';
import { closeDay } from '../../work/statement/close-day.ts';
import { readDay } from '../../work/statement/read-day.ts';

export interface GetStatementInput {
  readonly businessId: string;
  /** `YYYY-MM-DD`, on the calendar of `timeZone`. */
  readonly day: string;
  /** The IANA zone of the shop on that day. */
  readonly timeZone: string;
  /**
   * The zone of the day before, on the day after a move of the shop. The day then begins where the day
   * before ended, so that no payment is on two days or on none.
   */
  readonly movedFrom?: string | undefined;
}

export interface ListPayoutsInput {
  readonly businessId: string;
  /** RFC 3339, UTC. Payouts that arrive from this time on, in order of arrival. */
  readonly from: string;
  /** Payouts that arrive before this time. */
  readonly until: string;
  /** The maximum number of payouts, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
}

const timeZone = v.pipe(v.string(), v.check(isTimeZone, 'must be an IANA time zone'));
const daySchema = v.object({
  businessId: v.string(),
  day: v.pipe(v.string(), v.check(isDay, 'must be a day, such as 2026-11-24')),
  timeZone,
  movedFrom: v.optional(timeZone),
});

const time = v.pipe(v.string(), v.transform(parseTimestamp), v.number('must be a time in UTC'));
const payoutsSchema = v.object({ businessId: v.string(), from: time, until: time });

export const statements = {
  /**
   * Returns the statement of a day: for the shop and each barber what was captured, refunded and disputed,
   * with fees; the processor's entries and payouts; and each entry that differs, with the reason (D50). It is
   * computed from records, and is the same each time once its `state` is `closed`. For the business or an
   * administrator. `statementToCsv` makes a table of it.
   *
   * @example
   * const statement = await chairside.getStatement(manager, {
   *   businessId: 'marlow',
   *   day: '2026-11-24',
   *   timeZone: 'Europe/Berlin',
   * });
   * if (statement.isOk()) console.log(statement.value.shop, statement.value.differences);
   */
  getStatement: hostOperation<GetStatementInput, StatementView>()({
    problems: ['badRequest', 'forbidden', 'notFound', 'unprocessableEntity'],
    async *run({ ports, auth }, input) {
      const { businessId, ...day } = yield* parseInput(daySchema, { ...input });
      const span = spanOf(day);
      if (span === undefined) return yield* err(noSuchDay());
      const business = yield* findManagedBusiness(ports, auth, businessId);
      const records = yield* readDay(ports, business, span);
      if (records === undefined) return yield* err(tooManyRecords());
      return closeDay(businessId, day, span, records, ports.clock.now());
    },
  }),

  /**
   * Lists the payouts of a business's account by the time of their arrival at the bank. It never asks the
   * processor: upkeep records them. For the business or an administrator.
   *
   * @example
   * const listed = await chairside.listPayouts(manager, {
   *   businessId: 'marlow',
   *   from: '2026-11-23T00:00:00.000Z',
   *   until: '2026-11-30T00:00:00.000Z',
   * });
   * if (listed.isOk()) console.log(listed.value.map(({ amount, arrivesAt }) => [amount, arrivesAt]));
   */
  listPayouts: hostOperation<ListPayoutsInput, readonly PayoutView[]>()({
    problems: ['badRequest', 'forbidden', 'notFound'],
    async *run({ ports, auth }, input) {
      const { businessId, from, until } = yield* parseInput(payoutsSchema, { ...input });
      const business = yield* findManagedBusiness(ports, auth, businessId);
      const account = business.processorAccount?.id;
      if (account === undefined) return [];
      const limit = toLimit(input.limit);
      const found = yield* await ports.store.payouts.list(account, { from, until }, limit);
      return found.map(viewPayout);
    },
  }),
};

/** The role comes before the record, so that a caller cannot tell which businesses exist (D58). */
async function* findManagedBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<Business, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  if (!managesShops(auth)) {
    return yield* err(fault('forbidden', 'Only the business or an administrator may do this.'));
  }
  const business = yield* await find('business', id, ports.store.businesses);
  yield* requireOwn(managesShop(auth, business.id), 'business');
  return business;
}

function noSuchDay() {
  return fieldFault('/movedFrom', 'The day ends before it begins: check `movedFrom`.');
}

function tooManyRecords() {
  return fault('unprocessableEntity', 'The day has too many payments for one statement.');
}
