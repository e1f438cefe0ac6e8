import {
  find,
  findAppointment,
  managesShop,
  managesShops,
  notFound,
  notOfItsShop,
  orAbsent,
} from '../../call/access.ts';
import { problemFor } from '../../call/call.ts';
import { commit } from '../../call/commit.ts';
import { withoutDeadline } from '../../call/deadline.ts';
import { isClaimFor, judgeKey, type KeyUse, keyUse, storeProblem } from '../../call/idempotency.ts';
import type { Unvalidated } from '../../call/input.ts';
import { type ErrorOfSteps, operation, type Valid } from '../../call/operation.ts';
import type { Run } from '../../call/perform.ts';
import type { Appointment } from '../../domain/appointment.ts';
import {
  type ChargePurpose,
  type ChargeRefusal,
  dueMinorFor,
  ledgerIdOf,
} from '../../domain/charge.ts';
import { isOpenedSetup, type OpenedSetup, outcomeOf } from '../../domain/method-setup.ts';
import {
  chargeRefusalOf,
  isFinal,
  isOpened,
  maxListedPayments,
  type Payment,
  type PaymentAtWork,
} from '../../domain/payment.ts';
import { type Fault, fault } from '../../domain/problem.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, ok, type Result, resultOf, type Steps } from '../../domain/result.ts';
import { canBeId } from '../../domain/text.ts';
import type { Change } from '../../ports/change.ts';
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
import { claimWithdrawn, takeOver } from '../../work/carry.ts';
import { finishCharge } from '../../work/charging/charging.ts';
import { type ChargeRecords, decideCharge, whyFull } from '../../work/charging/decide-charge.ts';
import { requestedMinor } from '../../work/dues/requested-amount.ts';
import { notSetUpOrUnread, running } from '../../work/faults.ts';
import { claimPayment, newPayment } from '../../work/opening/new-payment.ts';
import { neverOpened } from '../../work/opening/opening.ts';
import { holdPayment } from '../../work/payment/write-payment.ts';
import { readMethodUse } from '../../work/setup/charged-method.ts';
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

async function* steps(
  run: Run,
  { appointmentId, idempotencyKey, body }: Valid<ChargePaymentMethodInput>,
): Steps<ChargeView, ChargeError> {
  const { ports, auth, call, begun } = run;
  if (!managesShops(auth)) return yield* err(notOfItsShop());
  // An id that is invalid as an appointment id has no charge either (D1).
  if (!canBeId(appointmentId)) return yield* err(notFound('appointment'));
  const use = keyUse(auth, 'chargePaymentMethod', idempotencyKey, appointmentId, body);
  const { keys, setups } = ports.store;
  // The store makes all reads of one turn together (D71). The async functions are last: a store that
  // throws then leaves no rejected promise behind.
  const [key, setup, found] = await Promise.all([
    keys.get(use.subject, use.key),
    find('payment method setup', body.paymentMethodSetupId, setups, isOpenedSetup),
    findAppointment(ports, appointmentId),
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

/** Decides the charge and makes it durable, with its reservation, before the processor charges (D160). */
async function* beginCharge(
  run: Run,
  use: KeyUse,
  appointment: Appointment,
  found: Result<OpenedSetup | undefined, StoreUnavailable>,
  body: Valid<ChargePaymentMethodInput>['body'],
): Steps<PaymentAtWork, ChargeError> {
  const { ports, call } = run;
  const asked = requestedMinor(body.amount);
  if (asked.isErr()) {
    return yield* await storeProblem(ports, use, problemFor(ports, call, asked.error));
  }
  if (ports.processor.charges === undefined) return yield* err(cannotCharge());
  const { purpose, agreementRef } = body;
  const agreedAt = Date.parse(body.agreedAt);
  const requested = { purpose, agreedAt, amountMinor: asked.value ?? 0n };
  const records = yield* readRecords(ports, appointment, yield* found, purpose);
  const { setup, ...opening } = yield* decideCharge(requested, records, ports.clock.now());
  const method = yield* readMethod(ports, setup);
  const charge = { purpose, agreedAt, agreementRef, ...method };
  const payment = newPayment(ports, appointment, opening, charge);
  const written = await commit(ports, claimCharge(ports, use, payment, appointment, setup));
  if (written.isOk()) return payment;
  const { error } = written;
  const isFull = error.kind === 'storeConflict' && error.change === 'moveLedger';
  if (!isFull) return yield* err(error);
  const ledger = yield* await ports.store.ledgers.get(ledgerIdOf(payment));
  return yield* err(whyFull(payment, appointment, ledger));
}

function cannotCharge(): Fault<'paymentProviderNotSetup'> {
  const detail = 'The payment processor of the business cannot charge saved methods.';
  return fault('paymentProviderNotSetup', detail);
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
  const [earlier, ledger, business, use] = await Promise.all([
    payments.listByAppointment(appointment.id, maxListedPayments),
    ledgers.get(ledgerIdOf({ appointment, charge: { purpose } })),
    businesses.get(appointment.businessId),
    setup === undefined ? ok('free' as const) : resultOf(readMethodUse(ports, setup)),
  ]);
  return {
    appointment,
    setup,
    earlier: yield* earlier,
    ledger: yield* ledger,
    business: yield* business,
    use: yield* use,
  };
}

/** The collected method, by the processor. The first observation decides whether it came in time. */
async function* readMethod(ports: Ports, setup: OpenedSetup) {
  const seen = yield* (await readSetupAtProcessor(ports, setup)).mapErr(notSetUpOrUnread);
  const outcome = outcomeOf(setup, seen, yield* await timeOf(ports, seen));
  if (outcome !== 'completed' || seen?.paymentMethod === undefined) {
    return yield* err(conflict('methodNotReady', 'The customer has not completed the setup.'));
  }
  const { reference: setupReference, paymentMethod } = seen;
  return { setupId: setup.id, customerId: setup.customerId, setupReference, paymentMethod };
}

/** Claims the key and the completed method for a new charge, and reserves its amount. */
function claimCharge(
  ports: Ports,
  use: KeyUse,
  payment: PaymentAtWork,
  appointment: Appointment,
  setup: OpenedSetup,
): readonly Change[] {
  const { amountMinor, charge } = payment;
  // A method that is saved, and known to be completed, is kept as long as it was.
  const isForgotten = setup.outcome === undefined || !setup.savePaymentMethod;
  return [
    // A fee for a missed visit is charged once, so it must be alone on its ledger.
    ...claimPayment(
      ports,
      use,
      payment,
      charge?.purpose === 'noShow' ? amountMinor : dueMinorFor(payment, appointment),
    ),
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
