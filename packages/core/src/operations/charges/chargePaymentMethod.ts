import {
  find,
  findAppointment,
  managesShop,
  managesShops,
  notOfItsShop,
} from '../../call/access.ts';
import { problemFor } from '../../call/call.ts';
import { commit } from '../../call/commit.ts';
import { withoutDeadline } from '../../call/deadline.ts';
import { isClaimFor, judgeKey, type KeyUse, keyUse, storeProblem } from '../../call/idempotency.ts';
import type { Unvalidated } from '../../call/input.ts';
import { type ErrorOfSteps, operation, type Valid } from '../../call/operation.ts';
import type { Run } from '../../call/perform.ts';
import { type Appointment, maxOpenPayments } from '../../domain/appointment.ts';
import { type Charge, type ChargeRefusal, dueMinorFor, ledgerIdOf } from '../../domain/charge.ts';
import { isOpenedSetup, type MethodSetup, outcomeOf } from '../../domain/method-setup.ts';
import {
  chargeRefusalOf,
  isFinal,
  isOpened,
  maxListedPayments,
  type Payment,
  type PaymentAtWork,
} from '../../domain/payment.ts';
import { type Fault, type FaultOf, fault } from '../../domain/problem.ts';
import { conflict, unfit } from '../../domain/refusals.ts';
import { err, ok, type Result, type Steps } from '../../domain/result.ts';
import { canBeId } from '../../domain/text.ts';
import { type EpochMs, minuteMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import {
  type ChargePaymentMethodBody,
  type ChargeView,
  chargePaymentMethodBodySchema,
  chargeSchema,
} from '../../schemas/charge.ts';
import { chargedExample, chargeShapes } from '../../schemas/shapes/charge.ts';
import { type OpenedCharge, viewCharge } from '../../schemas/views.ts';
import { releaseOthers } from '../../work/canceling/canceling.ts';
import { whyNeverFits } from '../../work/capturing/reserving.ts';
import { claimWithdrawn, takeOver } from '../../work/carry.ts';
import { finishCharge } from '../../work/charging/charging.ts';
import { requestedMinor } from '../../work/dues/requested-amount.ts';
import {
  notSetUpOrUnread,
  reservedElsewhere,
  running,
  tooManyOpenPayments,
} from '../../work/faults.ts';
import { decideNewPayment, type Opening } from '../../work/opening/decide-new-payment.ts';
import { claimPayment, newPayment } from '../../work/opening/new-payment.ts';
import { neverOpened } from '../../work/opening/opening.ts';
import { holdPayment } from '../../work/payment/write-payment.ts';
import { type MethodUse, readMethodUse } from '../../work/setup/charged-method.ts';
import { forgetDecidedAt, readSetupAtProcessor } from '../../work/setup/setup.ts';
import { timeOf } from '../../work/shared-time.ts';

export interface ChargePaymentMethodInput {
  readonly appointmentId: string;
  /** 1 to 255 characters. The same key means the same charge (D19). */
  readonly idempotencyKey: string;
  readonly body: ChargePaymentMethodBody | Unvalidated;
}

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
   * that the appointment states. For the appointment's business or an administrator (D49).
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same charge. A refusal of
   * the bank is a `conflict` with the reason `customerMustAct`, `declined` or `methodGone`.
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
  chargePaymentMethod: operation<ChargePaymentMethodInput, ChargeView>()({
    limit: 'writes',
    problems: chargeProblems,
    group: 'Charges',
    summary: 'Charges a saved method for an appointment',
    description:
      "Takes a deposit before the visit, or the fee for a missed one that the appointment states. A deposit is a part of the amount due. The customer's agreement is required and kept. The same key returns the same charge. A refusal of the bank is a `conflict` with its reason, and is never tried again.",
    idempotencyKey: 'required',
    body: { schema: chargePaymentMethodBodySchema, required: true },
    output: chargeSchema,
    example: chargedExample,
    shapes: chargeShapes,
    run: steps,
  }),
};

type Body = Valid<ChargePaymentMethodInput>['body'];

