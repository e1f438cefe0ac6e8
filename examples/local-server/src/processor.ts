import type { ProcessorAccount, ResultAsync } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { type Config, inMemory } from './config.ts';
import { type DemoProcessor, openDemoProcessor } from './demo-processor.ts';
import { openStripe } from './stripe.ts';

/** The processor of this server. */
export interface ProcessorInUse {
  readonly processor: Processor;
  /** The same, if it is the simulated one, which has cards and readable books. */
  readonly simulated?: DemoProcessor;
  /** The account of the demo's shops, if the processor prescribes it. */
  readonly account?: ProcessorAccount;
  /** A line for a person. */
  readonly about: string;
  close(): void;
}

/**
 * Opens Stripe if there is a key for it, else the simulated processor. An error is for a person.
 */
export function openProcessor({
  stripe,
  databasePath,
}: Pick<Config, 'stripe' | 'databasePath'>): ResultAsync<ProcessorInUse, string> {
  if (stripe !== undefined) {
    return openStripe(stripe).map(({ processor, account }) => ({
      processor,
      account,
      about: aboutStripe(processor.livemode, account, stripe.webhookSecret !== undefined),
      close: processor.close,
    }));
  }
  return openDemoProcessor(storagePath(databasePath)).asyncMap(async (simulated) => ({
    processor: simulated,
    simulated,
    about: 'The processor is simulated: no money moves. Its books are beside the records.',
    close: simulated.close,
  }));
}

function storagePath(databasePath: string): string {
  return databasePath === inMemory ? inMemory : `${databasePath}.processor.db`;
}

function aboutStripe(
  isLive: boolean,
  { id, currency }: ProcessorAccount,
  hasEvents: boolean,
): string {
  const mode = isLive ? 'in LIVE mode: real money moves' : 'in test mode: no money moves';
  const events = hasEvents
    ? ''
    : '\nSTRIPE_WEBHOOK_SECRET is not set: every event of Stripe is rejected.';
  return `The processor is Stripe, ${mode}. Payments go to ${id}, in ${currency}.${events}`;
}
