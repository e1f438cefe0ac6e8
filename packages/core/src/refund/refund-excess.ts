import * as v from 'valibot';
import { managesShop, managesShops, notOfItsShop } from '../frame/access.ts';
import { actorOf, commit } from '../frame/commit.ts';
import { claimKey, type KeyUse, keyUse, lookUpKey } from '../frame/idempotency.ts';
import { hostOperation, parseInput } from '../frame/operation.ts';
import type { Run } from '../frame/perform.ts';
import { type Appointment, type Business, paymentAccount } from '../host/host.ts';
import { claimWithdrawn } from '../payment/carry.ts';
import { details, findAppointment } from '../payment/find.ts';
import { isAtWork } from '../payment/payment.ts';
import { requireRestored } from '../payment/restored.ts';
import { touchPayment } from '../payment/write.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import type { Part, Share } from '../share/share.ts';
import { readPaymentsOf } from '../share/share-payment.ts';
import { leftToShares, type PaymentReturns, partsOfShares, takeFrom } from '../share/shares-of.ts';
import {
  isRecorded,
  keptMinor,
  maxListedTenders,
  type RecordedTender,
  type Tender,
} from '../tender/tender.ts';
import { between, orNothing } from '../values/bounds.ts';
import { formatMoney, Money, sumIn } from '../values/money.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { idempotencyKeySchema, text } from '../values/wire.ts';
import { newRefund, refunding } from './carry-refund.ts';
import type { Refund } from './refund.ts';
import {
  findRefunds,
  mayHaveLostKey,
  perhapsRefunded,
  type RefundError,
  refundMayBeApplied,
  refundProblems,
  resumeRefund,
} from './refund-payment.ts';
import {
  cannotRefund,
  decideReversal,
  finishRefunding,
  listReturns,
  readReturns,
  recordReturns,
  refundableParts,
  tooManyReturns,
} from './returns.ts';
import { type RefundView, viewAcceptedRefund } from './wire.ts';

interface RefundExcessInput {
  readonly appointmentId: string;
  /** 1 to 255 characters. The same key means the same refunds. */
  readonly idempotencyKey: string;
  /** Why, in the caller's words: 1 to 255 characters, kept with the refunds. */
  readonly reason?: string | undefined;
}

/** The refunds that gave an appointment's excess back. */
export interface RefundedExcess {
  readonly appointmentId: string;
  /** The sum of the refunds. */
  readonly amount: string;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** One of each payment that gave a part of it back. */
  readonly refunds: readonly RefundView[];
}

const inputSchema = v.strictObject({
  appointmentId: v.string(),
  idempotencyKey: idempotencyKeySchema,
  reason: v.optional(text(1, 255)),
});

export const refundExcess = {
  /**
   * Gives back what the payments of an appointment took beyond the amount due, deposits first, once for
   * each key: after the host lowered the amount, for example. Tips stay. It counts all payments of the
   * visit, their refunds and disputes, so two desks with two keys give it back once. For the appointment's
   * business or an administrator.
   *
   * Without an excess it is a 409 `conflict` with the reason `noExcess`. Send the same `idempotencyKey`
   * again after a lost response: it returns the same refunds.
   *
   * @example
   * const back = await chairside.refundExcess(manager, {
   *   appointmentId: 'haircut',
   *   idempotencyKey: crypto.randomUUID(),
   * });
   * if (back.isOk()) console.log(back.value.amount); // 5.00
   */
  refundExcess: hostOperation<RefundExcessInput, RefundedExcess>()({
    problems: refundProblems,
    mayBeApplied: refundMayBeApplied,
    run: steps,
  }),
};

async function* steps(run: Run, input: RefundExcessInput): Steps<RefundedExcess, RefundError> {
  const { ports, auth, call, begun } = run;
  const { appointmentId, idempotencyKey, reason } = yield* parseInput(inputSchema, { ...input });
  if (!managesShops(auth)) return yield* err(notOfItsShop());
  const use = keyUse(run, idempotencyKey, appointmentId, { reason });
  const found = (await findAppointment(ports, appointmentId)).andThen((appointment) =>
    managesShop(auth, appointment.businessId) ? ok(appointment) : err(notOfItsShop()),
  );
  const known = await lookUpKey(ports, call, use, []);
  // The host may have removed or moved the visit since. A key that has refunds still returns them (D11).
  const claimed = known.unwrapOr(undefined);
  if (claimed !== undefined && found.isErr()) yield* await ofItsShop(run, claimed.resourceId ?? '');
  else yield* found;
  const claim = yield* known;
  begun.id = claim?.resourceId ?? begun.id;
  const isNew = begun.id === undefined;
  const made =
    begun.id === undefined
      ? yield* beginRefunds(ports, auth, yield* found, use, reason)
      : yield* findRefunds(run, begun.id);
  begun.id = made[0].id;
  const ends: Result<Refund, RefundError>[] = [];
  for (const refund of made) ends.push(await resultOf(finish(ports, refund, isNew)));
  return yield* answer(appointmentId, ends);
}

