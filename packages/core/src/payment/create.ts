import type { Charge } from '../charge/charge.ts';
import { type Call, isRecordOf, notFound, orAbsent, requireBarber } from '../frame/access.ts';
import { actorOf, commit, isConflict } from '../frame/commit.ts';
import { claimKey, isClaimFor, judgeKey, type KeyUse, keyUse } from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal } from '../frame/perform.ts';
import type { ByActor, KeyRecord } from '../frame/record.ts';
import {
  type Appointment,
  type Business,
  feeOf,
  type Ledger,
  maxOpenPayments,
  type ProcessorAccount,
  paymentAccount,
  remainingMinor,
  snapshotOf,
} from '../host/host.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change, Read, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, type FaultOf, fault, unfit } from '../problems/problem.ts';
import { type Share, wholeFor } from '../share/share.ts';
import { clockErrorMs } from '../upkeep/swept-books.ts';
import { orNothing, sumOf } from '../values/bounds.ts';
import { canBeMoney, formatMoney, parseMoney } from '../values/money.ts';
import { err, ok, Result, resultOf, type Steps } from '../values/result.ts';
import { canBeId } from '../values/text.ts';
import { claimWithdrawn, lease, takeOver } from './carry.ts';
import { notSetUp, tooManyOpenPayments } from './faults.ts';
import {
  checkBusiness,
  checkPayable,
  findAppointment,
  findOwnAppointment,
  paymentMayBe,
  type RequestedAmount,
  requestedParts,
  requireBarberOf,
  requireUnused,
} from './find.ts';
import { finishOpening, neverOpened } from './opening.ts';
import {
  isOpened,
  ledgerIdOf,
  type OpenedPayment,
  openLifetimeMs,
  type PaymentAtWork,
} from './payment.ts';
import { checkRestored } from './restored.ts';
import { maxTipMinor, tipBoundOf } from './tip.ts';
import {
  type ContactlessPayment,
  type CreateContactlessPaymentBody,
  contactlessPaymentSchema,
  contactlessPaymentShapes,
  createContactlessPaymentBody,
  createdPaymentExample,
  viewOpening,
} from './wire.ts';
import { holdPayment, ledgerMoves } from './write.ts';

const createProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'appointmentAlreadyPaid',
  'unprocessableEntity',
  'paymentProviderNotSetup',
  'tipTooHigh',
] as const;
type CreateError = ErrorOfSteps<(typeof createProblems)[number]>;
type Created<T> = Promise<Result<T, CreateError>>;

export const createContactlessPayment = {
  /**
   * Opens a card payment for an appointment. The terminal collects it with the `clientSecret`. Without
   * an `amount` the payment collects what the appointment still owes. Where the host takes tips, `tip` is the
   * part of the amount that nobody owes.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same payment.
   *
   * @example
   * const opened = await chairside.createContactlessPayment(barber, {
   *   appointmentId: 'haircut',
   *   idempotencyKey: crypto.randomUUID(),
   * });
   * if (opened.isOk()) console.log(opened.value.id, opened.value.amount); // cpm_01h…, 45.00
   */
  createContactlessPayment: operation({
    ids: ['appointmentId'],
    limit: 'writes',
    problems: createProblems,
    group: 'Contactless payments',
    summary: 'Opens a card payment for an appointment',
    description:
      "Opens a payment session at the business's processor account. The default `amount` is the appointment's remaining balance. The `clientSecret` goes to the processor's SDK, which collects the card. The session lasts 15 minutes. The same key returns the same payment.",
    idempotencyKey: 'required',
    mayBeApplied: paymentMayBe(isOpened),
    body: { ...createContactlessPaymentBody, required: false },
    output: contactlessPaymentSchema,
    example: createdPaymentExample,
    shapes: contactlessPaymentShapes,
  })(create),
};

/** A tip above the host's bound: of its own payment, or for a tip alone of what the visit has paid. */
function tipTooHigh(
  { tips }: Ports,
  { amountMinor, tipMinor, isTipAlone }: Opening,
  ledger: Ledger,
): Fault<'tipTooHigh'> | undefined {
  const takenMinor = isTipAlone ? (ledger.tipsMinor ?? 0n) : 0n;
  const boundMinor = isTipAlone
    ? tipBoundOf(tips, ledger).maxTipsMinor
    : maxTipMinor(tips, amountMinor - tipMinor);
  const mostMinor = orNothing(boundMinor - takenMinor);
  if (tipMinor <= mostMinor) return undefined;
  const maximum = formatMoney(mostMinor);
  return fault('tipTooHigh', `The tip can be at most ${maximum}.`, {
    attributes: { pointer: '/tip', maximum },
  });
}

