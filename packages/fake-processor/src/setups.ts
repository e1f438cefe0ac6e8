import { type Clock, type EpochMs, err, ok, type Result } from '@chairside/core';
import type {
  AuthorizeMethodRequest,
  CancelSetupRequest,
  OpenSetupRequest,
  ProcessorError,
  ProcessorSetup,
  SetupHandle,
} from '@chairside/core/ports';
import { findCard, type SimulatedCard } from './cards.ts';
import { furthest, type SetupEntry } from './entry.ts';
import { type StorageFailed, withStorage } from './errors.ts';
import { type FaultKind, platformAccount } from './faults.ts';
import { derive, identify, referenceIn } from './ids.ts';
import type { Keyed, Shelf } from './once.ts';
import type { FakeStorage, StorageWrite } from './storage.ts';

/** The result that a customer's app receives when a payment method was entered. */
export interface SetupOutcome {
  readonly status: 'completed' | 'declined' | 'canceled';
  /** The processor's id of the method, once the setup is completed. */
  readonly paymentMethod?: string;
}

export type CompleteSetupError =
  | { readonly kind: 'unknownClientSecret' }
  | { readonly kind: 'unknownCard' }
  /** It is completed or canceled already. */
  | { readonly kind: 'notOpen'; readonly status: SetupEntry['status'] }
  /** A wallet cannot be saved. */
  | { readonly kind: 'notReusable' }
  | StorageFailed;

export interface SetupsOptions {
  readonly storage: FakeStorage;
  readonly keyed: Keyed;
  readonly nextNumber: (of: string) => number;
  readonly clock: Clock;
  readonly seed: string;
  /** Customers that the processor no longer knows. */
  readonly forgotten: ReadonlySet<string>;
}

export type Setups = ReturnType<typeof createSetups>;

/** The setups in the books, all on the platform's own account (D23). */
export function createSetups({
  storage,
  keyed,
  nextNumber,
  clock,
  seed,
  forgotten,
}: SetupsOptions) {
  const shelf: Shelf<SetupEntry> = {
    answered: (id) => storage.get('setupKeys', id),
    keep: (id, record) => ({ collection: 'setupKeys', id, record }),
    change: (entry) => [setupWrite(entry)],
  };

  /** The setup's entry. If it was opened twice: the completed one, then the newest. */
  function find({ reference, setupId, installation }: SetupHandle): SetupEntry | undefined {
    const entries =
      reference === undefined
        ? storage.list('setups', setupId)
        : [storage.get('setups', reference) ?? []].flat();
    const ours = entries.filter(
      (entry) => entry.setupId === setupId && entry.installation === installation,
    );
    return furthest(ours, progress);
  }

  return {
    open(
      request: OpenSetupRequest,
      fault: FaultKind | undefined,
    ): Result<SetupEntry | undefined, ProcessorError> {
      const { setupId, installation, customerId, savePaymentMethod, idempotencyKey } = request;
      const params = [setupId, installation, customerId, `${savePaymentMethod}`];
      const call = { name: 'openSetup', account: platformAccount, idempotencyKey, params } as const;
      return keyed.once(shelf, call, fault, () => {
        if (forgotten.has(customerId)) return err('unknownCustomer');
        return ok({
          ...identify(seed, 'fsi', nextNumber('setups')),
          setupId,
          installation,
          customerId,
          savePaymentMethod,
          status: 'open',
          declined: false,
          createdAt: clock.now(),
        });
      });
    },

    /** Cancels a setup that is not completed; `undefined` if it does not exist. */
    cancel(
      request: CancelSetupRequest,
      fault: FaultKind | undefined,
    ): Result<SetupEntry | undefined, ProcessorError> {
      const entry = find(request);
      const { idempotencyKey } = request;
      const call = {
        name: 'cancelSetup',
        account: platformAccount,
        idempotencyKey,
        params: [entry?.id],
      } as const;
      return keyed.once(shelf, call, fault, () => {
        if (entry?.status === 'completed') return err('unexpectedState');
        return ok(entry && { ...entry, status: 'canceled' as const });
      });
    },

    find,

    /** The card of a saved method; `undefined` if the installation has none, or it has vanished. */
    cardOf({ installation, method }: AuthorizeMethodRequest): SimulatedCard | undefined {
      const entry = storage.get('setups', method.setupReference);
      const isIt =
        entry?.installation === installation &&
        entry.paymentMethod === method.paymentMethod &&
        entry.customerId === method.customerId;
      const card = isIt ? findCard(entry.cardName ?? '') : undefined;
      return card?.offSession === 'vanish' ? undefined : card;
    },

    complete: (clientSecret: string, cardName: string) =>
      withStorage<SetupOutcome, CompleteSetupError>(() => {
        const entry = storage.get('setups', referenceIn(clientSecret));
        if (entry?.clientSecret !== clientSecret) return err({ kind: 'unknownClientSecret' });
        const card = findCard(cardName);
        if (card === undefined) return err({ kind: 'unknownCard' });
        const { id, status, savePaymentMethod } = entry;
        if (status !== 'open') return err({ kind: 'notOpen', status });
        if (savePaymentMethod && card.card.tokenizationMethod !== undefined) {
          return err({ kind: 'notReusable' });
        }
        const outcome = outcomeOf(entry, card, `fpm_${derive(seed, 'method', id)}`);
        const completed = { ...after(entry, outcome, clock.now()), cardName };
        storage.write([setupWrite(completed)]);
        return ok(outcome);
      }),
  };
}

export function toProcessorSetup(entry: SetupEntry): ProcessorSetup {
  const { id: reference, clientSecret, status, paymentMethod, completedAt } = entry;
  return {
    reference,
    clientSecret,
    status,
    ...(paymentMethod !== undefined && { paymentMethod }),
    ...(completedAt !== undefined && { completedAt }),
  };
}

function outcomeOf(
  entry: SetupEntry,
  { does }: SimulatedCard,
  paymentMethod: string,
): SetupOutcome {
  switch (does) {
    case 'cancel':
      return { status: 'canceled' };
    case 'decline':
      return { status: 'declined' };
    case 'declineOnce':
      return entry.declined ? { status: 'completed', paymentMethod } : { status: 'declined' };
    default:
      // A setup charges no money, so it has no partial approval and no delay.
      return { status: 'completed', paymentMethod };
  }
}

function after(entry: SetupEntry, outcome: SetupOutcome, at: EpochMs): SetupEntry {
  const { status, ...method } = outcome;
  if (status === 'declined') return { ...entry, declined: true };
  const completed = status === 'completed' ? { completedAt: at } : {};
  return { ...entry, ...method, ...completed, status };
}

const progress: Readonly<Record<SetupEntry['status'], number>> = {
  canceled: 0,
  open: 1,
  completed: 2,
};

function setupWrite(entry: SetupEntry): StorageWrite {
  return { collection: 'setups', id: entry.id, group: entry.setupId, record: entry };
}
