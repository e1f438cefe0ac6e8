import { find, managesShop, orAbsent } from '../frame/access.ts';
import { actorOf, commit, versionAfter } from '../frame/commit.ts';
import { claimEndedKey, isClaimFor, judgeKey, keyUse } from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal } from '../frame/perform.ts';
import type { ByActor } from '../frame/record.ts';
import { barberName } from '../host/host.ts';
import { claimWithdrawn } from '../payment/carry.ts';
import { cannotRead } from '../payment/faults.ts';
import { findPaymentForStaff, requestedMinor, requireSomeVisit } from '../payment/find.ts';
import type { OpenedPayment } from '../payment/payment.ts';
import { type TipParts, tipLast } from '../payment/tip.ts';
import { touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { Change } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { isCounted, refundRejected } from '../refund/refund.ts';
import { notCapturedYet } from '../refund/refund-payment.ts';
import { listReturns, readReturns, recordReturns, refundableParts } from '../refund/returns.ts';
import { isSameShare, joinShares, type Part, type Share, splitBoth } from '../share/share.ts';
import { leftToShares, type PaymentReturns, partsOfShares } from '../share/shares-of.ts';
import { timeOnOpenDay } from '../statement/open-day.ts';
import { between, orNothing, sumOf } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result, resultOf, type Steps } from '../values/result.ts';
import { countTender, findRecordedTender, requireTenderOf, tenderEvent } from './record-tender.ts';
import { actOn, keptMinor, maxListedTenders, type RecordedTender, type Tender } from './tender.ts';
import {
  type ReturnTenderBody,
  recordedExample,
  returnedExample,
  returnTenderBody,
  type TenderReturnView,
  type TenderView,
  tenderReturnSchema,
  tenderSchema,
  tenderShapes,
  viewReturn,
  viewTender,
} from './wire.ts';

interface ReturnInput {
  /** The id of the tender, or of a card payment whose refund failed at the processor. */
  readonly tenderId: string;
  readonly idempotencyKey: string;
  readonly body: ReturnTenderBody;
}

const returnProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'unprocessableEntity',
] as const;
type ReturnError = ErrorOfSteps<(typeof returnProblems)[number]>;

export const returnTender = {
  /**
   * Gives a tender back, whole or in part, as it was paid: once for each key, and never more than was taken.
   * The appointment owes nothing more for it. For the tender's barber, its business and administrators.
   *
   * Cash for a card payment is a 409 `conflict` with the reason `paidByCard`: refund the card. Only when such a
   * refund has failed at the processor, or its account is gone, can the payment's id stand for the tender's.
   *
   * @example
   * const back = await chairside.returnTender(manager, {
   *   tenderId: 'tnd_01h',
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { amount: '5.00', note: 'The cut was too short' },
   * });
   * if (back.isOk()) console.log(back.value.amount); // 5.00
   */
  returnTender: operation({
    ids: ['tenderId'],
    limit: 'writes',
    problems: returnProblems,
    group: 'Tenders',
    summary: 'Gives a tender back, whole or in part',
    description:
      'Without an `amount` it gives back all that is left. Nothing is owed again for it. Cash for a card payment is refused, unless its refund failed at the processor, or its account is gone: then the id of the payment stands for the id of the tender. The same key returns the same answer.',
    idempotencyKey: 'required',
    // The key is written together with the return.
    mayBeApplied: async () => true,
    body: { ...returnTenderBody, required: false },
    output: tenderReturnSchema,
    example: returnedExample,
    shapes: tenderShapes,
  })(steps),
};

/** The return of a tender or, as cash, of a card payment whose refund failed. */
interface Returning {
  readonly tender: Tender;
  readonly changes: readonly Change[];
}

async function* steps(
  run: Run,
  { tenderId, idempotencyKey, body }: ReturnInput,
): Steps<TenderReturnView, ReturnError> {
  const { ports, auth, call } = run;
  yield* requireSomeVisit(auth);
  const use = keyUse(run, idempotencyKey, tenderId, body);
  const [key, found] = await Promise.all([
    ports.store.keys.get(use.subject, use.key),
    findRecordedTender(ports, tenderId),
  ]);
  const known = yield* key;
  // Cash for a card payment has the payment's id.
  const paid = (yield* orAbsent(found)) ?? (yield* findPaid(run, tenderId));
  if ('act' in paid) yield* requireTenderOf(ports, auth, paid);
  if (isClaimFor(use, known)) {
    const made = yield* await ports.store.tenders.get(known.resourceId);
    if (made === undefined) return yield* err(claimWithdrawn);
    call.facts.replayed = true;
    return viewReturn(made);
  }
  yield* judgeKey(call, use, known, ['unprocessableEntity']);
  const askedMinor = yield* await storeRefusal(run, use, requestedMinor(body.amount));
  const [acting, opened] = await Promise.all([
    actorOf(ports),
    resultOf(timeOnOpenDay(ports, paid.businessId)),
  ]);
  const by = yield* acting;
  const about = {
    id: ports.ids.next('tnd'),
    ...(body.note !== undefined && { note: body.note }),
    at: yield* opened,
  };
  const { tender, changes } =
    'act' in paid
      ? yield* returnTaken(ports, paid, askedMinor, { ...about, ...by })
      : yield* returnForCard(run, paid, askedMinor, about, by);
  yield* await commit(ports, [
    claimEndedKey(ports, use, tender.id),
    { kind: 'insertTender', tender },
    ...changes,
  ]);
  return viewReturn(tender);
}