async function* steps(
  run: Run,
  { appointmentId, idempotencyKey, body }: Valid<ChargePaymentMethodInput>,
): Steps<ChargeView, ChargeError> {
  const { ports, auth, call, begun } = run;
  if (!managesShops(auth)) return yield* err(notOfItsShop());
  const found = await findAppointment(ports, appointmentId);
  // An id that is invalid as an appointment id has no charge either (D1).
  if (found.isErr() && !canBeId(appointmentId)) return yield* err(found.error);
  const appointment = found.andThen((one) =>
    managesShop(auth, one.businessId) ? ok(one) : err(notOfItsShop()),
  );
  const use = keyUse(auth, 'chargePaymentMethod', idempotencyKey, appointmentId, body);
  const known = yield* await ports.store.keys.get(use.subject, use.key);
  const isOwnClaim = isClaimFor(use, known);
  if (!isOwnClaim) yield* appointment;
  yield* judgeKey(call, use, known, ['unprocessableEntity']);
  // The key of an earlier run may be forgotten by now: the process was stopped for days, or a clock was
  // set. Without `begun`, this run would make a second charge.
  begun.id = isOwnClaim ? known.resourceId : begun.id;
  const payment =
    begun.id === undefined
      ? yield* beginCharge(run, use, yield* appointment, body)
      : yield* resumeCharge(run, begun.id);
  begun.id = payment.id;
  const ended = isUnfinished(payment) ? yield* await finishCharge(ports, payment) : payment;
  return yield* answer(ports, ended);
}

/** A payment is at work until it is final. */
function isUnfinished(payment: Payment): payment is PaymentAtWork {
  return payment.work !== undefined;
}

function answer(ports: Ports, payment: Payment): Result<ChargeView, Fault<'conflict'>> {
  if (payment.state !== 'captured' || !isOpened(payment)) return err(chargeCanceled(payment));
  ports.background(() => releaseOthers(withoutDeadline(ports), payment.appointment.id));
  return ok(viewCharge(payment as OpenedCharge)); // cast: only charges get here
}

/** Decides the charge and makes it durable, with its reservation, before the processor is called. */
async function* beginCharge(
  run: Run,
  use: KeyUse,
  appointment: Appointment,
  body: Body,
): Steps<PaymentAtWork, ChargeError> {
  const { ports, call } = run;
  const asked = requestedMinor(body.amount);
  if (asked.isErr()) {
    return yield* await storeProblem(ports, use, problemFor(ports, call, asked.error));
  }
  const amountMinor = asked.value ?? 0n;
  const agreedAt = yield* pastTime(ports, body.agreedAt);
  if (ports.processor.charges === undefined) return yield* err(cannotCharge());
  const setup = yield* findMethodFor(ports, appointment, body.paymentMethodSetupId);
  yield* requireFree(setup, yield* readMethodUse(ports, setup));
  // Of every business: an appointment that moved keeps what it was charged.
  const { payments } = ports.store;
  const earlier = yield* await payments.listByAppointment(appointment.id, maxListedPayments);
  yield* requireUncharged(earlier, body.purpose);
  const { setup: completed, reference, paymentMethod } = yield* readMethod(ports, setup);
  const charge: Charge = {
    purpose: body.purpose,
    setupId: setup.id,
    customerId: setup.customerId,
    setupReference: reference,
    paymentMethod,
    agreedAt,
    agreementRef: body.agreementRef,
  };
  const opening = yield* decideCharge(ports, appointment, charge, amountMinor);
  const payment = newPayment(ports, appointment, opening, charge);
  // A method that is saved, and known to be completed, is kept as long as it was.
  const isForgotten = setup.outcome === undefined || !setup.savePaymentMethod;
  const written = await commit(ports, [
    // A fee for a missed visit is charged once, so it must be alone on its ledger.
    ...claimPayment(
      ports,
      use,
      payment,
      charge.purpose === 'noShow' ? amountMinor : dueMinorFor(payment, appointment),
    ),
    {
      // The version excludes that another charge of the method has begun, or the customer has withdrawn.
      kind: 'updateSetup',
      setup: {
        ...completed,
        chargeId: payment.id,
        ...(isForgotten && { nextCheckAt: forgetDecidedAt(ports, setup) }),
        version: setup.version + 1,
      },
      expectedVersion: setup.version,
    },
  ]);
  if (written.isOk()) return payment;
  const { error } = written;
  const isFull = error.kind === 'storeConflict' && error.change === 'moveLedger';
  return yield* isFull ? await whyFull(ports, payment, appointment) : err(error);
}

/** The time of an agreement. A refusal is not stored, because the time will come (D21). */
function pastTime(ports: Ports, agreedAt: string): Result<EpochMs, RequestFault> {
  const at = Date.parse(agreedAt);
  return at > ports.clock.now() + aheadMs
    ? err(unfit('/agreedAt', '/agreedAt is in the future.'))
    : ok(at);
}

type RequestFault = Fault<'unprocessableEntity'>;

/** The host's clock may be ahead by so much. */
const aheadMs = 5 * minuteMs;

function cannotCharge(): Fault<'paymentProviderNotSetup'> {
  const detail = 'The payment processor of the business cannot charge saved methods.';
  return fault('paymentProviderNotSetup', detail);
}

