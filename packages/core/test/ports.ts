import { createMemoryRateLimiter, defaultRateLimits } from '../src/call/rate-limit.ts';
import { defaultChallengeChannels } from '../src/domain/challenge-channels.ts';
import { defaultDevicePolicy } from '../src/domain/device-policy.ts';
import type { Payment } from '../src/domain/payment.ts';
import { okAsync } from '../src/domain/result.ts';
import type { Observation } from '../src/ports/observer.ts';
import type { Ports } from '../src/ports/ports.ts';
import type { Processor } from '../src/ports/processor.ts';
import type { Store } from '../src/ports/store.ts';
import { noProcessor } from './no-processor.ts';
import { now } from './support.ts';
import { createTinyStore } from './tiny-store.ts';

/** Ports with a frozen clock and counted ids, and the calls of their observer. */
export function testPorts(over: Partial<Ports> = {}) {
  const seen: Observation[] = [];
  const { store, commits } = createTinyStore();
  let made = 0;
  const ports: Ports = {
    store,
    processor: noProcessor,
    clock: { now: () => now },
    ids: {
      next(prefix) {
        made += 1;
        return `${prefix}_${made}`;
      },
    },
    rateLimiter: createMemoryRateLimiter(),
    rateLimits: defaultRateLimits,
    devicePolicy: defaultDevicePolicy,
    challengeMethods: defaultChallengeChannels,
    tips: undefined,
    installation: 'test',
    observe: (observation) => seen.push(observation),
    background: () => undefined,
    ...over,
  };
  return { ports, seen, commits };
}

/** Ports with these parts of a store and of a processor. */
export function portsOver(store: Partial<Store>, processor: Partial<Processor> = {}) {
  const { ports } = testPorts();
  return {
    ...ports,
    store: { ...ports.store, ...store },
    processor: { ...noProcessor, ...processor },
  };
}

/** A store whose reads of a payment find this one. */
export function storeOf(payment: Payment | undefined): Partial<Store> {
  const payments: Partial<Store['payments']> = { get: () => okAsync(payment) };
  // cast: these tests read no other part of the payments
  return { payments: payments as Store['payments'] };
}
