import { createMemoryRateLimiter, defaultRateLimits } from '../src/frame/access.ts';
import type { Payment } from '../src/payment/payment.ts';
import type { Observation, Ports } from '../src/ports/ports.ts';
import type { Processor } from '../src/ports/processor.ts';
import type { Store } from '../src/ports/store.ts';
import { defaultChallengeChannels } from '../src/settings.ts';
import { defaultDevicePolicy } from '../src/terminal/terminal.ts';
import { okAsync } from '../src/values/result.ts';
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
    shares: undefined,
    installation: 'test',
    actors: new Map(),
    observe: (observation) => seen.push(observation),
    background: () => undefined,
    ...over,
  };
  const { background: _, actors: _none, ...options } = ports;
  return { ports, options, seen, commits };
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