/** Whether the caller manages the shop whose payment a refund of the key gave back. */
async function ofItsShop(
  { ports, auth }: Run,
  refundId: string,
): Promise<Result<void, Fault<'forbidden'> | StoreUnavailable>> {
  const refund = await ports.store.refunds.get(refundId);
  const payment = await refund.asyncAndThen((one) =>
    ports.store.payments.get(one?.paymentId ?? ''),
  );
  return payment.andThen((one) =>
    one === undefined || managesShop(auth, one.businessId) ? ok() : err(notOfItsShop()),
  );
}

/** Reserves all parts of the excess with the claim of the key, in one commit. */
async function* beginRefunds(
  ports: Ports,
  auth: AuthContext,
  appointment: Appointment,
  use: KeyUse,
  reason: string | undefined,
): Steps<readonly [Refund, ...Refund[]], RefundError> {
  const captured: PaymentReturns[] = [];
  for (const before of yield* readCaptured(ports, appointment.id)) {
    const there = yield* (await listReturns(ports, before.payment)).mapErr(cannotRefund);
    captured.push(yield* recordReturns(ports, before, there, 'refund'));
  }
  const { businesses } = ports.store;
  const tenders = yield* readTendered(ports, appointment.id);
  // The host may have raised the amount due while the processor's lists were read.
  const current = yield* await findAppointment(ports, appointment.id);
  if (!managesShop(auth, current.businessId)) return yield* err(notOfItsShop());
  const business = yield* await businesses.get(current.businessId);
  if (ports.restoration !== undefined) {
    const account = paymentAccount(business);
    if (account !== undefined) yield* requireRestored(ports, account.id);
    if (captured.some(({ refunds }) => refunds.some(mayHaveLostKey)))
      return yield* err(perhapsRefunded());
  }
  const kept = keptOf(current, business, captured, tenders);
  if (kept === undefined) {
    return yield* err(conflict('currencyChanged', details.currencyChanged));
  }
  const { excessMinor } = kept;
  const own = captured.filter(({ payment }) => managesShop(auth, payment.businessId));
  const shares = splitExcess(excessMinor, own, appointment.id);
  const made: Refund[] = [];
  for (const { returned, amountMinor, parts } of shares) {
    const { payment } = returned;
    const owner = yield* await businesses.get(payment.businessId);
    const reversal = yield* decideReversal(returned, owner, amountMinor);
    made.push(newRefund(ports, payment, { amountMinor, ...reversal, reason, parts }));
  }
  const [first, ...others] = made;
  if (first === undefined) {
    const isElsewhere = splitExcess(excessMinor, captured, appointment.id).length > 0;
    return yield* err(nothingToRefund(excessMinor, isElsewhere));
  }
  const siblings = made.map(({ id }) => id);
  const join = (refund: Refund) => (others.length > 0 ? { ...refund, siblings } : refund);
  const together = [join(first), ...others.map(join)] as const;
  const by = yield* await actorOf(ports);
  // Each payment's version is a condition: a refund or a dispute of any of them changes the excess.
  const touched = captured.flatMap(({ payment }) => {
    const own = made.find(({ paymentId }) => paymentId === payment.id);
    // The refund's event finds the line by its time.
    const { createdAt } = own ?? first;
    return touchPayment(ports, payment, createdAt, 'refund', [], own && refunding, by).changes;
  });
  yield* await commit(ports, [
    claimKey(use, first.id),
    ...together.map((refund): Change => ({ kind: 'insertRefund', refund })),
    // A condition too: a tender that is returned or voided meanwhile leaves less to give back.
    ...tenders.map((tender): Change => {
      const { version } = tender;
      return {
        kind: 'updateTender',
        tender: { ...tender, version: version + 1 },
        expectedVersion: version,
      };
    }),
    ...touched,
  ]);
  return together;
}

/** @param excessMinor is more than zero if none of the caller's card payments has a part of it. */
function nothingToRefund(excessMinor: bigint, isElsewhere: boolean): Fault<'conflict'> {
  if (excessMinor <= 0n)
    return conflict('noExcess', 'The appointment was paid no more than is due.');
  const how = isElsewhere
    ? 'by card at another business, which can refund it'
    : 'without a card: return the tender';
  return conflict('noExcess', `What was paid beyond the amount due was paid ${how}.`);
}

/** @param isNew this run began it, and holds it. */
async function* finish(ports: Ports, refund: Refund, isNew: boolean): Steps<Refund, RefundError> {
  const payment = yield* await ports.store.payments.get(refund.paymentId);
  if (payment === undefined) return yield* err(claimWithdrawn);
  return isNew && isAtWork(refund)
    ? yield* finishRefunding(ports, payment, refund)
    : yield* resumeRefund(ports, payment, refund);
}

