import { type Client, createClient, createRegister, type Register } from '@chairside/client';
import { localStorageJournal } from '@chairside/client/journals';
import { simulatedTerminal } from '@chairside/client/simulated-terminal';
import { namedFetch } from './named-fetch.ts';
import { baseUrl } from './server.ts';
import { storage } from './storage.ts';

/** A barber's phone: the client with its journal, and a terminal that a card is held to. */
export interface Phone {
  readonly number: number;
  readonly client: Client;
  readonly register: Register;
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
  const client = createClient({ baseUrl, fetch: named.fetch, accessToken: () => 'demo-barber' });
  const register = createRegister({
    client,
    subject: `user_ada, phone ${number}`,
    currency: 'EUR',
    journal: localStorageJournal(storage()),
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
    client,
    register,
    hold(card) {
      give?.(card);
      give = undefined;
    },
    stop: register.stop,
    beginRun: named.beginRun,
  };
}
