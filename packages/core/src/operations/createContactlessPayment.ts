import {
  findOwnAppointment,
  isReadOf,
  notFound,
  requireBarber,
  requireBarberOf,
} from '../call/access.ts';
import { type Call, problemFor } from '../call/call.ts';
import { commit } from '../call/commit.ts';
import { isClaimFor, judgeKey, type KeyUse, keyUse, storeProblem } from '../call/idempotency.ts';
import type { Unvalidated } from '../call/input.ts';
import { type ErrorOfSteps, operation, type Valid } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import type { Appointment, Ledger } from '../domain/appointment.ts';
import type { Business } from '../domain/business.ts';
import type { KeyRecord } from '../domain/key-record.ts';
import { formatMoney } from '../domain/money.ts';
import { isOpened, type OpenedPayment, type PaymentAtWork } from '../domain/payment.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { canBeId } from '../domain/text.ts';
import { maxTipMinor } from '../domain/tip.ts';
import type { Ports } from '../ports/ports.ts';
import type { Read } from '../ports/store.ts';
import {
  type ContactlessPayment,
  type CreateContactlessPaymentBody,
  type CreateTippedPaymentBody,
  contactlessPaymentSchema,
  createContactlessPaymentBodySchema,
  createTippedPaymentBodySchema,
  type TippedPayment,
  tippedPaymentSchema,
} from '../schemas/contactless-payment.ts';
import {
  contactlessPaymentShapes,
  createdPaymentExample,
} from '../schemas/shapes/contactless-payment.ts';
import { createdTippedExample, tippedPaymentShapes } from '../schemas/shapes/tips.ts';
import { viewOpening } from '../schemas/views.ts';
import { claimWithdrawn, takeOver } from '../work/carry.ts';
import { requestedParts } from '../work/dues/requested-amount.ts';
import { tooManyOpenPayments } from '../work/faults.ts';
import { decideNewPayment, type Opening } from '../work/opening/decide-new-payment.ts';
import { claimPayment, newPayment } from '../work/opening/new-payment.ts';
import { finishOpening, neverOpened } from '../work/opening/opening.ts';
import { holdPayment } from '../work/payment/write-payment.ts';

export interface CreateContactlessPaymentInput {
  readonly appointmentId: string;
  /** 1 to 255 characters. The same key means the same payment (D19). */
  readonly idempotencyKey: string;
  /** Without an amount, the payment collects the full remaining balance. */
  readonly body?: CreateContactlessPaymentBody | Unvalidated;
}

const createProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'appointmentAlreadyPaid',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
type CreateError = ErrorOfSteps<(typeof createProblems)[number]>;
type Created<T, F = never> = Promise<Result<T, CreateError | F>>;

/** Refuses a tip that the host does not allow (D48). */
type CheckTip<F> = (ports: Ports, opening: Opening) => F | undefined;
const withoutTip: CheckTip<never> = () => undefined;

export const createContactlessPayment = {
  /**
   * Opens a card payment for an appointment. The terminal collects it with the `clientSecret`. Without
   * an `amount` the payment collects what the appointment still owes.
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
  createContactlessPayment: operation<CreateContactlessPaymentInput, ContactlessPayment>()({
    limit: 'writes',
    problems: createProblems,
    group: 'Contactless payments',
    summary: 'Opens a card payment for an appointment',
    description:
      "Opens a payment session at the business's processor account. The default `amount` is the appointment's remaining balance. The `clientSecret` goes to the processor's SDK, which collects the card. The session lasts 15 minutes. The same key returns the same payment.",
    idempotencyKey: 'required',
    body: { schema: createContactlessPaymentBodySchema, required: false },
    output: contactlessPaymentSchema,
    example: createdPaymentExample,
    shapes: contactlessPaymentShapes,
    run: (run, input) => create(run, input, withoutTip),
  }),
};

export interface CreateTippedPaymentInput extends Omit<CreateContactlessPaymentInput, 'body'> {
  /** Without an amount, the payment collects the full remaining balance and the tip. */
  readonly body?: CreateTippedPaymentBody | Unvalidated;
}

/** The same operation where tips are switched on (D48). */
export const createTippedPayment = operation<CreateTippedPaymentInput, TippedPayment>()({
  limit: 'writes',
  problems: [...createProblems, 'tipTooHigh'],
  group: 'Contactless payments',
  summary: 'Opens a card payment for an appointment, with a tip',
  description:
    "Opens a payment session at the business's processor account. The default `amount` is the appointment's remaining balance and the `tip`. The tip is a part of the `amount` that nobody owes, so it never lowers what is due. The `clientSecret` goes to the processor's SDK, which collects the card. The session lasts 15 minutes. The same key returns the same payment.",
  idempotencyKey: 'required',
  body: { schema: createTippedPaymentBodySchema, required: false },
  output: tippedPaymentSchema,
  example: createdTippedExample,
  shapes: tippedPaymentShapes,
  run: (run, input) => create(run, input, tipTooHigh),
});

