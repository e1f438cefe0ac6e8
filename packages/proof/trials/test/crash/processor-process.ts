// The payment processor in a separate process, whose books survive the servers.

import { createStripeBooks } from '@chairside/spec/stripe-books';
import { createStripeStandIn, type Route, type StripeCardName } from '@chairside/stripe-stand-in';
import type { BookEntry } from '@chairside/trials';
import { answer } from './child.ts';
import { createShiftedClock } from './shifted-clock.ts';
import { account, secretKey, webhookSecret } from './shop.ts';

/** Kills a process at one of its own requests, which never gets a reply. */
export interface Trap {
  readonly pid: number;
  readonly route: Route;
  /** The number of such requests that still pass. */
  readonly after: number;
  /** Whether the fatal request is applied. */
  readonly isApplied: boolean;
}

export type ProcessorCalls = {
  listen(): Promise<{ readonly port: number }>;
  setAhead(aheadMs: number): void;
  /** Presents a card at a terminal. Returns the reference, or `undefined` if that is impossible. */
  present(clientSecret: string, card: StripeCardName): string | undefined;
  entries(): readonly BookEntry[];
  setTrap(trap: Trap): void;
};

/** One request in this many is applied, and its reply is lost. */
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
const books = createStripeBooks(standIn, clock);

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
  entries: () => books.entries(),
  setTrap(next) {
    trap = next;
    passed = 0;
  },
});
