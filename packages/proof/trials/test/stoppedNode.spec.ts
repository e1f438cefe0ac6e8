import {
  type AuthContext,
  type Chairside,
  createChairside,
  hourMs,
  minuteMs,
  type Result,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import type { Processor, Store } from '@chairside/core/ports';
import { createFakeProcessor, type FakeProcessor, type FaultKind } from '@chairside/fake-processor';
import {
  anAppointment,
  createManualClock,
  createMapStore,
  type ManualClock,
} from '@chairside/testkit';
import { expect, it } from 'vitest';

// A node is stopped at each of its port calls, and goes on after seconds or days. Meanwhile another
// node works on the same records.

const ada: AuthContext = { subject: 'ada', barberId: 'ada' };
const host: AuthContext = { subject: 'host', systemAdministrator: true };
const dueMinor = 4500n;

type Way = 'before' | 'after';
type OnCall = (way: Way) => Promise<void>;

/** These return no Result. */
const plain = new Set<unknown>(['close', 'booksOf']);

/** A port that calls back before and after each of its calls. */
function watched<T extends object>(port: T, onCall: OnCall): T {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'object' && member !== null) return watched(member, onCall);
      if (typeof member !== 'function' || plain.has(name)) return member;
      return (...args: unknown[]) =>
        new ResultAsync(around(() => Reflect.apply(member, target, args)));
    },
  });

  async function around(call: () => PromiseLike<Result<unknown, unknown>>) {
    await onCall('before');
    const reply = await call();
    await onCall('after');
    return reply;
  }
}

type Answer = Result<unknown, { readonly recovery: { readonly outcome: string } }>;

/** A shop with two nodes. The first is stopped at one call. */
interface Shop {
  readonly store: Store;
  readonly processor: FakeProcessor;
  readonly advance: (ms: number) => void;
  readonly other: Chairside;
  /** Sends the request under its only key. */
  readonly send: (node: Chairside) => Promise<Answer>;
}

const acts = {
  create: 'openPayment',
  capture: 'capturePayment',
  refund: 'refund',
  cancel: 'cancelPayment',
} as const;
type Act = keyof typeof acts;

async function openShop(act: Act, store: Store, clock: ManualClock): Promise<Shop> {
  const processor = createFakeProcessor({ clock });
  const other = createChairside({ store, processor, clock, rateLimits: 'off' });
  const business = {
    id: 'shop',
    name: 'Shop',
    processorAccount: { id: 'acct_1', currency: 'eur' },
  };
  const appointment = anAppointment({ id: 'a', businessId: 'shop', amountDueMinor: dueMinor });
  const { barber } = appointment;
  const { records } = other;
  (await records.putBusiness(business))._unsafeUnwrap();
  (await records.putBarber({ id: 'ada', businessId: 'shop' }))._unsafeUnwrap();
  const put = await records.putAppointment({ ...appointment, barber: { ...barber, id: 'ada' } });
  put._unsafeUnwrap();
  const create = async (node: Chairside, idempotencyKey: string) =>
    node.createContactlessPayment(ada, { appointmentId: 'a', idempotencyKey });
  if (act === 'create') {
    const send = (node: Chairside) => create(node, 'key');
    return { store, processor, advance: clock.advance, other, send };
  }
  const { id: contactlessPaymentId, clientSecret } = (await create(other, 'open'))._unsafeUnwrap();
  const presented = processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
  const { externalPaymentReference } = presented;
  const capture = async (node: Chairside) =>
    node.captureContactlessPayment(ada, {
      contactlessPaymentId,
      idempotencyKey: 'key',
      body: { externalPaymentReference },
    });
  if (act === 'refund') (await capture(other))._unsafeUnwrap();
  await other.settled();
  const body = { amount: '10.00' };
  const sends = {
    capture,
    refund: async (node: Chairside) =>
      node.refundPayment(host, { contactlessPaymentId, idempotencyKey: 'key', body }),
    cancel: async (node: Chairside) =>
      node.cancelContactlessPayment(host, { contactlessPaymentId }),
  };
  return { store, processor, advance: clock.advance, other, send: sends[act] };
}

/** Acts of the other node while the first is stopped. */
const meanwhile: Readonly<Record<string, (shop: Shop) => Promise<unknown>>> = {
  nothing: async () => undefined,
  'sends the same request': async ({ send, other }) => send(other),
  'takes over': async ({ advance, send, other }) => {
    advance(40 * secondMs);
    return send(other);
  },
  reconciles: async ({ advance, other }) => {
    advance(40 * secondMs);
    return other.reconcile();
  },
  'receives the messages': async ({ processor, other }) => {
    for (const event of processor.takeEvents()._unsafeUnwrap()) {
      (await other.receiveProcessorEvent(event))._unsafeUnwrap();
    }
  },
};

