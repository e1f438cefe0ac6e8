import { type AuthContext, createChairside, ok, type Result, safeTry } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import type { FakeProcessor } from '@chairside/fake-processor';

export const login: AuthContext = {
  subject: 'user-ada',
  barberId: 'ada',
  entitlements: ['contactlessPayments'],
};

export const amountDue = '45.00';

/** Puts the shop and the given number of appointments. Returns the appointments' ids. */
export function seed(store: Store, processor: FakeProcessor, appointments: number) {
  const { records } = createChairside({ store, processor });
  const ids = Array.from({ length: appointments }, (_, index) => `haircut-${index + 1}`);
  return safeTry(async function* () {
    yield* records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
    });
    yield* records.putBarber({ id: 'ada', businessId: 'shop' });
    for (const id of ids) {
      yield* records.putAppointment({
        id,
        businessId: 'shop',
        amountDueMinor: 4500n,
        occursOn: '2026-12-01T09:00:00.000Z',
        timeZone: 'Europe/Berlin',
        barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
        location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
      });
    }
    return ok(ids);
  });
}

/** Returns the value, or ends this program. */
export function orEnd<T, E extends object>(result: Result<T, E>): T {
  if (result.isOk()) return result.value;
  throw new Error(JSON.stringify(result.error));
}
