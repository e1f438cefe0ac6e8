import type { ProcessorAccount } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import type { DrivenProcessor, ManualClock } from '@chairside/testkit';

export type Transport = 'in process' | 'over HTTP';

/** An empty store, and what ends it. */
export interface OpenedStore {
  readonly store: Store;
  dispose(): Promise<unknown>;
}

export interface StoreVariant {
  readonly name: string;
  open(): OpenedStore | Promise<OpenedStore>;
  afterAll?(): Promise<void>;
}

interface ProcessorVariant {
  readonly name: string;
  readonly hasLateReferences: boolean;
  /** @param account exists, and takes card payments at its terminal location. */
  make(clock: ManualClock, account: ProcessorAccount): DrivenProcessor | Promise<DrivenProcessor>;
  /** The store beneath it. */
  readonly store: StoreVariant;
}

/** The adapters that the specs run over. */
export interface Variants {
  /** Each with the fake processor. */
  readonly stores: readonly StoreOver[];
  readonly processors: readonly ProcessorVariant[];
}

interface StoreOver {
  readonly store: StoreVariant;
  readonly transports: readonly Transport[];
}

let chosen: Variants | undefined;

export function useVariants(variants: Variants): void {
  chosen = variants;
}

export function variants(): Variants {
  if (chosen === undefined) throw new Error('No adapters were chosen for the specs');
  return chosen;
}