async function* findPaid({ ports, auth }: Run, id: string): Steps<OpenedPayment, ReturnError> {
  yield* await find('tender', id, ports.store.payments);
  return yield* findPaymentForStaff(ports, auth, id);
}

type About = Pick<Tender, 'id' | 'note' | 'at'>;

function returnTaken(
  ports: Ports,
  taken: RecordedTender,
  askedMinor: bigint | undefined,
  about: About & ByActor,
): Result<Returning, Fault<'conflict'>> {
  if (taken.voidedAt !== undefined) {
    return err(
      conflict('tenderVoided', 'The tender was voided, so there is nothing to give back.'),
    );
  }
  return decideReturn(keptMinor(taken), askedMinor).map((amountMinor) => {
    const tender = actOn(taken, { ...about, act: 'return', amountMinor });
    const version = versionAfter(ports, taken.version);
    const after = { ...taken, returnedMinor: taken.returnedMinor + amountMinor, version };
    return {
      tender,
      changes: [
        // Its version is the condition that no other desk has given it back.
        { kind: 'updateTender', tender: after, expectedVersion: taken.version },
        tenderEvent(tender, taken.id, version),
      ],
    };
  });
}

/** Decides how much is given back: the requested amount, or all that is left. */
export function decideReturn(
  leftMinor: bigint,
  askedMinor = leftMinor,
): Result<bigint, Fault<'conflict'>> {
  if (askedMinor > 0n && askedMinor <= leftMinor) return ok(askedMinor);
  const returnable = formatMoney(leftMinor);
  const detail = `Only ${returnable} can still be given back.`;
  return err(conflict('exceedsReturnable', detail, { returnable }));
}

/** Cash for a card payment whose refund failed. It takes the place of that refund. */
async function* returnForCard(
  { ports, auth }: Run,
  payment: OpenedPayment,
  askedMinor: bigint | undefined,
  about: About,
  by: ByActor,
): Steps<Returning, ReturnError> {
  if (payment.state !== 'captured') return yield* err(notCapturedYet());
  const known = yield* readReturns(ports, payment);
  // What went back in the processor's dashboard is not given a second time. Only if the account is gone do our
  // records decide.
  const there = await listReturns(ports, payment);
  if (there.isErr() && there.error.kind !== 'notSetUp') return yield* err(cannotRead());
  const returned = there.isOk()
    ? yield* recordReturns(ports, known, there.value, 'returnTender')
    : known;
  // Who may refund decides that no refund is to be tried.
  const isAccountGone = there.isErr() && managesShop(auth, payment.businessId);
  const left = cashable(returned, isAccountGone);
  if (left === undefined) {
    const detail =
      'A card paid this: refund the card. No refund of it has failed since the last that went through.';
    return yield* err(conflict('paidByCard', detail));
  }
  const amountMinor = yield* decideReturn(orNothing(left.owedMinor + left.tipMinor), askedMinor);
  const tipMinor = tipLast(amountMinor, left);
  const { appointment, businessId, currency } = payment;
  const tender: Tender = {
    ...about,
    ...by,
    version: 1,
    act: 'return',
    paymentId: payment.id,
    appointmentId: appointment.id,
    businessId,
    barberId: appointment.barber.id,
    barberName: barberName(appointment.barber),
    kind: 'cash',
    currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(payment.shares !== undefined && {
      parts: partsInCash(returned, { amountMinor, tipMinor }),
    }),
    returnedMinor: 0n,
  };
  // The payment's version is a condition: a refund or another return changes what is left.
  const touched = touchPayment(
    ports,
    returned.payment,
    about.at,
    'returnTender',
    [],
    'cashReturned',
    by,
  );
  return {
    tender,
    changes: [...touched.changes, tenderEvent(tender, payment.id, touched.after.version)],
  };
}

/**
 * What can be given back in cash: what is left of the failed refunds, with their tips, or all that is left if the
 * account is gone, so that the card cannot be refunded. `undefined` if no refund has failed since the last that the
 * processor took. That one may have been the repetition of an earlier one, and the card takes refunds again.
 */
