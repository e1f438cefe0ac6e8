import {
  type AuthContext,
  type Chairside,
  type Clock,
  type CloudEvent,
  createChairside,
  type ErrorOf,
  moneyEntryOf,
  type Result,
  ResultAsync,
} from '@chairside/core';
import type { Processor, Store, StoreUnavailable } from '@chairside/core/ports';
import type { Shop } from './shop.ts';

export interface Parts {
  readonly shop: Shop;
  /** Chairside's own records: a file or a schema of its own. */
  readonly store: Store;
  readonly processor: Processor;
  readonly clock?: Clock | undefined;
}

export interface Payments {
  readonly chairside: Chairside;
  /** The handler of `chairside.events.deliver`. */
  readonly handle: (event: CloudEvent) => Promise<void>;
  /**
   * Lowers what an appointment costs. `true`: no capture exceeds the new amount. `false`: a capture of
   * the earlier amount is under way; ask again later.
   */
  readonly lowerDue: (
    appointmentId: string,
    dueMinor: bigint,
  ) => Promise<Result<boolean, ErrorOf<'getAppointmentLedger'>>>;
}

const manager: AuthContext = { subject: 'marlow-server', businessIds: ['shop'] };

/** Card payments for appointments that stay in the host's own tables. */
export function openPayments({ shop, store, processor, clock }: Parts): Payments {
  const appointments = {
    get: (id: string) => ResultAsync.fromPromise(shop.appointment(id), unavailable),
  };
  const chairside = createChairside({ store: { ...store, appointments }, processor, clock });

  async function handle(event: CloudEvent): Promise<void> {
    const entry = moneyEntryOf(event);
    // A rejection brings the event again.
    if (entry.isErr()) throw new Error(`${entry.error} event`);
    if (entry.value !== undefined) await shop.record(entry.value);
  }

  async function lowerDue(appointmentId: string, dueMinor: bigint) {
    await shop.setDue(appointmentId, dueMinor); // committed before the ledger is read
    const ledger = await chairside.getAppointmentLedger(manager, { appointmentId });
    return ledger.map(({ reserved }) => reserved === '0.00');
  }

  return { chairside, handle, lowerDue };
}

/** A failed read changed nothing. */
function unavailable(cause: unknown): StoreUnavailable {
  return { kind: 'storeUnavailable', outcome: 'notApplied', cause };
}