interface CreateInput {
  readonly appointmentId: string;
  readonly idempotencyKey: string;
  readonly body: CreateContactlessPaymentBody;
}

async function create(
  run: Run,
  { appointmentId, idempotencyKey, body }: CreateInput,
): Created<ContactlessPayment> {
  const { ports, auth, call } = run;
  const barber = requireBarber(auth);
  if (barber.isErr()) return err(barber.error);
  const barberId = barber.value;
  if (!canBeId(appointmentId)) return err(notFound('appointment'));

  const use = keyUse(run, idempotencyKey, appointmentId, body);
  const { businesses, keys, ledgers } = ports.store;
  const [known, ledger, business, appointment] = await Promise.all([
    keys.get(use.subject, use.key),
    ledgers.get(appointmentId),
    businesses.getByAppointment?.(appointmentId),
    findOwnAppointment(ports, appointmentId, barberId, checkPayable),
  ]);
  if (known.isErr()) return err(known.error);
  const target = decideTarget(call, use, known.value, appointment);
  if (target.isErr()) return err(target.error);
  const begun =
    'resume' in target.value
      ? await resumePayment(run, target.value.resume, barberId)
      : await beginPayment(run, use, target.value.begin, body, { ledger, business });
  if (begun.isErr()) return err(begun.error);
  const payment = begun.value;
  if (isOpened(payment)) return ok(viewOpening(payment));

  const opened = await finishOpening(ports, payment);
  return opened.map(viewOpening);
}

/**
 * Decides what the request is for: the payment of its key, by its id, or a new one of the
 * appointment. The key's own payment decides access, because its appointment may have moved since.
 */
function decideTarget(
  call: Call,
  use: KeyUse,
  known: KeyRecord | undefined,
  appointment: Result<Appointment, CreateError>,
): Result<{ readonly resume: string } | { readonly begin: Appointment }, CreateError> {
  const isOwnClaim = isClaimFor(use, known);
  if (appointment.isErr() && !isOwnClaim) return err(appointment.error);
  const claimed = judgeKey(call, use, known, ['unprocessableEntity']);
  if (claimed.isErr()) return err(claimed.error);
  return isOwnClaim ? ok({ resume: known.resourceId }) : appointment.map((begin) => ({ begin }));
}

/** Records that were read together with an appointment. */
interface Beside {
  readonly ledger: Awaited<Read<Ledger>>;
  /** Undefined if the store cannot read it before the appointment is known. */
  readonly business: Awaited<Read<Business | undefined>> | undefined;
}

/** Decides the new payment and makes it durable before the processor is called. */
async function beginPayment(
  run: Run,
  use: KeyUse,
  appointment: Appointment,
  body: CreateContactlessPaymentBody,
  { ledger, business }: Beside,
): Created<PaymentAtWork> {
  const { ports } = run;
  const parts = Result.combine([requestedParts(body), namedVisits(appointment.id, body)]);
  const requested = await storeRefusal(run, use, parts);
  if (requested.isErr()) return err(requested.error);
  const [amounts, named] = requested.value;
  if (ledger.isErr()) return err(ledger.error);
  const { businessId } = appointment;
  const read = isRecordOf(businessId, business)
    ? business
    : await ports.store.businesses.get(businessId);
  const owner = checkBusiness(ports, businessId, read);
  if (owner.isErr()) return err(owner.error);
  const unused = await resultOf(requireUnused(ports, appointment, ledger.value));
  if (unused.isErr()) return err(unused.error);
  const others = await resultOf(readAlsoPaid(ports, appointment, named));
  if (others.isErr()) return err(others.error);
  const decided = decideNewPayment(appointment, ledger.value, owner.value, amounts, others.value);
  if (decided.isErr()) return err(decided.error);
  const refusal = tipTooHigh(ports, decided.value, ledger.value);
  if (refusal !== undefined) return err(refusal);
  const restored = await checkRestored(ports, decided.value.account.id);
  if (restored.isErr()) return err(restored.error);

  const by = await actorOf(ports);
  if (by.isErr()) return err(by.error);
  const payment = newPayment(ports, appointment, decided.value, by.value);
  const written = await commit(ports, claimPayment(ports, use, payment));
  if (written.isOk()) return ok(payment);
  return err(isConflict(written.error, 'moveLedger') ? tooManyOpenPayments() : written.error);
}

