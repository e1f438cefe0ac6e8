import type { Processor, ProcessorAccount, ResultAsync } from '@chairside/core';
import { type Config, inMemory } from './config.ts';
import { type DemoProcessor, openDemoProcessor } from './demo-processor.ts';
import { openStripe } from './stripe.ts';

/** The one processor of this server. */
export interface ProcessorInUse {
  readonly processor: Processor;
  /** The same, where it is the simulated one: only that can be tapped and looked into. */
  readonly simulated?: DemoProcessor;
  /** The account of the demo's shops, where they cannot choose their own. */
  readonly account?: ProcessorAccount;
  /** A line for a person. */
  readonly about: string;
  close(): void;
}

/** Stripe if there is a key for it, else the simulated processor. An error is for a person. */
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
  return openDemoProcessor(ledgerPath(databasePath)).asyncMap(async (simulated) => ({
    processor: simulated,
    simulated,
    about: 'The processor is simulated: no money moves. What it knows is beside the records.',
    close: simulated.close,
  }));
}

function ledgerPath(databasePath: string): string {
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
    : '\nSTRIPE_WEBHOOK_SECRET is not set: no event of Stripe is believed.';
  return `The processor is Stripe, ${mode}. Payments go to ${id}, in ${currency}.${events}`;
}