/** Says what went back. One that is unknown decides the response, because it may still go back. */
function answer(
  appointmentId: string,
  ends: readonly Result<Refund, RefundError>[],
): Result<RefundedExcess, RefundError> {
  const errors = ends.flatMap((end) => (end.isErr() ? [end.error] : []));
  const unknown = errors.find(
    (error) => !('recovery' in error && error.recovery.outcome === 'notApplied'),
  );
  if (unknown !== undefined) return err(unknown);
  const done = ends.flatMap((end) => (end.isOk() ? [end.value] : []));
  const [first] = done;
  const [error = claimWithdrawn] = errors;
  if (first === undefined) return err(error);
  const amountMinor = done.reduce((sum, one) => sum + one.amountMinor, 0n);
  return ok({
    appointmentId,
    amount: formatMoney(amountMinor),
    currency: first.currency,
    refunds: done.map(viewAcceptedRefund),
  });
}

/**
 * The captured payments of the visit itself, of every business, with what went back of each. A list that
 * is cut lacks old payments. What they took is then not counted, so the excess is never overstated.
 */
async function* readCaptured(
  ports: Pick<Ports, 'store'>,
  appointmentId: string,
): Steps<readonly PaymentReturns[], StoreUnavailable> {
  const captured: PaymentReturns[] = [];
  for (const payment of yield* readPaymentsOf(ports, appointmentId)) {
    captured.push(yield* readReturns(ports, payment));
  }
  return captured;
}

/** The appointment's tenders, of every business. */
async function* readTendered(
  { store }: Pick<Ports, 'store'>,
  appointmentId: string,
): Steps<readonly RecordedTender[], StoreUnavailable> {
  const listed = yield* await store.tenders.listByAppointment(appointmentId, maxListedTenders);
  return listed.filter(isRecorded);
}

/** What all payments of an appointment, without tips, and its tenders have kept. */
export interface Kept {
  readonly keptMinor: bigint;
  /** The part beyond the amount due, which can be given back: zero or more. */
  readonly excessMinor: bigint;
}

/** Reads what an appointment has kept; `undefined` if that is not all in the currency of the business. */
export function readKept(
  ports: Pick<Ports, 'store'>,
  appointment: Pick<Appointment, 'id' | 'amountDueMinor'>,
  business: Business | undefined,
): Promise<Result<Kept | undefined, StoreUnavailable>> {
  return resultOf(
    (async function* () {
      const captured = yield* readCaptured(ports, appointment.id);
      return keptOf(appointment, business, captured, yield* readTendered(ports, appointment.id));
    })(),
  );
}

/**
 * What was kept (D49): refunds under way and disputes that withhold money count as gone. `undefined` if it is not all in
 * the currency of the business.
 */
export function keptOf(
  { id, amountDueMinor }: Pick<Appointment, 'id' | 'amountDueMinor'>,
  business: Business | undefined,
  captured: readonly PaymentReturns[],
  tenders: readonly Tender[] = [],
): Kept | undefined {
  const left = [
    ...captured.map((one) => new Money(owedLeft(one, id), one.payment.currency)),
    ...tenders.map((one) => new Money(keptMinor(one), one.currency)),
  ];
  const { currency = left[0]?.currency ?? '' } = business?.processorAccount ?? {};
  const leftMinor = sumIn(currency, left);
  if (leftMinor === undefined) return undefined;
  return { keptMinor: leftMinor, excessMinor: orNothing(leftMinor - amountDueMinor) };
}

/** What a payment has kept for a visit, without tips. */
function owedLeft(returned: PaymentReturns, appointmentId: string): bigint {
  if (returned.payment.shares === undefined) {
    return refundableParts(returned).owedMinor;
  }
  return partsOfShares(leftOf(returned, appointmentId)).owedMinor;
}

function leftOf(returned: PaymentReturns, appointmentId: string): readonly Share[] {
  return leftToShares(returned).filter((share) => share.appointmentId === appointmentId);
}

/** The part of an excess that goes back of one payment. */
interface ExcessPart {
  readonly returned: PaymentReturns;
  readonly amountMinor: bigint;
  /** Whose it is, of a payment that was shared. */
  readonly parts: readonly Part[] | undefined;
}

/**
 * Splits an excess over the payments: deposits first, then the newest. It never takes a tip, and leaves out
 * payments with too many refunds to read.
 */
function splitExcess(
  excessMinor: bigint,
  kept: readonly PaymentReturns[],
  appointmentId: string,
): readonly ExcessPart[] {
  const order = ({ payment: { charge, createdAt } }: PaymentReturns) =>
    charge === undefined ? -createdAt : Number.MIN_SAFE_INTEGER;
  const shares: ExcessPart[] = [];
  let restMinor = excessMinor;
  const open = kept.filter((one) => tooManyReturns(one) === undefined);
  for (const one of open.toSorted((a, b) => order(a) - order(b))) {
    const amountMinor = between(0n, owedLeft(one, appointmentId), restMinor);
    if (amountMinor === 0n) continue;
    const { payment } = one;
    const parts =
      payment.shares && takeFrom(leftOf(one, appointmentId), { amountMinor, tipMinor: 0n });
    shares.push({ returned: one, amountMinor, parts });
    restMinor -= amountMinor;
  }
  return shares;
}
