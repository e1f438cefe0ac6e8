import { type Found, find } from '../frame/access.ts';
import { operation } from '../frame/operation.ts';
import { remainingMinor } from '../host/appointment.ts';
import {
  findManagedAppointment,
  isManagedBy,
  notYourVisit,
  requireSomeVisit,
} from '../payment/find.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { FaultOf } from '../problems/problem.ts';
import { formatMoney } from '../values/money.ts';
import { err, type Steps } from '../values/result.ts';
import { isRecorded, maxListedTenders, type RecordedTender, type Tender } from './tender.ts';
import { type TendersView, tenderShapes, tendersSchema, viewReturn, viewTender } from './wire.ts';

// Tenders, as operations look them up for a caller: the appointment's barber, its business or an administrator
// (D202).

type Refused = FaultOf<'forbidden' | 'notFound'> | StoreUnavailable;

export function findRecordedTender(ports: Ports, id: string): Found<RecordedTender> {
  return find('tender', id, ports.store.tenders, isRecorded);
}

/**
 * Requires the tender's barber or business. The appointment's present barber is allowed too, while the
 * appointment is at that business (D38).
 */
export async function* requireTenderOf(
  ports: Ports,
  auth: AuthContext,
  tender: Tender,
): Steps<void, Refused> {
  if (!(yield* await isManagedBy(ports, auth, tender))) yield* err(notYourVisit());
}

export const tenders = {
  /**
   * Lists what was paid for an appointment without a card, and what it still owes. Tenders of another business
   * stay with that business (D38). For the appointment's barber, its business and administrators.
   *
   * @example
   * const listed = await chairside.listTenders(barber, { appointmentId: 'haircut' });
   * if (listed.isOk()) console.log(listed.value.remaining); // 25.00
   */
  listTenders: operation({
    ids: ['appointmentId'],
    limit: 'reads',
    problems: ['forbidden', 'notFound'],
    group: 'Tenders',
    summary: 'Lists what was paid without a card, and what remains',
    description:
      'Returns the tenders of the appointment, voided ones included, what was given back of them, and what the appointment still owes after cards and tenders.',
    output: tendersSchema,
    shapes: tenderShapes,
  })<TendersView>(async function* ({ ports, auth }, { appointmentId }) {
    yield* requireSomeVisit(auth);
    const appointment = yield* await findManagedAppointment(ports, auth, appointmentId);
    const { businessId } = appointment;
    const { businesses, ledgers } = ports.store;
    const [listed, ledger, business] = await Promise.all([
      ports.store.tenders.listByAppointment(appointment.id, maxListedTenders),
      ledgers.get(appointment.id),
      businesses.get(businessId),
    ]);
    const own = (yield* listed).filter((one) => one.businessId === businessId);
    const taken = yield* ledger;
    const { tenderedMinor = 0n, reservedMinor } = taken;
    const { currency = taken.currency ?? '' } = (yield* business)?.processorAccount ?? {};
    const leftMinor = remainingMinor(appointment, taken, currency);
    const items = own.filter(isRecorded).map(viewTender);
    return {
      items,
      count: items.length,
      returns: own.filter(({ act }) => act === 'return').map(viewReturn),
      tendered: formatMoney(tenderedMinor),
      reserved: formatMoney(reservedMinor),
      ...(leftMinor !== undefined && { remaining: formatMoney(leftMinor > 0n ? leftMinor : 0n) }),
    };
  }),
};