/** A tip above the host's bound, which is zero where tips are off. */
function tipTooHigh(
  { tips }: Ports,
  { amountMinor, tipMinor }: Opening,
): Fault<'tipTooHigh'> | undefined {
  const mostMinor = maxTipMinor(tips, amountMinor - tipMinor);
  if (tipMinor <= mostMinor) return undefined;
  const maximum = formatMoney(mostMinor);
  return fault('tipTooHigh', `The tip can be at most ${maximum}.`, {
    attributes: { pointer: '/tip', maximum },
  });
}

type CreateInput = Valid<CreateContactlessPaymentInput> & {
  readonly body: CreateTippedPaymentBody;
};

async function create<F extends Fault>(
  run: Run,
  { appointmentId, idempotencyKey, body }: CreateInput,
  checkTip: CheckTip<F>,
): Created<TippedPayment, F> {
  const { ports, auth, call } = run;
  const barber = requireBarber(auth);
  if (barber.isErr()) return err(barber.error);
  const barberId = barber.value;
  // An id that is invalid as an appointment id has no payment either (D1).
  if (!canBeId(appointmentId)) return err(notFound('appointment'));

  const use = keyUse(auth, 'createContactlessPayment', idempotencyKey, appointmentId, body);
  const { businesses, keys, ledgers } = ports.store;
  // The store makes all reads of one turn together (D71). The async function is last: a store that
  // throws then leaves no rejected promise behind.
  const [known, ledger, business, appointment] = await Promise.all([
    keys.get(use.subject, use.key),
    ledgers.get(appointmentId),
    businesses.getByAppointment?.(appointmentId),
    findOwnAppointment(ports, appointmentId, barberId),
  ]);
  if (known.isErr()) return err(known.error);
  const target = decideTarget(call, use, known.value, appointment);
  if (target.isErr()) return err(target.error);
  const begun =
    typeof target.value === 'string'
      ? await resumePayment(run, target.value, barberId)
      : await beginPayment(run, use, target.value, body, { ledger, business }, checkTip);
  if (begun.isErr()) return err(begun.error);
  const payment = begun.value;
  if (isOpened(payment)) return ok(viewOpening(payment));

  const opened = await finishOpening(ports, payment);
  return opened.map(viewOpening);
}

/**
 * Decides what the request is for: the payment of its key, by its id, or a new one of the
 * appointment. The key's own payment decides access, because its appointment may have moved since
 * (D11, D38).
 */
function decideTarget(
  call: Call,
  use: KeyUse,
  known: KeyRecord | undefined,
  appointment: Result<Appointment, CreateError>,
): Result<string | Appointment, CreateError> {
  const isOwnClaim = isClaimFor(use, known);
  if (appointment.isErr() && !isOwnClaim) return err(appointment.error);
  const claimed = judgeKey(call, use, known, ['unprocessableEntity']);
  if (claimed.isErr()) return err(claimed.error);
  return isOwnClaim ? ok(known.resourceId) : appointment;
}

type BegunPayment = OpenedPayment | PaymentAtWork;

/** Records that were read together with an appointment. */
interface Beside {
  readonly ledger: Awaited<Read<Ledger>>;
  /** Undefined if the store cannot read it before the appointment is known. */
  readonly business: Awaited<Read<Business | undefined>> | undefined;
}

/** Decides the new payment and makes it durable before the processor is called (D20). */
async function beginPayment<F extends Fault>(
  run: Run,
  use: KeyUse,
  appointment: Appointment,
  body: CreateTippedPaymentBody,
  { ledger, business }: Beside,
  checkTip: CheckTip<F>,
): Created<PaymentAtWork, F> {
  const { ports } = run;
  const requested = requestedParts(body);
  if (requested.isErr()) {
    return storeProblem(ports, use, problemFor(ports, run.call, requested.error));
  }
  if (ledger.isErr()) return err(ledger.error);
  const { businessId } = appointment;
  const owner = isReadOf(businessId, business)
    ? business
    : await ports.store.businesses.get(businessId);
  if (owner.isErr()) return err(owner.error);
  const decided = decideNewPayment(appointment, ledger.value, owner.value, requested.value);
  if (decided.isErr()) return err(decided.error);
  const refusal = checkTip(ports, decided.value);
  if (refusal !== undefined) return err(refusal);

  const payment = newPayment(ports, appointment, decided.value);
  const written = await commit(ports, claimPayment(ports, use, payment));
  if (written.isOk()) return ok(payment);
  const { error } = written;
  const isFull = error.kind === 'storeConflict' && error.change === 'moveLedger';
  return err(isFull ? tooManyOpenPayments() : error);
}

/** Finds the payment that the key has opened, or takes over its unfinished opening (D20). */
async function resumePayment(
  { ports, call }: Run,
  paymentId: string,
  barberId: string,
): Created<BegunPayment> {
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