/** Finds the payment that the key has opened, or takes over its unfinished opening. */
async function resumePayment(
  { ports, call }: Run,
  paymentId: string,
  barberId: string,
): Created<OpenedPayment | PaymentAtWork> {
  const found = await ports.store.payments.get(paymentId);
  if (found.isErr()) return err(found.error);
  const payment = found.value;
  if (payment === undefined) return err(claimWithdrawn);
  const allowed = await requireBarberOf(ports, payment, barberId);
  if (allowed.isErr()) return err(allowed.error);
  if (isOpened(payment)) {
    call.facts.replayed = true;
    return ok(payment);
  }
  if (payment.work === undefined) return err(neverOpened());
  return takeOver(ports, payment, payment.work, holdPayment);
}

export type NewPaymentFault = FaultOf<
  'appointmentAlreadyPaid' | 'conflict' | 'paymentProviderNotSetup' | 'unprocessableEntity'
>;

export interface Opening {
  readonly account: ProcessorAccount;
  /** All that the card is charged. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip; zero without one. */
  readonly tipMinor: bigint;
  /** It pays nothing that the appointment owes. */
  readonly isTipAlone: boolean;
  /** The platform's fee, if there is one. */
  readonly feeMinor: bigint | undefined;
  /** The other visits that it pays. */
  readonly others: readonly AlsoPaid[];
}

/** Another visit of a request, and its part of the amount. */
interface NamedVisit {
  readonly appointmentId: string;
  readonly amountMinor: bigint;
  /** Where the request names it. */
  readonly pointer: string;
}

/** Another visit that the payment pays, with its records. */
interface AlsoPaid extends NamedVisit {
  readonly appointment: Appointment;
  readonly ledger: Ledger;
}

/** The other visits of a request. Each is named once, with an amount above zero. */
function namedVisits(
  own: string,
  { alsoPays = [] }: CreateContactlessPaymentBody,
): Result<readonly NamedVisit[], Fault<'unprocessableEntity'>> {
  const named: NamedVisit[] = [];
  for (const [index, { appointmentId, amount }] of alsoPays.entries()) {
    const pointer = `/alsoPays/${index}`;
    const amountMinor = parseMoney(amount).unwrapOr(0n);
    if (amountMinor <= 0n) {
      return err(
        unfit(`${pointer}/amount`, 'The amount must be above zero, with 15 digits at most.'),
      );
    }
    if (appointmentId === own || named.some((one) => one.appointmentId === appointmentId)) {
      return err(unfit(`${pointer}/appointmentId`, 'The payment pays this visit already.'));
    }
    named.push({ appointmentId, amountMinor, pointer });
  }
  return ok(named);
}

/** Reads the other visits of a request. Each belongs to the same business. */
async function* readAlsoPaid(
  ports: Ports,
  { businessId }: Appointment,
  named: readonly NamedVisit[],
): Steps<readonly AlsoPaid[], FaultOf<'conflict' | 'unprocessableEntity'> | StoreUnavailable> {
  const others: AlsoPaid[] = [];
  for (const visit of named) {
    const { appointmentId, pointer } = visit;
    const appointment = yield* orAbsent(await findAppointment(ports, appointmentId, checkPayable));
    if (appointment?.businessId !== businessId) {
      const detail = 'The business has no such appointment.';
      return yield* err(unfit(`${pointer}/appointmentId`, detail));
    }
    const ledger = yield* await ports.store.ledgers.get(appointmentId);
    yield* requireUnused(ports, appointment, ledger);
    others.push({ ...visit, appointment, ledger });
  }
  return others;
}

/** The part of each visit of a payment that also pays others. */
function sharesAmong(
  appointment: Appointment,
  amountMinor: bigint,
  tipMinor: bigint,
  others: readonly AlsoPaid[],
): readonly Share[] {
  const paid = others.map((other) => ({
    ...wholeFor(other.appointment),
    amountMinor: other.amountMinor,
    tipMinor: 0n,
  }));
  const ownMinor = amountMinor - sumOf(paid).amountMinor;
  return [{ ...wholeFor(appointment), amountMinor: ownMinor, tipMinor }, ...paid];
}

