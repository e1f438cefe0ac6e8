import {
  find,
  managesShop,
  managesShops,
  notFound,
  notOfItsShop,
  orAbsent,
} from '../frame/access.ts';
import { actorOf, commit, isConflict } from '../frame/commit.ts';
import { readMerged } from '../frame/facts.ts';
import { isClaimFor, judgeKey, type KeyUse, keyUse } from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal, withoutDeadline } from '../frame/perform.ts';
import { type Appointment, type Ledger, maxOpenPayments } from '../host/host.ts';
import { releaseOthers } from '../payment/cancel.ts';
import { claimWithdrawn, takeOver, timeOf } from '../payment/carry.ts';
import {
  claimPayment,
  decideNewPayment,
  type NewPaymentFault,
  newPayment,
  type Opening,
} from '../payment/create.ts';
import { type Dues, dueMinorFor, isVisitPaid, whyOtherOwner } from '../payment/dues.ts';
import {
  notSetUpOrUnread,
  reservedElsewhere,
  running,
  tooManyOpenPayments,
} from '../payment/faults.ts';
import {
  checkBusiness,
  checkPayable,
  details,
  findAppointment,
  isCaptured,
  paymentMayBe,
  requestedMinor,
  requireUnused,
} from '../payment/find.ts';
import { neverOpened } from '../payment/opening.ts';
import {
  chargeRefusalOf,
  isAtWork,
  isContactless,
  isFinal,
  isOpened,
  ledgerIdOf,
  type Payment,
  type PaymentAtWork,
} from '../payment/payment.ts';
import { whyNeverFits } from '../payment/reserving.ts';
import { requireRestored } from '../payment/restored.ts';
import { emptyMove, holdPayment, slotChange, slotIdsOf } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, fault, unfit } from '../problems/problem.ts';
import { readReturns } from '../refund/returns.ts';
import {
  forgetDecidedAt,
  isOpenedSetup,
  type MethodUse,
  outcomeOf,
  readMethodUse,
  readSetupAtProcessor,
} from '../setup/carry-setup.ts';
import type { OpenedSetup } from '../setup/setup.ts';
import { readPaymentsOf } from '../share/share-payment.ts';
import { leftToShares } from '../share/shares-of.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { type EpochMs, minuteMs } from '../values/time.ts';
import { finishCharge } from './carry-charge.ts';
import type { Charge, ChargePurpose, ChargeRefusal } from './charge.ts';
import {
  type ChargePaymentMethodBody,
  type ChargeView,
  chargedExample,
  chargePaymentMethodBody,
  chargeSchema,
  chargeShapes,
  type OpenedCharge,
  viewCharge,
} from './wire.ts';

const chargeProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'appointmentAlreadyPaid',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
type ChargeError = ErrorOfSteps<(typeof chargeProblems)[number]>;

export const chargePaymentMethod = {
  /**
   * Charges a saved method without the customer: a deposit before the visit, or the fee for a missed one
   * that the appointment states. For the appointment's business or an administrator.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same charge. A refusal of
   * the bank is a `conflict` with the reason `customerMustAct`, `declined`, `cardUnusable` or `methodGone`.
   *
   * @example
   * const charged = await chairside.chargePaymentMethod(manager, {
   *   appointmentId: 'haircut',
   *   idempotencyKey: crypto.randomUUID(),
   *   body: {
   *     purpose: 'deposit',
   *     amount: '20.00',
   *     paymentMethodSetupId: 'pms_01h',
   *     agreedAt: '2026-11-13T17:05:00.000Z',
   *     agreementRef: 'deposits-2026-11',
   *   },
   * });
   * if (charged.isOk()) console.log(charged.value.id, charged.value.state); // chg_01h…, captured
   */
  chargePaymentMethod: operation({
    ids: ['appointmentId'],
    limit: 'writes',
    problems: chargeProblems,
    group: 'Charges',
    summary: 'Charges a saved method for an appointment',
    description:
      "Takes a deposit before the visit, or the fee for a missed one that the appointment states. A deposit is a part of the amount due. The customer's agreement is required and kept. The same key returns the same charge. A refusal of the bank is a `conflict` with its reason, and is never tried again.",
    idempotencyKey: 'required',
    mayBeApplied: paymentMayBe(isCaptured),
    body: { ...chargePaymentMethodBody, required: true },
    output: chargeSchema,
    example: chargedExample,
    shapes: chargeShapes,
  })(steps),
};

