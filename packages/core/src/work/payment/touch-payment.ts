import type { DisputeEvent, RefundEvent } from '../../domain/event.ts';
import type { Payment } from '../../domain/payment.ts';
import type { EpochMs } from '../../domain/time.ts';
import { noted } from '../../domain/timeline.ts';
import type { Change } from '../../ports/change.ts';

/** Makes the event of a change, once the payment gives it a version. */
export type EventMaker = (
  frame: RefundEventFrame,
  about: RefundedPayment,
) => RefundEvent | DisputeEvent;
type RefundEventFrame = Pick<RefundEvent, 'subject' | 'version' | 'occurredAt'>;
type RefundedPayment = Pick<
  RefundEvent['data'],
  'contactlessPaymentId' | 'appointmentId' | 'businessId'
>;

/**
 * The payment after a change of its refunds, disputes or keys. Each such change raises the payment's
 * version: a reservation names the version that it was decided by, so it never joins an unseen one (D44).
 * @param makers make the events for the host, in order.
 * @param entry the line of the timeline; by default the events.
 */
export function touchPayment(
  payment: Payment,
  at: EpochMs,
  cause: string,
  makers: readonly EventMaker[],
  entry?: string,
): { readonly after: Payment; readonly changes: readonly Change[] } {
  const about = {
    contactlessPaymentId: payment.id,
    appointmentId: payment.appointment.id,
    businessId: payment.businessId,
  };
  const events = makers.map((make, index) =>
    make({ subject: payment.id, version: payment.version + 1 + index, occurredAt: at }, about),
  );
  const states = events.map(({ type }) => type.replace('contactlessPayment.', ''));
  const after = {
    ...payment,
    version: payment.version + Math.max(1, events.length),
    timeline: (entry === undefined ? states : [entry]).reduce(
      (timeline, what) => noted(timeline, { at, what, cause }),
      payment.timeline,
    ),
  };
  return {
    after,
    changes: [
      { kind: 'updatePayment', payment: after, expectedVersion: payment.version },
      ...events.map((event): Change => ({ kind: 'appendEvent', event })),
    ],
  };
}