/** Decides the amount and account of a new payment. */
export function decideNewPayment(
  appointment: Pick<Appointment, 'amountDueMinor'>,
  ledger: Ledger,
  business: Business | undefined,
  requested: RequestedAmount,
  others: readonly AlsoPaid[] = [],
): Result<Opening, NewPaymentFault> {
  const account = paymentAccount(business);
  const currency = account?.currency ?? ledger.currency ?? '';
  const owedMinor = remainingMinor(appointment, ledger, currency);
  if (owedMinor === undefined) {
    return err(conflict('currencyChanged', 'Earlier payments are in another currency.'));
  }
  const { amountMinor: requestedMinor, tipMinor = 0n } = requested;
  // A tip alone states both, so that a lost reply never becomes a second charge.
  const isTipAlone = tipMinor === requestedMinor && others.length === 0;
  if (!isTipAlone && owedMinor <= 0n && owedMinor === appointment.amountDueMinor) {
    return err(
      fault('appointmentAlreadyPaid', 'Nothing is due for the appointment, or not yet.', {
        attributes: { reason: 'nothingDue' },
      }),
    );
  }
  for (const other of others) {
    const leftMinor = remainingMinor(other.appointment, other.ledger, currency);
    if (leftMinor === undefined || other.amountMinor > leftMinor) {
      return err(unfit(`${other.pointer}/amount`, 'The amount is more than the visit still owes.'));
    }
  }
  const othersMinor = others.reduce((sum, other) => sum + other.amountMinor, 0n);
  const decided = isTipAlone ? ok(tipMinor) : decideAmount(owedMinor, requested, othersMinor);
  if (decided.isErr()) return err(decided.error);
  if (account === undefined) return err(notSetUp());
  const amountMinor = decided.value;
  const fee = business?.applicationFee;
  const feeBaseMinor = fee?.includesTip === true ? amountMinor : amountMinor - tipMinor;
  const feeMinor = feeOf(fee, feeBaseMinor, account.currency);
  if (feeMinor === 'otherCurrency') {
    const detail = 'The platform fee of the business is in another currency.';
    return err(fault('unprocessableEntity', detail));
  }
  return ok({
    account,
    amountMinor,
    tipMinor,
    isTipAlone,
    feeMinor,
    others,
  });
}

/**
 * The amount to collect: the requested one, or the full remainder and the tip, with what other visits
 * owe (D208).
 */
function decideAmount(
  owedMinor: bigint,
  { amountMinor: requestedMinor, tipMinor = 0n }: RequestedAmount,
  othersMinor: bigint,
): Result<bigint, FaultOf<'appointmentAlreadyPaid' | 'unprocessableEntity'>> {
  if (owedMinor <= 0n) {
    return err(fault('appointmentAlreadyPaid', 'The appointment has no remaining balance.'));
  }
  const amountMinor = requestedMinor ?? owedMinor + othersMinor + tipMinor;
  if (!canBeMoney(amountMinor)) return err(unfit('/amount', 'The amount has more than 15 digits.'));
  // Neither of them pays a part of what the appointment owes.
  const ownMinor = amountMinor - tipMinor - othersMinor;
  if (ownMinor <= 0n) {
    return err(unfit('/amount', 'The amount must be more than the tip and the other visits.'));
  }
  return ownMinor > owedMinor
    ? err(unfit('/amount', 'The amount is more than the appointment still owes.'))
    : ok(amountMinor);
}

/**
 * A payment that is about to be opened at the processor.
 * @param charge of a saved method; its amount is reserved from the beginning.
 */
export function newPayment(
  ports: Ports,
  appointment: Appointment,
  { account, amountMinor, tipMinor, feeMinor, others }: Opening,
  by: ByActor,
  charge?: Charge,
): PaymentAtWork {
  const at = ports.clock.now();
  const work = lease(ports, { kind: 'open', fence: 1 });
  const isCharge = charge !== undefined;
  return {
    id: ports.ids.next(isCharge ? 'chg' : 'cpm'),
    appointment: snapshotOf(appointment),
    businessId: appointment.businessId,
    account: account.id,
    currency: account.currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(feeMinor !== undefined && { applicationFeeMinor: feeMinor }),
    ...(isCharge && { charge }),
    ...(others.length > 0 && { shares: sharesAmong(appointment, amountMinor, tipMinor, others) }),
    ...(appointment.customerId !== undefined && { customerId: appointment.customerId }),
    state: 'created',
    version: 1,
    expiresAt: at + openLifetimeMs,
    createdAt: at,
    updatedAt: at,
    reserved: isCharge,
    work,
    nextCheckAt: work.leaseUntil,
    checks: 0,
    timeline: [
      isCharge
        ? { at, what: 'charging', cause: 'charge', ...by }
        : { at, what: 'opening', cause: 'create', ...by },
    ],
  };
}

/**
 * Claims the key for a new payment, and counts the payment on its ledger.
 * @param bound of its reservation, if it has one.
 */
export function claimPayment(
  ports: Ports,
  use: KeyUse,
  payment: PaymentAtWork,
  bound: { readonly maxCommittedMinor?: bigint } = {},
): readonly Change[] {
  return [
    claimKey(use, payment.id),
    {
      kind: 'insertPayment',
      payment,
      books: ports.processor.booksOf?.(payment.account),
      sweepFrom: payment.createdAt - clockErrorMs,
    },
    ...ledgerMoves(
      undefined,
      payment,
      new Map([[ledgerIdOf(payment), { maxOpenPayments, ...bound }]]),
    ),
  ];
}
