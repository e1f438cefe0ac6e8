import {
  type AuthContext,
  type Call,
  type Chairside,
  type ContactlessPayment,
  createChairside,
  okAsync,
  type Problem,
  Unvalidated,
} from '@chairside/core';
import { createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import {
  aBarber,
  aBusiness,
  anAppointment,
  createManualClock,
  type ManualClock,
} from '@chairside/testkit';
import { openPostgresStore, type PostgresStore } from '../src/index.ts';
import { connectionString, newSchema } from './helpers.ts';

/** One of several processes that share only the database and the processor. */
interface ShopNode {
  readonly chairside: Chairside;
  readonly store: PostgresStore;
}

export interface Shop {
  readonly clock: ManualClock;
  readonly processor: FakeProcessor;
  readonly nodes: readonly ShopNode[];
  readonly schema: string;
  /** The next node in turn. */
  next(): Chairside;
  close(): Promise<void>;
}

export interface ShopOptions {
  readonly nodes?: number;
  /** How far each node's clock is ahead of the shop's. */
  readonly aheadMs?: readonly number[];
  /** The address for each node. Default: the server of the test run. */
  readonly openNode?: (schema: string) => ReturnType<typeof openPostgresStore>;
}

const ada: AuthContext = {
  subject: 'user-ada',
  barberId: 'barber-1',
  entitlements: ['contactlessPayments'],
};

const asAda = (): Call => ({ auth: ada, facts: {} });

export async function openShop(options: ShopOptions = {}): Promise<Shop> {
  const { nodes: count = 4, aheadMs = [] } = options;
  const openNode =
    options.openNode ??
    // A separate pool, so that closing the shop frees its connections: a storm opens many shops.
    ((schema: string) => openPostgresStore(connectionString, { schema, maxConnections: 8 }));
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const schema = newSchema();
  const nodes: ShopNode[] = [];
  for (let index = 0; index < count; index += 1) {
    const store = (await openNode(schema))._unsafeUnwrap();
    const ahead = aheadMs[index] ?? 0;
    const nodeClock = { now: () => clock.now() + ahead };
    // The database server's time is the shop's too.
    const shared = { ...store, now: () => okAsync(clock.now()) };
    const chairside = createChairside({
      store: shared,
      processor,
      clock: nodeClock,
      rateLimits: 'off',
    });
    nodes.push({ chairside, store });
  }
  let turn = 0;
  const next = () => {
    turn += 1;
    const node = nodes[turn % nodes.length];
    if (node === undefined) throw new Error('A shop has a node');
    return node.chairside;
  };
  const { records } = next();
  (await records.putBusiness(aBusiness()))._unsafeUnwrap();
  (await records.putBarber(aBarber()))._unsafeUnwrap();
  return {
    clock,
    processor,
    nodes,
    schema,
    next,
    close: async () => {
      for (const { chairside, store } of nodes) {
        await chairside.settled();
        await store.close();
      }
    },
  };
}

export async function givenAppointment(shop: Shop, id: string): Promise<string> {
  (await shop.next().records.putAppointment(anAppointment({ id })))._unsafeUnwrap();
  return id;
}

/** The client's view: a payment, or a problem. */
export type Answer = { readonly ok: ContactlessPayment } | { readonly problem: Problem };

export async function create(
  chairside: Chairside,
  appointmentId: string,
  key: string,
): Promise<Answer> {
  const created = await chairside.createContactlessPayment(asAda(), {
    appointmentId,
    idempotencyKey: key,
  });
  return created.isOk() ? { ok: created.value } : { problem: created.error };
}

export async function capture(
  chairside: Chairside,
  payment: ContactlessPayment,
  reference: string,
  key: string,
): Promise<Answer> {
  const captured = await chairside.captureContactlessPayment(asAda(), {
    contactlessPaymentId: payment.id,
    idempotencyKey: key,
    body: new Unvalidated({
      externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' },
    }),
  });
  return captured.isOk() ? { ok: captured.value } : { problem: captured.error };
}

/** Repeats it as long as the response asks for that. */
export async function untilFinal(send: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const answer = await send();
    if ('ok' in answer) return answer;
    if (answer.problem.recovery.retry !== 'retrySameRequestAfterDelay') return answer;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never ended');
}

export function present(shop: Shop, payment: ContactlessPayment): string {
  const presented = shop.processor.presentCard(payment.clientSecret, 'visa_credit');
  return presented._unsafeUnwrap().externalPaymentReference.id;
}

export function paymentOf(answer: Answer): ContactlessPayment {
  if ('ok' in answer) return answer.ok;
  throw new Error(`${answer.problem.type}: ${answer.problem.detail}`);
}

/** The processor's captured total in cents. */
export function takenMinor({ processor }: Shop): bigint {
  return processor
    .entries()
    .reduce((sum, entry) => sum + BigInt(entry.amountCaptured.replace('.', '')), 0n);
}
