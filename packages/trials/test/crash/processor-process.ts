// The payment processor, in a process of its own: whatever becomes of the servers, its books stay.

import { createStripeLedger } from '@chairside/spec/stripe-ledger';
import { createStripeStandIn, type Route, type StripeCardName } from '@chairside/stripe/stand-in';
import type { LedgerEntry } from '@chairside/trials';
import { answer } from './child.ts';
import { createShiftedClock } from './shifted-clock.ts';
import { account, secretKey, webhookSecret } from './shop.ts';

/** Kills a process at a request of its own, which is never answered. */
export interface Trap {
  readonly pid: number;
  readonly route: Route;
  /** How many more such requests are let through. */
  readonly after: number;
  /** Whether the fatal request is carried out. */
  readonly isApplied: boolean;
}

export type ProcessorCalls = {
  listen(): Promise<{ readonly port: number }>;
  setAhead(aheadMs: number): void;
  /** Holds a card to a terminal; answers the reference, or nothing where it cannot be done. */
  present(clientSecret: string, card: StripeCardName): string | undefined;
  entries(): readonly LedgerEntry[];
  setTrap(trap: Trap): void;
};

/** Of so many requests one is carried out, and its answer lost on the way. */
const requestsPerLostAnswer = 97;

const { clock, setAhead } = createShiftedClock(0);
let trap: Trap | undefined;
let passed = 0;
let requests = 0;

const standIn = createStripeStandIn({
  clock,
  secretKey,
  webhookSecret,
  faults({ route }) {
    requests += 1;
    if (trap?.route === route) {
      passed += 1;
      if (passed > trap.after) {
        const { pid, isApplied } = trap;
        trap = undefined;
        process.kill(pid, 'SIGKILL');
        return isApplied ? 'timeoutAfterApplying' : 'timeoutBeforeApplying';
      }
    }
    return requests % requestsPerLostAnswer === 0 ? 'resetAfterApplying' : undefined;
  },
});
standIn.addAccount({ id: account, currency: 'usd' });
const ledger = createStripeLedger(standIn, clock);

answer<ProcessorCalls>({
  async listen() {
    const { port } = await standIn.listen();
    return { port };
  },
  setAhead,
  present(clientSecret, card) {
    try {
      return standIn.present(clientSecret, card);
    } catch {
      return undefined;
    }
  },
  entries: () => ledger.entries(),
  setTrap(next) {
    trap = next;
    passed = 0;
  },
});
