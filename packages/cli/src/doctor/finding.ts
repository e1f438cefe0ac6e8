import type { EpochMs } from '@chairside/core';
import type { ProcessorFinding, StoreUnavailable } from '@chairside/core/ports';
import type { Context } from '../command.ts';
import { storeText } from '../words.ts';

export interface Finding extends ProcessorFinding {
  readonly about: string;
}

/** A part that could not be read, because the database went away meanwhile. */
export function unread(about: string, error: StoreUnavailable): readonly Finding[] {
  return [{ level: 'error', about, found: storeText(error), action: 'Look at the database.' }];
}

/** The time that all nodes share, by which what is due was written. */
export async function sharedNow({ chairside }: Context): Promise<EpochMs> {
  const { store, clock } = chairside.ports;
  const told = store.now === undefined ? undefined : await store.now();
  return told?.unwrapOr(clock.now()) ?? clock.now();
}
