import { commit } from '../frame/commit.ts';
import { isSameWorld, ownWorld, readWorld, writeWorld } from '../frame/facts.ts';
import { hostTask } from '../frame/operation.ts';
import {
  type Appointment,
  type AppointmentReference,
  barberName,
  snapshotOf,
} from '../host/host.ts';
import { booksOf } from '../payment/carry.ts';
import { checkPayable, readAppointment, readBusiness } from '../payment/find.ts';
import { followBooks, reviewedNow } from '../payment/follow.ts';
import { openLifetimeMs, type Payment } from '../payment/payment.ts';
import { orphanReview } from '../payment/reviews.ts';
import {
  type ComparedStep,
  changesOf,
  compareAgain,
  compareForeign,
  ledgerMoves,
  slotChange,
  writeSeen,
} from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { ListedPayment, OtherVisitMarks, VisitMarks } from '../ports/processor.ts';
import type { Change, CommitError, StoreUnavailable } from '../ports/store.ts';
import { conflict } from '../problems/problem.ts';
import { type Share, wholeFor } from '../share/share.ts';
import { ownAccounts } from '../statement/read-day.ts';
import { sumOf } from '../values/bounds.ts';
import { parseMoney } from '../values/money.ts';
import { err, type Result, type Steps } from '../values/result.ts';
import { type EpochMs, formatTimestamp } from '../values/time.ts';
import { type ItemEnd, isBeingOpened, isKnown, type ListToSweep } from './sweep-list.ts';
import { clockErrorMs, type Restored, type SweptBooks } from './swept-books.ts';

// A database that was restored from a backup lacks the captures since, so their visits look due. Their
// marks at the processor name the visits, and they are recorded here before anything is opened (D210).

/** Where the reading of the books goes on, or begins: before what the backup had swept. */
export function restorationOf(
  { sweptBefore, lists }: SweptBooks,
  restoration: number,
  now: EpochMs,
): Restored {
  const { restored, payments } = lists ?? {};
  if (restored !== undefined && restored.end === undefined) return restored;
  const knownUntil = payments?.sweptBefore ?? sweptBefore;
  return { restoration, sweptBefore: Math.min(knownUntil, now) - clockErrorMs };
}

/** The payments of the books: those that hold or took money are recorded where the backup lacks them. */
export function paymentsToRestore(ports: Ports, now: EpochMs): ListToSweep<ListedPayment> {
  return {
    call: 'listPayments',
    pageSize: 100,
    isOfAnyAge: true,
    read: (request) => ports.processor.listPayments(request),
    handle: (item) => restore(ports, item, now),
  };
}

/** With the records that the host could not read, which count as gone. */
type TolerantPorts = Ports & { readonly unreadable: Set<string> };

async function* restore(
  run: Ports,
  item: ListedPayment,
  now: EpochMs,
): Steps<ItemEnd, StoreUnavailable> {
  // A sweep cancels what is only open, once it is an hour old.
  if (item.status !== 'captured' && item.status !== 'authorized') return 'done';
  // A record that the host cannot read must not keep a whole account closed (D51, D68).
  const unreadable = new Set<string>();
  const ports = { ...run, unreadable };
  const payment = yield* await ports.store.payments.get(item.paymentId);
  const { visit } = item;
  if (payment === undefined && visit !== undefined && (yield* isOfBusiness(ports, item, visit))) {
    const found = yield* changesFor(ports, item, visit, now);
    const written = await commit(ports, found.changes);
    if (written.isOk() && found.isForeign) await compareAgain(ports, found.after);
    return recorded(written);
  }
  if (item.status !== 'captured' || payment?.state === 'captured') return 'done';
  if (payment?.account === item.account && isKnown(payment, item)) {
    return recorded(await writeSeen(ports, payment, item, 'reconcile'));
  }
  // `reconcile` is about to learn what became of its create.
  return isBeingOpened(payment) ? 'later' : orphanReview(item, 'orphanCaptured');
}

/** A change that came first may have recorded the item, so it is looked at again. */
function recorded(written: Result<unknown, CommitError>): ItemEnd {
  return written.isOk() ? 'done' : 'later';
}

/**
 * Whether the account is one of the business that the marks name: the owner of an account may copy marks to payments
 * of its own. Nobody else writes to books that several accounts share.
 */
async function* isOfBusiness(
  ports: TolerantPorts,
  { account }: ListedPayment,
  { businessId }: VisitMarks,
): Steps<boolean, StoreUnavailable> {
  if (isShared(ports, account)) return true;
  const business = yield* await readBusiness(ports, businessId);
  // The payment counts where the host cannot tell.
  if (ports.unreadable.has(businessId)) return true;
  return ownAccounts(business).includes(account);
}

function isShared(ports: Ports, account: string): boolean {
  return booksOf(ports, account) !== account;
}