interface ChargeInput {
  readonly appointmentId: string;
  readonly idempotencyKey: string;
  readonly body: ChargePaymentMethodBody;
}

async function* steps(
  run: Run,
  { appointmentId, idempotencyKey, body }: ChargeInput,
): Steps<ChargeView, ChargeError> {
  const { ports, auth, call, begun } = run;
  if (!managesShops(auth)) return yield* err(notOfItsShop());
  if (!canBeId(appointmentId)) return yield* err(notFound('appointment'));
  const use = keyUse(run, idempotencyKey, appointmentId, body);
  const { keys, setups } = ports.store;
  const [key, setup, found] = await Promise.all([
    keys.get(use.subject, use.key),
    find('payment method setup', body.paymentMethodSetupId, setups, isOpenedSetup),
    findAppointment(ports, appointmentId, checkPayable),
  ]);
  const appointment = found.andThen((one) =>
    managesShop(auth, one.businessId) ? ok(one) : err(notOfItsShop()),
  );
  const known = yield* key;
  const isOwnClaim = isClaimFor(use, known);
  if (!isOwnClaim) yield* appointment;
  yield* judgeKey(call, use, known, ['unprocessableEntity']);
  // The key of an earlier run may be forgotten by now: the process was stopped for days, or a clock was
  // set. Without `begun`, this run would make a second charge.
  begun.id = isOwnClaim ? known.resourceId : begun.id;
  const payment =
    begun.id === undefined
      ? yield* beginCharge(run, use, yield* appointment, orAbsent(setup), body)
      : yield* resumeCharge(run, begun.id);
  begun.id = payment.id;
  const ended = isAtWork(payment) ? yield* await finishCharge(ports, payment) : payment;
  return yield* answer(ports, ended);
}

function answer(ports: Ports, payment: Payment): Result<ChargeView, Fault<'conflict'>> {
  if (payment.state !== 'captured' || !isOpened(payment)) return err(chargeCanceled(payment));
  ports.background(() => releaseOthers(withoutDeadline(ports), payment.appointment.id));
  return ok(viewCharge(payment as OpenedCharge)); // cast: only charges get here
}

/** Decides the charge and makes it durable, with its reservation, before the processor charges (D160). */
async function* beginCharge(
  run: Run,
  use: KeyUse,
  appointment: Appointment,
  found: Result<OpenedSetup | undefined, StoreUnavailable>,
  body: ChargePaymentMethodBody,
): Steps<PaymentAtWork, ChargeError> {
  const { ports } = run;
  const amountMinor = yield* await storeRefusal(run, use, requestedMinor(body.amount));
  if (ports.processor.charges === undefined) {
    const detail = 'The payment processor of the business cannot charge saved methods.';
    return yield* err(fault('paymentProviderNotSetup', detail));
  }
  const { purpose, agreementRef } = body;
  const agreedAt = Date.parse(body.agreedAt);
  const requested = { purpose, agreedAt, amountMinor: amountMinor ?? 0n };
  const stored = yield* readRecords(ports, appointment, yield* found, purpose);
  const ownerId = yield* ownerOf(ports, stored, agreedAt);
  const records = { ...stored, ownerId };
  yield* requireUnused(ports, appointment, records.visit ?? records.ledger);
  const { setup, ...opening } = yield* decideCharge(requested, records, ports.clock.now());
  yield* requireRestored(ports, opening.account.id);
  const method = yield* readMethod(ports, setup, ownerId);
  const charge = { purpose, agreedAt, agreementRef, ...method };
  const by = yield* await actorOf(ports);
  const payment = newPayment(ports, appointment, opening, by, charge);
  const written = await commit(ports, claimCharge(ports, use, payment, appointment, setup));
  if (written.isOk()) return payment;
  const { error } = written;
  if (!isConflict(error, 'moveLedger')) return yield* err(error);
  const ledger = yield* await ports.store.ledgers.get(ledgerIdOf(payment));
  // Another charge took the slot meanwhile: the next run tells how far that is.
  if (ledger.chargeId !== undefined) return yield* err(error);
  const visit = yield* await readVisit(ports, appointment, purpose);
  return yield* err(whyFull(payment, appointment, ledger, visit));
}

