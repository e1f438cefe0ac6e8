import { expect, it } from 'vitest';
import { keyUse } from '../src/call/idempotency.ts';
import { keyRetentionMs, type Payment } from '../src/domain/payment.ts';
import { repeatedCapture } from '../src/work/capturing/repeated-capture.ts';
import { testPorts } from './ports.ts';
import { aPayment, now } from './support.ts';

const { nextCheckAt: _, ...unchecked } = aPayment({
  state: 'captured',
  updatedAt: now - keyRetentionMs,
  timeline: [],
});

// cast: a store in plain JavaScript may return it
const withUndefined = { ...unchecked, nextCheckAt: undefined } as unknown as Payment;

it.each<[string, Payment]>([
  ['absent', unchecked],
  ['undefined', withUndefined],
])('erases the secret later if the next check is %s', (_name, payment) => {
  const { ports } = testPorts();
  const use = keyUse({ subject: 'ada' }, 'captureContactlessPayment', 'k', payment.id, {});
  const changes = repeatedCapture(ports, use, payment);
  expect(changes).toContainEqual(
    expect.objectContaining({
      kind: 'updatePayment',
      payment: expect.objectContaining({ nextCheckAt: now + keyRetentionMs }),
    }),
  );
});