/** Records a payment that the backup lacks: itself, its amount on its visit's ledger, and its events. */
async function* changesFor(
  ports: TolerantPorts,
  item: ListedPayment,
  visit: VisitMarks,
  now: EpochMs,
): Steps<ComparedStep, StoreUnavailable> {
  const { alsoPays = [] } = visit;
  const visits: (Appointment | undefined)[] = [];
  for (const { appointmentId } of [visit, ...alsoPays]) {
    visits.push(yield* await readAppointment(ports, appointmentId));
  }
  const [found, ...others] = visits;
  const appointment = yield* referenceOf(ports, item, visit, found);
  const shares = sharesByMarks(item, alsoPays, appointment, others);
  const before = { ...opened(item, visit, appointment, now), ...(shares && { shares }) };
  const { payment, passed, ...followed } = followBooks(before, item, now, 'reconcile');
  const known = { ...payment, version: payment.version + 1, ...(item.card && { card: item.card }) };
  const states = ['created' as const, ...passed];
  // A visit may have moved, or another business's id was copied: only a person can tell.
  const isElsewhere = visits.some(
    (one) => one !== undefined && one.businessId !== visit.businessId,
  );
  const isDoubtful = isElsewhere && states.includes('captured') && !isShared(ports, item.account);
  const doubted = isDoubtful ? reviewedNow(known, 'capturedBeyondDue', now) : known;
  const step = { ...followed, payment: doubted, passed: states };
  // What a visit owes is not known before the host has put it again.
  const isGone = found === undefined && !ports.unreadable.has(visit.appointmentId);
  const { after, changes, isForeign } = isGone
    ? { ...changesOf(ports, before, step), isForeign: false }
    : yield* await compareForeign(ports, before, step);
  const inserted: readonly Change[] = [
    { kind: 'insertPayment', payment: after, books: ports.processor.booksOf?.(item.account) },
    // Its create; what follows moves what was captured, and ends it.
    ...ledgerMoves(undefined, before),
    ...slotChange(after, 'keep'),
    // The payment is new, so these changes of a known one are replaced by the above.
    ...changes.filter(({ kind }) => !['updatePayment', 'moveSlot'].includes(kind)),
  ];
  return { after, changes: inserted, isForeign };
}

/** The payment as its create recorded it, as far as the processor kept it. */
function opened(
  item: ListedPayment,
  { businessId, purpose }: VisitMarks,
  appointment: AppointmentReference,
  now: EpochMs,
): Payment {
  const { paymentId, openedAt, tipMinor = 0n, applicationFeeMinor = 0n } = item;
  return {
    id: paymentId,
    appointment,
    businessId,
    account: item.account,
    currency: item.currency,
    amountMinor: item.amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(applicationFeeMinor > 0n && { applicationFeeMinor }),
    ...(purpose !== undefined && { charge: { ...lostCharge, purpose, agreedAt: openedAt } }),
    clientSecret: item.clientSecret,
    state: 'created',
    version: 1,
    expiresAt: openedAt + openLifetimeMs,
    createdAt: openedAt,
    updatedAt: now,
    reserved: false,
    nextCheckAt: now,
    checks: 0,
    timeline: [{ at: now, what: 'restored', cause: 'reconcile' }],
  };
}

/** Whose it is, if it also pays other visits. Marks that do not add up say nothing. */
function sharesByMarks(
  { amountMinor, tipMinor = 0n }: ListedPayment,
  alsoPays: readonly OtherVisitMarks[],
  appointment: AppointmentReference,
  visits: readonly (Appointment | undefined)[],
): readonly Share[] | undefined {
  const others = alsoPays.map(({ appointmentId, barberId, amount }, index): Share => {
    const barber = visits[index]?.barber;
    return {
      appointmentId,
      barberId,
      ...(barber?.id === barberId && { barberName: barberName(barber) }),
      amountMinor: parseMoney(amount).unwrapOr(0n),
      tipMinor: 0n,
    };
  });
  const ownMinor = amountMinor - sumOf(others).amountMinor;
  if (others.length === 0 || ownMinor <= tipMinor) return undefined;
  return [{ ...wholeFor(appointment), amountMinor: ownMinor, tipMinor }, ...others];
}

/** The processor does not keep what the customer agreed to. */
const lostCharge = {
  setupId: '',
  customerId: '',
  setupReference: '',
  paymentMethod: '',
  agreementRef: '',
};

/** The visit as it is now. The backup may lack it, or the host's row be malformed, so the names may be lost. */
async function* referenceOf(
  ports: Ports,
  { openedAt }: ListedPayment,
  { appointmentId, businessId, barberId }: VisitMarks,
  appointment: Appointment | undefined,
): Steps<AppointmentReference, StoreUnavailable> {
  const known = appointment && checkPayable(appointment, () => undefined).unwrapOr(undefined);
  if (known?.barber.id === barberId) return snapshotOf(known);
  const barber = { id: barberId, givenName: lost, surname: lost };
  if (known !== undefined) return { ...snapshotOf(known), barber };
  const business = yield* await readBusiness(ports, businessId);
  const name = business?.name ?? lost;
  const occursOn = formatTimestamp(openedAt);
  return {
    id: appointmentId,
    occursOn,
    barber,
    location: { id: businessId, name, shopName: name },
  };
}

const lost = 'unknown';

export const relabeling = {
  /**
   * Makes a copied database one of this process: of its processor, its mode and its installation, one of which
   * must differ from the original's. Until then every call is 503 with the reason `otherWorld`. Upkeep then
   * leaves alone what was begun before. Run it once, before anything else opens the copy.
   *
   * @example
   * const copied = await chairside.relabel();
   * if (copied.isErr()) console.error(copied.error.detail);
   */
  relabel: hostTask<[], void>()({
    problems: ['conflict'],
    isAnywhere: true,
    async *task({ ports }) {
      const { fact, stored } = yield* await readWorld(ports);
      const own = ownWorld(ports);
      if (stored !== undefined && isSameWorld(stored, own)) {
        const detail = 'A copy needs another installation or another key than its original.';
        return yield* err(conflict('sameWorld', detail));
      }
      yield* await writeWorld(ports, fact, { ...own, since: ports.clock.now() });
    },
  }),
};
