import type { CloudEvent } from '@chairside/core';
import type { Expect } from './evidence.ts';
import { minor } from './readings.ts';

/**
 * A host restores its database: it knows the events up to some moment, and gets the rest again, told from the present
 * state. Its rows then are those of a host that has seen every event.
 */
export function checkReplay(
  delivered: readonly CloudEvent[],
  replayed: readonly CloudEvent[],
  known: number,
  expect: Expect,
): void {
  const whole = rowsOf(delivered);
  const restored = rowsOf([...delivered.slice(0, known), ...replayed]);
  for (const [reference, { amountMinor }] of whole) {
    const again = restored.get(reference)?.amountMinor;
    expect(again === amountMinor, 'events', () => {
      return `${reference} is ${amountMinor} by its events, and ${again} after a replay`;
    });
  }
  for (const reference of restored.keys()) {
    expect(whole.has(reference), 'events', () => `${reference} was replayed, and never told`);
  }
  const ids = new Set(delivered.map(({ id }) => id));
  for (const { id } of replayed) {
    expect(!ids.has(id), 'events', () => `${id} was told again under the id of its event`);
  }
}

interface Row {
  readonly amountMinor: bigint;
  readonly sequence: string;
}

/** What payments took and refunds gave back. A later event of the same one replaces its row. */
function rowsOf(events: readonly CloudEvent[]): ReadonlyMap<string, Row> {
  const rows = new Map<string, Row>();
  for (const event of events) {
    const row = rowOf(event);
    if (row === undefined) continue;
    const [reference, amountMinor] = row;
    const { sequence } = event;
    const before = rows.get(reference);
    if (before === undefined || before.sequence <= sequence) {
      rows.set(reference, { amountMinor, sequence });
    }
  }
  return rows;
}

function rowOf({
  type,
  data,
}: CloudEvent): readonly [reference: string, minor: bigint] | undefined {
  switch (type) {
    case 'contactlessPayment.captured':
      return [data.contactlessPaymentId, minor(data.amount)];
    case 'contactlessPayment.canceled':
      return data.corrects === undefined ? undefined : [data.contactlessPaymentId, 0n];
    case 'contactlessPayment.refunded':
      return [data.refundId ?? '', -minor(data.amount)];
    case 'contactlessPayment.refundFailed':
    case 'contactlessPayment.refundCanceled':
      return [data.refundId ?? '', 0n];
    default:
      return undefined;
  }
}
