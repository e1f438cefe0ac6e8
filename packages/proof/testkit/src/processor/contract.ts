import type { ProcessorAccount } from '@chairside/core';
import type { Processor } from '@chairside/core/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cancelingContract,
  capturingContract,
  lateCapturesContract,
} from './capturing-contract.ts';
import { eventsContract } from './events-contract.ts';
import { failingContract } from './failing-contract.ts';
import type { ProcessorCapability, ProcessorHarness } from './harness.ts';
import { listingContract } from './listing-contract.ts';
import {
  amountsContract,
  openingContract,
  presentingContract,
  receiptsContract,
  tokensContract,
} from './opening-contract.ts';
import { busyContract, foreignContract, readingContract } from './reading-contract.ts';
import { disputesContract, refundsContract } from './returned-contract.ts';
import { settlementsContract } from './settlements-contract.ts';
import { chargesContract, setupsContract } from './setups-contract.ts';
import { createSuite, newId } from './suite.ts';
import { timeContract } from './time-contract.ts';
import { unansweredContract } from './unanswered-contract.ts';
import { type Watched, watch } from './watch.ts';

const parts = {
  opening: openingContract,
  presenting: presentingContract,
  reading: readingContract,
  capturing: capturingContract,
  lateCaptures: lateCapturesContract,
  canceling: cancelingContract,
  foreign: foreignContract,
  tokens: tokensContract,
  receipts: receiptsContract,
  listing: listingContract,
  refunds: refundsContract,
  disputes: disputesContract,
  settlements: settlementsContract,
  setups: setupsContract,
  charges: chargesContract,
  events: eventsContract,
  failing: failingContract,
  unanswered: unansweredContract,
  amounts: amountsContract,
  time: timeContract,
  // It is the slowest.
  busy: busyContract,
};

/** A part of the contract. */
export type ProcessorPart = keyof typeof parts;

const allParts = Object.keys(parts) as ProcessorPart[]; // cast: the keys of the table

/**
 * The requirements for every implementation of the port `Processor`. Third parties run it on
 * theirs, in a vitest file: `processorContract('mine', () => harness)`.
 * @param without the capabilities that cannot be tested here, each with the reason, which is shown
 * for the skipped test.
 * @param only the parts that run. After one whole run, another mode of a processor needs those that it changes.
 */
export function processorContract(
  name: string,
  makeHarness: () => ProcessorHarness | Promise<ProcessorHarness>,
  without: Partial<Readonly<Record<ProcessorCapability, string>>> = {},
  only: readonly ProcessorPart[] = allParts,
): void {
  describe(`processor contract: ${name}`, () => {
    let harness: ProcessorHarness;
    let installation: string;
    let watched: Watched;
    let processor: Processor;
    let account: ProcessorAccount;
    let skip: (note: string) => void;

    beforeEach(async (test) => {
      skip = test.skip;
      harness = await makeHarness();
      // A real account keeps the payments of earlier tests, which have other marks.
      installation = newId(harness);
      watched = watch(harness.processor);
      processor = watched.processor;
      account = await harness.newAccount();
    });

    afterEach(async () => {
      watched.check();
      await harness.close?.();
    });

    it('states a deadline', () => {
      expect(processor.deadlineMs).toBeGreaterThan(0);
      expect(processor.deadlineMs).toBeLessThan(Number.POSITIVE_INFINITY);
    });

    const suite = createSuite(() => ({ harness, processor, account, installation, skip }), without);
    for (const part of only) parts[part](suite);
  });
}
