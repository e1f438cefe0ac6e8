import type { ProcessorAccount } from '@chairside/core';
import { createMapStore, type DrivenProcessor, type ManualClock } from '@chairside/testkit';

import { specs, specsOfProcessors } from './specs.ts';
import { type OpenedStore, type StoreVariant, useVariants } from './variants.ts';

/** A store, a processor or both, over which the operations are specified. */
export interface OperationsHarness {
  /** Shown in the name of each spec. */
  readonly name: string;
  /** Opens an empty store before each spec. Default: a store in memory. */
  openStore?(): OpenedStore | Promise<OpenedStore>;
  /**
   * Makes a processor before each spec, which follows the clock and has the account. Default: the
   * fake. Specs that need more control than a driven processor gives run over the fake alone.
   */
  makeProcessor?(
    clock: ManualClock,
    account: ProcessorAccount,
  ): DrivenProcessor | Promise<DrivenProcessor>;
  /** The processor assigns its reference only when a card is presented. */
  readonly hasLateReferences?: boolean;
}

let wasCalled = false;

/**
 * Declares the specs of the operations over these adapters. Await it at the top of a test file of
 * Vitest, once in each file: specs are modules, and a second call would declare none.
 */
export async function describeOperations(harness: OperationsHarness): Promise<void> {
  if (wasCalled) throw new Error('describeOperations runs once in a test file');
  wasCalled = true;
  const { name, makeProcessor, hasLateReferences = false } = harness;
  const store: StoreVariant = { name, open: () => harness.openStore?.() ?? openMap() };
  const overFake = makeProcessor === undefined || harness.openStore !== undefined;
  useVariants({
    stores: overFake ? [{ store, transports: ['in process'] }] : [],
    processors:
      makeProcessor === undefined
        ? []
        : [{ name, hasLateReferences, make: makeProcessor.bind(harness), store }],
  });
  for (const load of overFake ? specs : specsOfProcessors) await load();
}

function openMap(): OpenedStore {
  const store = createMapStore();
  return { store, dispose: () => store.close() };
}
