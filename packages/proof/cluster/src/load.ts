// Phones that take payments with the real client, die and start again, and a desk that refunds.
import {
  createClient,
  createRegister,
  type Fetch,
  type Journal,
  type Reader,
} from '@chairside/client';
import { refundOperations } from '@chairside/client/refunds';
import type { StripeStandIn } from '@chairside/stripe-stand-in';
import type { Random } from '@chairside/trials/random';
import { hosts, nodes } from './hosts.ts';
import { createRecorder } from './recorder.ts';
import { dueCents, nodePort } from './shop.ts';

export type Load = ReturnType<typeof startLoad>;

const phones = 6;
const shares = { killed: 0.15, twoPhones: 0.15, refunded: 0.3 };

export function startLoad(
  standIn: StripeStandIn,
  random: Random,
  { seed, restMs }: { readonly seed: number; readonly restMs: number },
) {
  const recorder = createRecorder();
  /** Appointments whose payment was reported as captured, by their payment's id. */
  const paid = new Map<string, string>();
  const appointments: string[] = [];
  /** Payments that no app could finish, with what it said last. */
  const endless: string[] = [];
  let deaths = 0;
  let turn = 0;
  let isPaused = true;
  let running: Promise<unknown> = Promise.resolve();

  /** The next node in turn, as a balancer without health checks does. */
  const balanced: Fetch = (url, init) => {
    turn += 1;
    const node = nodes[turn % nodes.length] ?? 'node1';
    return fetch(url.replace('http://shop', `http://${hosts[node]}:${nodePort}`), init);
  };
  const send = recorder.over(balanced);
  const refunds = createClient(
    {
      baseUrl: 'http://shop',
      accessToken: () => 'manager',
      fetch: send,
      attemptTimeoutMs: 4000,
    },
    refundOperations,
  );

  /** Takes a payment as an app does that may be killed, and starts again over its journal. */
  async function take(appointmentId: string, mayDie: boolean): Promise<void> {
    const journal = memoryJournal();
    let last = 'no start';
    for (let starts = 0; starts < 40; starts += 1) {
      const death = Promise.withResolvers<'dead'>();
      let isDead = false;
      const die = () => {
        isDead = true;
        deaths += 1;
        death.resolve('dead');
      };
      const app: Fetch = async (url, init) => {
        if (isDead) return new Promise(() => undefined);
        if (mayDie && starts < 3 && random.chance(shares.killed)) {
          // The request leaves, and no app is left to read the response.
          void send(url, init).catch(() => undefined);
          die();
          return new Promise(() => undefined);
        }
        return send(url, init);
      };
      const register = createRegister({
        client: createClient({
          baseUrl: 'http://shop',
          accessToken: () => 'ada',
          fetch: app,
          attemptTimeoutMs: 4000,
        }),
        subject: 'ada',
        journal: mortal(journal, () => isDead),
        reader: readerOf(standIn),
      });
      const taken = await Promise.race([register.take({ appointmentId }), death.promise]);
      if (taken === 'dead') continue;
      if (taken.step === 'captured' && taken.paymentId !== undefined) {
        paid.set(appointmentId, taken.paymentId);
        return;
      }
      if (taken.step === 'canceled') return;
      last = `${taken.step}, ${taken.reason}: ${taken.problem?.type}`;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    endless.push(`${appointmentId} came to no end: ${last}`);
  }

  async function phone(lane: number): Promise<void> {
    while (!isPaused) {
      await new Promise((resolve) => setTimeout(resolve, random.below(restMs + 1)));
      const appointmentId = `haircut-${seed}-${lane}-${appointments.length}`;
      appointments.push(appointmentId);
      recorder.due(appointmentId, dueCents);
      const isShared = random.chance(shares.twoPhones);
      await Promise.all([
        take(appointmentId, true),
        ...(isShared ? [take(appointmentId, false)] : []),
      ]);
      const payment = paid.get(appointmentId);
      if (payment === undefined || !random.chance(shares.refunded)) continue;
      const ask = (idempotencyKey: string, amount: string) =>
        refunds.refundPayment({ contactlessPaymentId: payment, idempotencyKey, body: { amount } });
      await Promise.all([ask(`one ${payment}`, '30.00'), ask(`two ${payment}`, '20.00')]);
    }
  }

  return {
    recorder,
    paid,
    appointments: () => appointments,
    deaths: () => deaths,
    endless,
    /** Sends one request to some node, recorded. */
    send,
    go(): void {
      isPaused = false;
      running = Promise.all(Array.from({ length: phones }, (_, lane) => phone(lane)));
    },
    /** Lets every phone finish its payment. */
    async pause(): Promise<void> {
      isPaused = true;
      await running;
    },
  };
}

function readerOf(standIn: StripeStandIn): Reader {
  return {
    ready: async () => undefined,
    retrieve: async (clientSecret) => ({
      reference: clientSecret.replace(/_secret.*$/, ''),
      async collect() {
        try {
          standIn.present(clientSecret, 'visa_credit');
          return 'approved';
        } catch {
          return 'unknown';
        }
      },
    }),
  };
}

/** The storage of one start: a killed app writes no more. */
function mortal(journal: Journal, isDead: () => boolean): Journal {
  const guard = <T>(work: () => Promise<T>) =>
    isDead() ? new Promise<never>(() => undefined) : work();
  return {
    keys: () => guard(() => journal.keys()),
    get: (key) => guard(() => journal.get(key)),
    set: (key, value) => guard(() => journal.set(key, value)),
    remove: (key) => guard(() => journal.remove(key)),
  };
}

function memoryJournal(): Journal {
  const kept = new Map<string, string>();
  return {
    keys: async () => [...kept.keys()],
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    remove: async (key) => void kept.delete(key),
  };
}
