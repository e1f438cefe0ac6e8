import {
  type Client,
  type Collected,
  createClient,
  createRegister,
  type Fetch,
  type Journal,
  type Result as OwnResult,
  type Taking,
} from '@chairside/client';
import { type AuthContext, createChairside, type RawEvent, type Result } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { chairsideHandler, processorEventsHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';

const baseUrl = 'http://shop.test';
const entitlements = ['contactlessPayments'] as const;
const people: Readonly<Record<string, AuthContext>> = {
  ada: { subject: 'user-ada', barberId: 'ada', entitlements },
};
export const host: AuthContext = { subject: 'host', systemAdministrator: true };

/** A service behind its HTTP interface, a processor, and a network that loses responses. */
export async function openShop() {
  const clock = createManualClock();
  /** The keys of the capture requests that were sent to the processor. */
  const captureKeys: (string | undefined)[] = [];
  const processor = createFakeProcessor({
    clock,
    async delay({ name, idempotencyKey }, way) {
      if (name === 'capturePayment' && way === 'request') captureKeys.push(idempotencyKey);
    },
  });
  const chairside = createChairside({ store: createMapStore(), processor, clock });
  const service = chairsideHandler(chairside, { authenticate: (token) => people[token] });
  service.all('/processor/events', processorEventsHandler(chairside));
  const { records } = chairside;
  const processorAccount = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };
  need(await records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }));
  need(await records.putBarber({ id: 'ada', businessId: 'shop' }));

  /** Says which responses are lost. The service has handled those requests. */
  const network = { loses: (_url: string): boolean => false };
  const send: Fetch = async (url, { method, headers, body }) => {
    const response = await service.fetch(new Request(url, { method, headers, body: body ?? null }));
    if (network.loses(url)) throw new TypeError('Network request failed');
    return response;
  };

  return {
    chairside,
    processor,
    clock,
    network,
    send,
    captureKeys,
    /** Puts an appointment that owes 45.00, as often as its record changes. */
    async putAppointment(id = 'haircut') {
      need(
        await records.putAppointment({
          id,
          businessId: 'shop',
          amountDueMinor: 4500n,
          occursOn: '2026-11-02T10:00:00.000Z',
          timeZone: 'Europe/Berlin',
          barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
          location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
        }),
      );
      return id;
    },
    /** Sends one message of the processor to the webhook. Returns the status. */
    async deliver({ payload, headers: given }: RawEvent) {
      const headers = new Headers();
      for (const [name, value = ''] of Object.entries(given)) headers.set(name, value);
      const request = new Request(`${baseUrl}/processor/events`, {
        method: 'POST',
        headers,
        body: payload,
      });
      return (await service.fetch(request)).status;
    },
    /** The types of the events that the host received. */
    async told(): Promise<string[]> {
      const types: string[] = [];
      need(await chairside.events.deliver(async ({ type }) => void types.push(type)));
      return types.map((type) => type.replace('contactlessPayment.', ''));
    },
    /** The amounts that the processor has captured. */
    charged: () =>
      processor
        .entries()
        .map(({ amountCaptured }) => amountCaptured)
        .filter((amount) => amount !== '0.00'),
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Sends each request once, as the reporters' apps did. */
export function plainApp(shop: Shop): Client {
  return createClient({ baseUrl, accessToken: () => 'ada', fetch: shop.send, maxAttempts: 1 });
}

/** Opens a payment of the appointment, and has a card presented. Returns the capture's input. */
export async function presented(shop: Shop, appointmentId: string, key: string) {
  const app = plainApp(shop);
  const opened = need(
    await app.createContactlessPayment({ appointmentId, idempotencyKey: `open ${key}` }),
  );
  const tapped = need(shop.processor.presentCard(opened.clientSecret, 'visa_credit'));
  return {
    contactlessPaymentId: opened.id,
    idempotencyKey: `capture ${key}`,
    body: { externalPaymentReference: tapped.externalPaymentReference },
  };
}

/**
 * A phone with the register of `@chairside/client`. The barber stops waiting at the first response that
 * does not come.
 * @param report the report of the reader after each card, which was approved.
 */
export function openPhone(shop: Shop, report: Collected = 'approved') {
  const kept = new Map<string, string>();
  const journal: Journal = {
    keys: async () => [...kept.keys()],
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    remove: async (key) => void kept.delete(key),
  };
  const shown: Taking[] = [];
  let taps = 0;
  const register = createRegister({
    client: createClient({
      baseUrl,
      accessToken: () => 'ada',
      fetch: shop.send,
      onAttempt: () => setImmediate(register.stop),
    }),
    subject: 'user-ada',
    journal,
    reader: {
      ready: async () => undefined,
      retrieve: async (clientSecret) => ({
        reference: clientSecret.split('_secret_', 1).join(),
        async collect() {
          taps += 1;
          need(shop.processor.presentCard(clientSecret, 'visa_credit'));
          return report;
        },
      }),
    },
  });
  register.subscribe(() => shown.push(register.getSnapshot()));
  return { register, shown, taps: () => taps };
}

/** Returns the value of a Result of the core or of the client. */
export function need<T>(result: Result<T, unknown> | OwnResult<T, unknown>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
}