/**
 * Reads the other records after the setup. A charge of the same method that began before is then among
 * them, and one that begins later changes the version of the setup.
 */
async function* readRecords(
  ports: Ports,
  appointment: Appointment,
  setup: OpenedSetup | undefined,
  purpose: ChargePurpose,
): Steps<ChargeRecords, StoreUnavailable> {
  const { businesses, ledgers, payments } = ports.store;
  const [ledgerRead, visit, business, use] = await Promise.all([
    ledgers.get(ledgerIdOf({ appointment, charge: { purpose } })),
    readVisit(ports, appointment, purpose),
    businesses.get(appointment.businessId),
    setup === undefined ? ok('free' as const) : resultOf(readMethodUse(ports, setup)),
  ]);
  const ledger = yield* ledgerRead;
  const { chargeId } = ledger;
  return {
    appointment,
    setup,
    holder: yield* chargeId === undefined
      ? readMovedDeposit(ports, ledger)
      : await payments.get(chargeId),
    ledger,
    visit: yield* visit,
    business: yield* checkBusiness(ports, appointment.businessId, business),
    use: yield* use,
  };
}

/** A deposit that was moved to the visit while its slot was taken, and is left there. */
async function* readMovedDeposit(
  ports: Ports,
  { appointmentId, capturedMinor }: Ledger,
): Steps<Payment | undefined, StoreUnavailable> {
  if (ports.shares === undefined || capturedMinor === 0n) return undefined;
  for (const payment of yield* readPaymentsOf(ports, appointmentId)) {
    if (isContactless(payment) || payment.shares === undefined) continue;
    const left = leftToShares(yield* readReturns(ports, payment));
    const shares = left.filter(({ amountMinor }) => amountMinor > 0n);
    const [slotId] = shares.length === 0 ? [] : slotIdsOf({ ...payment, shares });
    if (slotId === appointmentId) return payment;
  }
  return undefined;
}

/** A merged customer's method follows only with a new agreement. */
async function* ownerOf(
  { store }: Ports,
  { appointment, setup }: ChargeRecords,
  agreedAt: EpochMs,
): Steps<string | undefined, StoreUnavailable> {
  if (setup === undefined || setup.customerId === appointment.customerId) return undefined;
  const { merged } = yield* readMerged(store, setup.customerId);
  return merged.at !== undefined && agreedAt >= merged.at ? merged.into : undefined;
}

/** The ledger of the visit itself, which a fee for missing it is compared with. */
async function readVisit(
  ports: Ports,
  { id }: Appointment,
  purpose: ChargePurpose,
): Promise<Result<Ledger | undefined, StoreUnavailable>> {
  return purpose === 'noShow' ? ports.store.ledgers.get(id) : ok(undefined);
}

/** Reads the saved method at the processor. The first observation decides whether it came in time. */
async function* readMethod(ports: Ports, setup: OpenedSetup, ownerId: string | undefined) {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(notSetUpOrUnread);
  const outcome = outcomeOf(setup, seen, yield* await timeOf(ports, seen));
  if (outcome !== 'completed') {
    return yield* err(conflict('methodNotReady', 'The customer has not completed the setup.'));
  }
  // The customer has removed the card since.
  if (seen?.paymentMethod === undefined) {
    return yield* err(conflict('methodGone', refusalDetails.methodGone));
  }
  const { reference: setupReference, paymentMethod } = seen;
  return { ...methodOf(setup, ownerId), setupReference, paymentMethod };
}

