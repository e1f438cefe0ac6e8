import {
  type Chairside,
  createChairside,
  errAsync,
  type InputOf,
  ResultAsync,
} from '@chairside/core';
import type {
  CapturePaymentRequest,
  ChangeKind,
  OpenPaymentRequest,
  Processor,
  ProcessorPayment,
  Store,
} from '@chairside/core/ports';
import { fresh } from './shop.ts';
import type { AnyWorld, World } from './world.ts';

// The same shop in another process, whose processor or store may behave in ways that the world's own do not.

/** The same records, with some processor calls replaced. */
export function withProcessor(
  { store, processor, clock }: World,
  over: Partial<Processor>,
): Chairside {
  return createChairside({ store, clock, processor: { ...processor, ...over } });
}

/** The same records, with a processor whose books show payments differently. */
export function withBooks(
  world: World,
  shown: (seen: ProcessorPayment) => ProcessorPayment,
): Chairside {
  return withProcessor(world, { readPayment: readingAs(world, shown) });
}

/** Reads the world's processor, and changes the entries. */
export function readingAs(
  { processor }: World,
  shown: (seen: ProcessorPayment) => ProcessorPayment,
): Processor['readPayment'] {
  return (payment, claimed) =>
    processor.readPayment(payment, claimed).map((seen) => seen && shown(seen));
}

/** A store that does something else just before the first commit with such a change. */
export function interrupted(store: Store, kind: ChangeKind, act: () => Promise<unknown>): Store {
  let isDone = false;
  return {
    ...store,
    commit(commit) {
      if (isDone || !commit.changes.some((change) => change.kind === kind)) {
        return store.commit(commit);
      }
      isDone = true;
      return ResultAsync.fromSafePromise(act()).andThen(() => store.commit(commit));
    },
  };
}

/** A store that fails from the commit after so many. */
export function dyingAfter(store: Store, commits: number): Store {
  let left = commits;
  return {
    ...store,
    commit(commit) {
      if (left === 0) return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
      left -= 1;
      return store.commit(commit);
    },
  };
}

/** A request about a payment of the shop that Chairside did not make. */
const ofTheShop = ({ clock }: Pick<AnyWorld, 'clock'>) => ({
  account: 'acct_shop',
  installation: 'chairside',
  begunAt: clock.now(),
  amountMinor: 4500n,
  currency: 'eur',
  idempotencyKey: fresh('elsewhere'),
});

/** Opens a payment with our marks that has no record here. */
export async function openElsewhere(
  world: Pick<AnyWorld, 'processor' | 'clock'>,
  over: Partial<OpenPaymentRequest> = {},
) {
  const request = { ...ofTheShop(world), paymentId: fresh('cpm_lost'), ...over };
  const { reference = '', clientSecret } = (
    await world.processor.openPayment(request)
  )._unsafeUnwrap();
  return { id: request.paymentId, reference, clientSecret };
}

/** Captures a payment, as a person does in the processor's dashboard. */
export async function captureElsewhere(
  world: Pick<AnyWorld, 'processor' | 'clock'>,
  paymentId: string,
  reference: string,
  over: Partial<CapturePaymentRequest> = {},
): Promise<void> {
  const request = { ...ofTheShop(world), paymentId, reference, ...over };
  (await world.processor.capturePayment(request))._unsafeUnwrap();
}

/** A payment that the processor captured and that has no record here. */
export async function givenOrphan(world: World, account = 'acct_shop') {
  const { id, reference, clientSecret } = await openElsewhere(world, { account });
  world.processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
  await captureElsewhere(world, id, reference, { account });
  return { id, reference };
}

/** Delivers every unsent message of the processor, one after the other. */
export async function deliverMessages(
  { processor, chairside }: Pick<World, 'processor' | 'chairside'>,
  to: Chairside = chairside,
): Promise<void> {
  for (const event of processor.takeEvents()._unsafeUnwrap()) {
    const received = await to.receiveProcessorEvent(event);
    if (received.isErr()) throw new Error(received.error.detail);
  }
}

export const ada = { subject: 'user-ada', barberId: 'ada' };
export const host = { subject: 'host', systemAdministrator: true };

/** The host cancels a payment. */
export function cancel({ chairside }: Pick<AnyWorld, 'chairside'>, contactlessPaymentId: string) {
  return chairside.cancelContactlessPayment(host, { contactlessPaymentId });
}

/** The input of a capture in process. */
export function captureInput(
  contactlessPaymentId: string,
  reference: string,
): InputOf<'captureContactlessPayment'> {
  const externalPaymentReference = { id: reference, paymentProcessor: 'processor_a' } as const;
  return { contactlessPaymentId, idempotencyKey: fresh('key'), body: { externalPaymentReference } };
}
