import { type CloudEvent, formatMoney, parseMoney } from '@chairside/core';
import { expect } from 'vitest';
import type { AnyWorld } from './world.ts';

/** The takings of a barber, as a statement shows them. */
export interface Takings {
  readonly captured: string;
  readonly tips: string;
  readonly refunded: string;
  readonly refundedTips: string;
}

/** Every event that was not delivered yet. */
export async function delivered({
  chairside,
}: Pick<AnyWorld, 'chairside'>): Promise<readonly CloudEvent[]> {
  const events: CloudEvent[] = [];
  for (let before = -1; before < events.length; ) {
    before = events.length;
    const report = await chairside.events.deliver(async (event) => {
      events.push(event);
    });
    expect(report.isOk()).toBe(true);
  }
  // A member without a value is left out, and not `undefined`.
  expect(events).toStrictEqual(JSON.parse(JSON.stringify(events)));
  return events;
}

interface Parts {
  readonly minor: bigint;
  readonly tipMinor: bigint;
}

const minor = (text = '0.00') => parseMoney(text)._unsafeUnwrap();

const partsOf = ({ amount, tip }: { readonly amount: string; readonly tip?: string }): Parts => ({
  minor: minor(amount),
  tipMinor: minor(tip),
});

/** Adds up the takings of each barber from events alone: no record is read. */
export function takingsByBarber(events: readonly CloudEvent[]): ReadonlyMap<string, Takings> {
  const barbers = new Map<string, string>();
  const paid = new Map<string, readonly Parts[]>();
  const refunds = new Map<string, Parts & { readonly barberId: string }>();
  for (const { type, data } of events) {
    switch (type) {
      case 'contactlessPayment.captured':
        barbers.set(data.contactlessPaymentId, data.barberId);
        paid.set(data.barberId, [...(paid.get(data.barberId) ?? []), partsOf(data)]);
        break;
      case 'contactlessPayment.refundPending':
      case 'contactlessPayment.refunded': {
        const { refundId = '', contactlessPaymentId } = data;
        refunds.set(refundId, {
          barberId: barbers.get(contactlessPaymentId) ?? '',
          ...partsOf(data),
        });
        break;
      }
      case 'contactlessPayment.refundFailed':
      case 'contactlessPayment.refundCanceled':
        refunds.delete(data.refundId ?? '');
        break;
    }
  }
  const sum = (parts: readonly bigint[]) => formatMoney(parts.reduce((all, one) => all + one, 0n));
  return new Map(
    [...paid].map(([barberId, captured]) => {
      const back = [...refunds.values()].filter((refund) => refund.barberId === barberId);
      return [
        barberId,
        {
          captured: sum(captured.map((one) => one.minor)),
          tips: sum(captured.map((one) => one.tipMinor)),
          refunded: sum(back.map((one) => one.minor)),
          refundedTips: sum(back.map((one) => one.tipMinor)),
        },
      ];
    }),
  );
}

/** The tips that each barber keeps. */
export function tipsByBarber(events: readonly CloudEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...takingsByBarber(events)].map(([id, { tips, refundedTips }]) => [
      id,
      formatMoney(minor(tips) - minor(refundedTips)),
    ]),
  );
}