/** The setup of the method, which must be the appointment's own, or its customer's (D49). */
async function* findMethodFor(
  ports: Ports,
  appointment: Appointment,
  setupId: string,
): Steps<MethodSetup, RequestFault | StoreUnavailable> {
  const found = await find('payment method setup', setupId, ports.store.setups, isOpenedSetup);
  if (found.isErr() && 'kind' in found.error) return yield* err(found.error);
  const setup = found.unwrapOr(undefined);
  const { customerId, paymentMethodSetupId } = appointment;
  const isOfCustomer = customerId === setup?.customerId;
  const isIts = setup?.savePaymentMethod
    ? isOfCustomer
    : paymentMethodSetupId === setupId && (customerId === undefined || isOfCustomer);
  if (setup !== undefined && isIts) return setup;
  const pointer = '/paymentMethodSetupId';
  return yield* err(unfit(pointer, `${pointer} is no method of the appointment's customer.`));
}

function requireFree({ releasedAt }: MethodSetup, use: MethodUse): Result<void, Fault<'conflict'>> {
  if (releasedAt !== undefined) {
    return err(conflict('methodReleased', 'The customer has withdrawn the method.'));
  }
  switch (use) {
    case 'usedUp':
      return err(conflict('methodUsed', 'The method was for one charge, which it has had.'));
    case 'underWay':
      return err(conflict('chargeUnderWay', 'Another charge of the method has not ended yet.'));
    case 'free':
      return ok();
  }
}

/** An appointment has one deposit. Two desks that charge the same method meet at its setup's version. */
function requireUncharged(
  payments: readonly Payment[],
  purpose: Charge['purpose'],
): Result<void, Fault<'conflict'>> {
  const isSame = ({ charge, state }: Payment) =>
    charge?.purpose === purpose && state !== 'canceled';
  return payments.some(isSame)
    ? err(conflict('alreadyCharged', 'The appointment has such a charge already.'))
    : ok();
}

/** The collected method, by the processor. The first observation decides whether it came in time. */
async function* readMethod(
  ports: Ports,
  setup: MethodSetup,
): Steps<
  { readonly setup: MethodSetup; readonly reference: string; readonly paymentMethod: string },
  FaultOf<'conflict' | 'paymentProviderNotSetup' | 'serviceUnavailable'> | StoreUnavailable
> {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(notSetUpOrUnread);
  const outcome = outcomeOf(setup, seen, yield* await timeOf(ports, seen));
  if (outcome !== 'completed' || seen?.paymentMethod === undefined) {
    return yield* err(conflict('methodNotReady', 'The customer has not completed the setup.'));
  }
  const { reference, paymentMethod } = seen;
  return { setup: { ...setup, outcome }, reference, paymentMethod };
}

/** Decides account, currency and fee, and whether the amount is due for this purpose (D49). */
async function* decideCharge(
  ports: Ports,
  appointment: Appointment,
  charge: Charge,
  amountMinor: bigint,
): Steps<Opening, ChargeError> {
  if (charge.purpose === 'noShow') {
    const { noShowFeeMinor = 0n, isMissed } = appointment;
    if (isMissed !== true) {
      return yield* err(conflict('notMissed', 'The appointment was not recorded as missed.'));
    }
    if (amountMinor > noShowFeeMinor) {
      return yield* err(
        unfit('/amount', '/amount is more than the no-show fee of the appointment.'),
      );
    }
  }
  const { ledgers, businesses } = ports.store;
  const ledger = yield* await ledgers.get(ledgerIdOf({ appointment, charge }));
  const business = yield* await businesses.get(appointment.businessId);
  const due = { ...appointment, amountDueMinor: dueMinorFor({ charge }, appointment) };
  const asked = { amountMinor, tipMinor: undefined };
  return yield* decideNewPayment(due, ledger, business, asked);
}

/** Why the reservation of a charge does not fit its ledger. */
async function whyFull(
  ports: Ports,
  payment: Payment,
  appointment: Appointment,
): Promise<Result<never, Fault<'conflict'> | StoreUnavailable>> {
  const read = await ports.store.ledgers.get(ledgerIdOf(payment));
  if (read.isErr()) return err(read.error);
  const ledger = read.value;
  if (payment.charge?.purpose === 'noShow' && ledger.capturedMinor > 0n) {
    return err(conflict('alreadyCharged', 'The fee for the missed visit was charged before.'));
  }
  if (ledger.openPayments >= maxOpenPayments) return err(tooManyOpenPayments());
  const due = { ...appointment, amountDueMinor: dueMinorFor(payment, appointment) };
  const why = whyNeverFits(payment, due, ledger);
  return err(
    why === undefined ? reservedElsewhere() : conflict(why, 'The charge is not due any more.'),
  );
}

/** Finds the charge of the key, or takes over its unfinished work (D20). */
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
  if (isUnfinished(payment))
    return yield* await takeOver(ports, payment, payment.work, holdPayment);
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
  methodGone: 'The processor no longer has the saved method.',
};
