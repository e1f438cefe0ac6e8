import { type AuthContext, createChairside, systemClock } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';

const ada: AuthContext = {
  subject: 'user-ada',
  barberId: 'ada',
  entitlements: ['contactlessPayments'],
};

/** The host's own part: records, logins, and a simulated phone in the place of the barber's. */
export async function openShop(store: Store, slowLogin: () => Promise<void>) {
  const processor = createFakeProcessor({ clock: systemClock });
  const chairside = createChairside({ store, processor });
  const { putAppointment, putBarber, putBusiness } = chairside.records;
  for (const put of [
    await putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
    }),
    await putBarber({ id: 'ada', businessId: 'shop' }),
    await putAppointment({
      id: 'haircut',
      businessId: 'shop',
      amountDueMinor: 4500n,
      occursOn: '2026-12-01T09:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    }),
  ]) {
    if (put.isErr()) {
      await store.close();
      throw new Error(put.error.detail);
    }
  }

  async function authenticate(token: string): Promise<AuthContext | undefined> {
    if (token === 'slow-session-of-ada') {
      console.log('a slow login');
      await slowLogin();
      return ada;
    }
    return token === 'session-of-ada' ? ada : undefined;
  }

  /** Holds a card to the phone. */
  function tap(clientSecret: string) {
    return processor.presentCard(clientSecret, 'visa_credit').match(
      ({ externalPaymentReference }) => ({ externalPaymentReference }),
      ({ kind }) => ({ kind }),
    );
  }

  async function close(): Promise<void> {
    await chairside.settled();
    await store.close();
  }

  return { chairside, authenticate, tap, close };
}