/** Claims the key and the completed method for a new charge, and reserves its amount. */
function claimCharge(
  ports: Ports,
  use: KeyUse,
  payment: PaymentAtWork,
  appointment: Appointment,
  setup: OpenedSetup,
): readonly Change[] {
  // A method that is saved, and known to be completed, is kept as long as it was.
  const isForgotten = setup.outcome === undefined || !setup.savePaymentMethod;
  return [
    ...claimPayment(ports, use, payment, {
      maxCommittedMinor: dueMinorFor(payment, appointment),
    }),
    ...slotChange(payment, 'claim'),
    ...unpaidVisit(payment, appointment),
    {
      // The version excludes that another charge of the method has begun, or the customer has withdrawn.
      kind: 'updateSetup',
      setup: {
        ...setup,
        outcome: 'completed',
        chargeId: payment.id,
        ...(isForgotten && { nextCheckAt: forgetDecidedAt(ports, setup) }),
        version: setup.version + 1,
      },
      expectedVersion: setup.version,
    },
  ];
}

/** A fee for a missed visit is refused if the visit was paid, or is being paid, by the time of the commit. */
function unpaidVisit(
  { charge, currency }: PaymentAtWork,
  { id: appointmentId, amountDueMinor }: Appointment,
): readonly Change[] {
  if (charge?.purpose !== 'noShow' || amountDueMinor <= 0n) return [];
  return [{ ...emptyMove(appointmentId, currency), maxCommittedMinor: amountDueMinor - 1n }];
}

/** Finds the charge of the key, or takes over its unfinished work. */
async function* resumeCharge(
  { ports, auth, call, begun }: Run,
  chargeId: string,
): Steps<Payment, ChargeError> {
  const payment = yield* await ports.store.payments.get(chargeId);
  if (payment === undefined) {
    begun.id = undefined;
    return yield* err(claimWithdrawn);
  }
  if (!managesShop(auth, payment.businessId)) return yield* err(notOfItsShop());
  if (isAtWork(payment)) return yield* await takeOver(ports, payment, payment.work, holdPayment);
  if (!isOpened(payment)) return yield* err(neverOpened());
  call.facts.replayed = payment.state === 'captured';
  return payment;
}

/** Why the charge of a key took no money. */
function chargeCanceled(payment: Payment): Fault<'conflict'> {
  if (!isFinal(payment)) return running();
  const refusal = chargeRefusalOf(payment);
  return refusal === undefined
    ? conflict('chargeCanceled', 'The charge was canceled; the card is not charged.')
    : conflict(refusal, refusalDetails[refusal]);
}

const refusalDetails: Readonly<Record<ChargeRefusal, string>> = {
  customerMustAct: 'The bank wants the customer to authenticate; the card is not charged.',
  declined: 'The bank declined the charge.',
  cardUnusable: 'The bank will not accept the card again.',
  methodGone: 'The processor no longer has the saved method.',
};

/** The host's clock may be ahead by so much. */
const aheadMs = 5 * minuteMs;

export interface RequestedCharge extends Pick<Charge, 'purpose' | 'agreedAt'> {
  readonly amountMinor: bigint;
}

/** The stored records that decide whether a method may be charged. `ledger` is the fee's own for a no-show. */
export interface ChargeRecords extends Dues {
  readonly appointment: Appointment;
  /** The requested setup, if there is one. */
  readonly setup: OpenedSetup | undefined;
  readonly use: MethodUse;
  /** The customer that the method's was merged into, if the agreement is younger than that. */
  readonly ownerId?: string | undefined;
  /** The charge that holds the ledger's slot, or would if that had been free; none without one. */
  readonly holder: Payment | undefined;
}

