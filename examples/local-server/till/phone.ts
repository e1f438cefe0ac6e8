import { localStorageJournal } from '@chairside/client/journals';
import { simulatedTerminal } from '@chairside/client/simulated-terminal';
import { createTipClient, createTipRegister, type TipRegister } from '@chairside/client/tips';
import { namedFetch } from './named-fetch.ts';
import { baseUrl } from './server.ts';

/** A barber's phone: the client with its journal, and a terminal that a card is held to. */
export interface Phone {
  readonly number: number;
  readonly register: TipRegister;
  /** Holds a card to it. */
  hold(card: string): void;
  stop(): void;
  /** Begins another run of the timeline. */
  beginRun(run: string): void;
}

interface PhoneOptions {
  readonly number: number;
  readonly run: string;
  /** Is called when a card was read, before the app knows of it. */
  readonly afterTap: () => void;
}

export function openPhone({ number, run: first, afterTap }: PhoneOptions): Phone {
  const named = namedFetch(number, first);
  let give: ((card: string) => void) | undefined;
  const client = createTipClient({ baseUrl, fetch: named.fetch, accessToken: () => 'demo-barber' });
  const register = createTipRegister({
    client,
    subject: `user_ada, phone ${number}`,
    currency: 'EUR',
    journal: localStorageJournal(localStorage),
    reader: simulatedTerminal({
      baseUrl,
      card: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      async fetch(url, init) {
        const response = await named.fetch(url, init);
        afterTap();
        return response;
      },
    }),
  });
  return {
    number,
    register,
    hold(card) {
      give?.(card);
      give = undefined;
    },
    stop: register.stop,
    beginRun: named.beginRun,
  };
}