function cashable(returned: PaymentReturns, isAccountGone: boolean): TipParts | undefined {
  const { payment, cash } = returned;
  // A longer list would be cut, and what was given already be forgotten.
  if (cash.length >= maxListedTenders) return { owedMinor: 0n, tipMinor: 0n };
  const left = refundableParts(returned);
  if (isAccountGone) return left;
  const { failed, takenAt } = failedLast(returned);
  // A refund that the processor rejected at once has no record, and says nothing about its amount.
  const isRejected = payment.timeline.some(
    ({ what, at }) => what === refundRejected && at >= takenAt,
  );
  if (isRejected) return left;
  if (failed.length === 0) return undefined;
  const [asked, given] = [sumOf(failed), sumOf(cash)];
  const leftMinor = left.owedMinor + left.tipMinor;
  const amountMinor = between(0n, leftMinor, asked.amountMinor - given.amountMinor);
  const askedTipMinor = between(0n, asked.tipMinor - given.tipMinor, amountMinor);
  const tipMinor = between(amountMinor - left.owedMinor, askedTipMinor, left.tipMinor);
  return { owedMinor: amountMinor - tipMinor, tipMinor };
}

/** The refunds that have failed since the last that the processor took. */
function failedLast({ refunds }: PaymentReturns) {
  const own = refunds.filter(({ origin }) => origin === 'here');
  const takenAt = Math.max(...own.filter(isCounted).map(({ createdAt }) => createdAt), 0);
  const failed = own.filter(({ state, updatedAt }) => state === 'failed' && updatedAt >= takenAt);
  return { failed, takenAt };
}

/** Whose money the cash is: theirs whose refunds have failed, or if these say too little, all who have something left. */
function partsInCash(
  returned: PaymentReturns,
  cash: Pick<Part, 'amountMinor' | 'tipMinor'>,
): readonly Share[] {
  const left = leftToShares(returned);
  const sumFor = (share: Share, acts: readonly { readonly parts?: readonly Part[] }[]) =>
    partsOfShares(acts.flatMap(({ parts = [] }) => parts).filter((one) => isSameShare(one, share)));
  const { failed } = failedLast(returned);
  const asked = left.map((share) => {
    const [back, given] = [sumFor(share, failed), sumFor(share, returned.cash)] as const;
    const tipMinor = between(0n, back.tipMinor - given.tipMinor, share.tipMinor);
    const owedLeft = share.amountMinor - share.tipMinor;
    return {
      ...share,
      amountMinor: between(0n, back.owedMinor - given.owedMinor, owedLeft) + tipMinor,
      tipMinor,
    };
  });
  const { owedMinor, tipMinor } = partsOfShares(asked);
  const isCovered = cash.tipMinor <= tipMinor && cash.amountMinor - cash.tipMinor <= owedMinor;
  return joinShares(splitBoth(isCovered ? asked : left, cash));
}

export const voidTender = {
  /**
   * Voids a tender that was recorded by mistake: the appointment owes its amount again. A tender that was given
   * back, even in part, is a 409 `conflict` with the reason `tenderReturned`. A repetition changes nothing. For
   * the tender's barber, its business and administrators.
   *
   * @example
   * const voided = await chairside.voidTender(barber, { tenderId: 'tnd_01h' });
   * if (voided.isOk()) console.log(voided.value.voidedAt); // 2026-11-20T09:35:00.000Z
   */
  voidTender: operation({
    ids: ['tenderId'],
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Tenders',
    summary: 'Voids a tender that was recorded by mistake',
    description:
      'The appointment owes the amount again. Money that was taken and is given back is a return, not a void. Voiding a tender again changes nothing.',
    output: tenderSchema,
    example: { ...recordedExample, voidedAt: '2026-11-20T09:35:00.000Z' },
    shapes: tenderShapes,
  })<TenderView>(async function* ({ ports, auth }, { tenderId }) {
    yield* requireSomeVisit(auth);
    const taken = yield* await findRecordedTender(ports, tenderId);
    yield* requireTenderOf(ports, auth, taken);
    if (taken.voidedAt !== undefined) return viewTender(taken);
    if (taken.returnedMinor > 0n) {
      const detail = 'A part of the tender was given back, so it was no mistake: return the rest.';
      return yield* err(conflict('tenderReturned', detail));
    }
    const at = yield* timeOnOpenDay(ports, taken.businessId);
    const by = yield* await actorOf(ports);
    const id = ports.ids.next('tnd');
    const { amountMinor } = taken;
    const entry = actOn(taken, { id, act: 'void', amountMinor, at, ...by });
    const after = { ...taken, voidedAt: at, version: versionAfter(ports, taken.version) };
    yield* await commit(ports, [
      { kind: 'updateTender', tender: after, expectedVersion: taken.version },
      { kind: 'insertTender', tender: entry },
      countTender(taken, -amountMinor),
      tenderEvent(entry, taken.id, after.version),
    ]);
    return viewTender(after);
  }),
};
