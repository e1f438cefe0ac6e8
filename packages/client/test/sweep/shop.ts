import { type AuthContext, createChairside, type Result, secondMs } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createStripeProcessor, markNames } from '@chairside/stripe';
import { createStripeStandIn, stripeCards } from '@chairside/stripe-stand-in';
import { createManualClock, createMapStore, type ManualClock } from '@chairside/testkit';
import type { AlsoPays, Collected, Fetch } from '../../src/index.ts';
import type { SweptCard } from './cards.ts';

/** Two people of one chair: both may take its payments, under keys of their own. */
export type Person = 'ada' | 'eve';

export type ProcessorName = 'fake processor' | "Stripe's stand-in";

/** The functions of a processor that a sweep needs. */
interface Books {
  readonly processor: Processor;
  present(clientSecret: string, card: SweptCard): Collected;
  /** The captured payments, by Chairside's ids. */
  captured(): readonly { readonly paymentId: string; readonly amount: number }[];
}

const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };

function overFake(clock: ManualClock): Books {
  const processor = createFakeProcessor({ clock });
  return {
    processor,
    present(clientSecret, card) {
      const tapped = processor.presentCard(clientSecret, card);
      if (tapped.isErr()) return 'unknown';
      const { status } = tapped.value;
      return status === 'authorized' ? 'approved' : status;
    },
    captured: () =>
      processor
        .entries()
        .filter(({ status }) => status === 'captured')
        .map(({ paymentId, amountCaptured }) => ({ paymentId, amount: Number(amountCaptured) })),
  };
}

const approvalDelayMs = 5 * secondMs;

function overStandIn(clock: ManualClock): Books {
  // Joined here, so that this file contains no secret.
  const secretKey = ['sk', 'test', 'sweep'].join('_');
  const standIn = createStripeStandIn({ clock, secretKey, webhookSecret: 'unused' });
  standIn.addAccount({ id: account.id, currency: account.currency });
  standIn.addLocation(account.id, account.terminalLocation);
  const slow = new Map<string, number>();

  function settle(): void {
    for (const [clientSecret, at] of slow) {
      if (clock.now() < at + approvalDelayMs) continue;
      slow.delete(clientSecret);
      const intent = standIn.intents().find(({ client_secret }) => client_secret === clientSecret);
      if (intent?.status === 'processing') standIn.settle(clientSecret);
    }
  }

  const made = createStripeProcessor({
    secretKey,
    clock,
    httpClient: standIn.httpClient,
    deadlineMs: 10 * secondMs,
  });
  if (made.isErr()) throw new Error(made.error.kind);
  const processor = made.value;
  return {
    processor: {
      ...processor,
      readPayment(payment, claimed) {
        settle();
        return processor.readPayment(payment, claimed);
      },
    },
    present(clientSecret, card) {
      try {
        standIn.present(clientSecret, card);
      } catch {
        return 'unknown';
      }
      const intent = standIn.intents().find(({ client_secret }) => client_secret === clientSecret);
      if (stripeCards[card].does === 'approveLater') slow.set(clientSecret, clock.now());
      switch (intent?.status) {
        case 'requires_capture':
          return 'approved';
        case 'processing':
          return 'processing';
        case 'canceled':
          return 'canceled';
        default:
          return 'declined';
      }
    },
    captured: () =>
      standIn
        .intents()
        .filter(({ status }) => status === 'succeeded')
        .map(({ metadata, amount_received }) => ({
          paymentId: metadata[markNames.payment] ?? '',
          amount: amount_received / 100,
        })),
  };
}

const opened = { 'fake processor': overFake, "Stripe's stand-in": overStandIn } as const;

/**
 * The service in this process, over one of the processors, with one appointment of 45.00, and perhaps a tip or another
 * visit that the same card pays.
 */
export async function openSweptShop(name: ProcessorName, tip?: string, alsoPays?: AlsoPays) {
  const clock = createManualClock();
  const books = opened[name](clock);
  const { processor } = books;
  const store = createMapStore();
  const chairside = createChairside({
    store,
    processor,
    clock,
    rateLimits: 'off',
    tips: tip === undefined ? undefined : {},
    shares: alsoPays !== undefined,
  });
  const { records } = chairside;
  need(await records.putBusiness({ id: 'shop', name: 'Marlow', processorAccount: account }));
  need(await records.putBarber({ id: 'ada', businessId: 'shop' }));
  const appointment = {
    id: 'a-1',
    businessId: 'shop',
    amountDueMinor: 4500n,
    occursOn: '2026-11-02T10:00:00.000Z',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'l', name: 'Old Town', shopName: 'Marlow' },
  };
  need(await records.putAppointment(appointment));
  for (const { appointmentId: id, amount } of alsoPays ?? []) {
    need(await records.putAppointment({ ...appointment, id, amountDueMinor: minorOf(amount) }));
  }
  let auth: AuthContext | undefined = {
    subject: 'user-ada',
    barberId: 'ada',
    entitlements: ['contactlessPayments'],
  };
  const app = chairsideHandler(chairside, {
    authenticate: (person) => auth && { ...auth, subject: `user-${person}` },
    problemBase: 'https://shop.example',
    shares: alsoPays !== undefined,
  });
  const fetch: Fetch = async (url, { method, headers, body, signal }) =>
    app.fetch(new Request(url, { method, headers, body: body ?? null, signal }));

  return {
    ...books,
    clock,
    fetch,
    appointmentId: appointment.id,
    /** All that is charged: the amount due, the tip and the other visits. */
    due:
      45 + Number(tip ?? 0) + (alsoPays ?? []).reduce((sum, { amount }) => sum + Number(amount), 0),
    /** Revokes the barber's sign-in, or her role. */
    loseAccess(how: 'revoked' | 'noBarber') {
      auth = how === 'revoked' ? undefined : { subject: 'user-ada' };
    },
    /** Upkeep, like a host's timer. */
    async reconcile() {
      need(await chairside.reconcile());
    },
  };
}

export type SweptShop = Awaited<ReturnType<typeof openSweptShop>>;

const minorOf = (amount: string) => BigInt(amount.replace('.', ''));

function need<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
}