interface Case {
  readonly act: Act;
  /** An earlier request met this fault, and the stopped node reconciles. */
  readonly fault: FaultKind | undefined;
  readonly doing: string;
  readonly stopMs: number;
  readonly way: Way;
  readonly call: number;
}

/** Returns the contradictions; `undefined` if the node makes fewer calls. */
async function stopAt(one: Case): Promise<readonly string[] | undefined> {
  const clock = createManualClock();
  const store = createMapStore();
  const shop: Shop = await openShop(one.act, store, clock);
  const { processor, other, send } = shop;
  if (one.fault !== undefined) {
    processor.failNext(acts[one.act], one.fault);
    const first = await send(other);
    expect(first.isOk() || !saysNotApplied(first.error)).toBe(true);
    clock.advance(40 * secondMs);
  }
  let left = one.call;
  const onCall: OnCall = async (way) => {
    if (way !== one.way) return;
    left -= 1;
    if (left !== 0) return;
    await meanwhile[one.doing]?.(shop);
    clock.advance(one.stopMs);
    for (let rounds = 0; one.stopMs > 0 && rounds < 3; rounds += 1) {
      (await other.reconcile())._unsafeUnwrap();
    }
  };
  const node = createChairside({
    store: watched(store, onCall),
    // A call that has begun ends in time, which is a promise of the port.
    processor: watched<Processor>(processor, async (way) => {
      if (way === 'after') await onCall(way);
    }),
    clock,
    rateLimits: 'off',
  });
  const answer: Answer = one.fault === undefined ? await send(node) : await node.reconcile();
  await node.settled();
  await other.settled();
  if (left > 0) return undefined;
  for (let rounds = 0; rounds < 8; rounds += 1) {
    clock.advance(rounds < 5 ? 40 * secondMs : 20 * minuteMs);
    (await other.reconcile())._unsafeUnwrap();
  }
  const wrong = await contradictions(shop, one, answer);
  return wrong.map((what) => `${what}: ${JSON.stringify(one)}`);
}

async function contradictions({ store, processor }: Shop, one: Case, answer: Answer) {
  const wrong: string[] = [];
  const entries = processor.entries();
  const takenMinor = entries.reduce((sum, entry) => sum + minor(entry.amountCaptured), 0n);
  const refunds = entries.flatMap((entry) => entry.refunds ?? []);
  if (takenMinor > dueMinor) wrong.push(`${takenMinor} were taken`);
  if (refunds.length > 1) wrong.push('refunded twice under one key');
  if (entries.some(({ history }) => history.filter(({ what }) => what === 'captured').length > 1)) {
    wrong.push('captured twice');
  }
  const ledger = (await store.ledgers.get('a'))._unsafeUnwrap();
  if (ledger.capturedMinor !== takenMinor) wrong.push(`${ledger.capturedMinor} are recorded`);
  if (ledger.reservedMinor !== 0n) wrong.push(`${ledger.reservedMinor} stay reserved`);
  // After 72 hours the other node's use of the key is forgotten (D21).
  const isShared = one.doing === 'sends the same request' || one.doing === 'takes over';
  const isKnown = one.fault === undefined && (one.stopMs < 72 * hourMs || !isShared);
  const isApplied = { capture: takenMinor > 0n, refund: refunds.length > 0 };
  const wasApplied = one.act === 'capture' || one.act === 'refund' ? isApplied[one.act] : undefined;
  if (isKnown && wasApplied === true && answer.isErr() && saysNotApplied(answer.error)) {
    wrong.push('an applied request is told to be not applied');
  }
  const isUndisturbed = one.doing === 'nothing' && one.stopMs === 0;
  if (isUndisturbed && answer.isErr()) wrong.push('an undisturbed request fails');
  if (isKnown && wasApplied === false && answer.isOk()) wrong.push('a success has no effect');
  return wrong;
}

function saysNotApplied({ recovery }: { readonly recovery: { readonly outcome: string } }) {
  return recovery.outcome === 'notApplied';
}

function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

const faults = [undefined, 'timeoutBeforeApplying', 'timeoutAfterApplying', 'failure'] as const;
const stops = [0, 20 * minuteMs, 25 * hourMs, 80 * hourMs];

it.each<Act>(['create', 'capture', 'refund', 'cancel'])(
  'a node that is stopped at any call of a %s moves no money twice, and its response is true',
  async (act) => {
    const wrong: string[] = [];
    let runs = 0;
    for (const fault of faults) {
      for (const doing of Object.keys(meanwhile)) {
        for (const stopMs of stops) {
          for (const way of ['before', 'after'] as const) {
            for (let call = 1; ; call += 1) {
              const found = await stopAt({ act, fault, doing, stopMs, way, call });
              if (found === undefined) break;
              wrong.push(...found);
              runs += 1;
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(runs).toBeGreaterThan(500);
  },
);