/** Decides which method is charged, how much and at which account, as far as the store knows. */
export function decideCharge(
  requested: RequestedCharge,
  records: ChargeRecords,
  now: EpochMs,
): Result<Opening & { readonly setup: OpenedSetup }, NewPaymentFault> {
  const { amountMinor, agreedAt } = requested;
  const { appointment, setup, ownerId, use, ledger, business } = records;
  // Not stored under the key, because the time will come (D21).
  if (agreedAt > now + aheadMs) return err(unfit('/agreedAt', '/agreedAt is in the future.'));
  if (setup === undefined || whyOtherOwner(appointment, methodOf(setup, ownerId)) !== undefined) {
    const pointer = '/paymentMethodSetupId';
    return err(unfit(pointer, `${pointer} is no method of the appointment's customer.`));
  }
  const refusal = whyNotFree(setup, use) ?? whySlotHeld(records) ?? whyNoFee(requested, records);
  if (refusal !== undefined) return err(refusal);
  const due = { amountDueMinor: dueMinorFor({ charge: requested }, appointment) };
  const opening = decideNewPayment(due, ledger, business, { amountMinor, tipMinor: undefined });
  return opening.map((decided) => ({ ...decided, setup }));
}

/** The setup's members that a charge keeps, to compare them again before each request. */
function methodOf(
  { id: setupId, customerId, savePaymentMethod }: OpenedSetup,
  ownerId: string | undefined,
): Pick<Charge, 'setupId' | 'customerId' | 'ownerId' | 'isForOneVisit'> {
  return {
    setupId,
    customerId,
    ...(ownerId !== undefined && { ownerId }),
    ...(!savePaymentMethod && { isForOneVisit: true }),
  };
}

function whyNotFree({ releasedAt }: OpenedSetup, use: MethodUse): Fault<'conflict'> | undefined {
  if (releasedAt !== undefined) {
    return conflict('methodReleased', 'The customer has withdrawn the method.');
  }
  switch (use) {
    case 'usedUp':
      return conflict('methodUsed', 'The method was for one charge, which it has had.');
    case 'underWay':
      return conflict('chargeUnderWay', 'Another charge of the method has not ended yet.');
    case 'free':
      return undefined;
  }
}

/**
 * An appointment has one slot for each purpose, for all cards together. The commit claims it. A holder that has
 * ended since the ledger was read has freed it.
 */
function whySlotHeld({ ledger, holder }: ChargeRecords): Fault<'conflict'> | undefined {
  if (ledger.chargeId === undefined && holder === undefined) return undefined;
  return holder?.state === 'captured'
    ? conflict('alreadyCharged', 'The appointment has such a charge already.')
    : reservedElsewhere();
}

function whyNoFee(
  { purpose, amountMinor }: RequestedCharge,
  { appointment, visit, business }: ChargeRecords,
): FaultOf<'conflict' | 'unprocessableEntity'> | undefined {
  if (purpose !== 'noShow') return undefined;
  const { isMissed, noShowFeeMinor = 0n } = appointment;
  const { currency } = business?.processorAccount ?? {};
  if (visit !== undefined && currency !== undefined) {
    if (isVisitPaid(appointment, visit, currency)) return visitPaid();
    // The commit compares what was paid with what is due, so both must be in one currency.
    if ((visit.currency ?? currency) !== currency) {
      return conflict('currencyChanged', details.currencyChanged);
    }
  }
  if (isMissed !== true) {
    return conflict('notMissed', 'The appointment was not recorded as missed.');
  }
  return amountMinor > noShowFeeMinor
    ? unfit('/amount', '/amount is more than the no-show fee of the appointment.')
    : undefined;
}

function visitPaid(): Fault<'conflict'> {
  return conflict('visitPaid', details.visitPaid);
}

/** Why the reservation of a charge did not fit its ledgers, which are read anew. */
export function whyFull(
  payment: Payment,
  appointment: Appointment,
  ledger: Ledger,
  visit: Ledger | undefined,
): Fault<'conflict'> {
  if (visit !== undefined && isVisitPaid(appointment, visit, payment.currency)) return visitPaid();
  if (ledger.openPayments >= maxOpenPayments) return tooManyOpenPayments();
  const why = whyNeverFits(payment, { appointment, business: undefined, ledger });
  return why === undefined ? reservedElsewhere() : conflict(why, 'The charge is not due any more.');
}
