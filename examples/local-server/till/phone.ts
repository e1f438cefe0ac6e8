import { createClient, createRegister, type Register } from '@chairside/client';
import { localStorageJournal } from '@chairside/client/journals';
import { simulatedTerminal } from '@chairside/client/simulated-terminal';
import { baseUrl } from './server.ts';

/** A barber's phone: the client with its journal, and a terminal that a card is held to. */
export interface Phone {
  readonly number: number;
  readonly register: Register;
  /** Holds a card to it. */
  hold(card: string): void;
  /** Ends the wait for a card too. */
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
  let run = first;
  let requests = 0;
  let give: ((card: string) => void) | undefined;
  /** So that the timeline knows whose request it is. */
  const named: typeof fetch = (url, init) => {
    requests += 1;
    const id = `${run}-${number}.${Date.now().toString(36)}${requests}`;
    return fetch(url, { ...init, headers: { ...init?.headers, 'x-request-id': id } });
  };
  const sent = (url: string, init: RequestInit) => named(url, init);
  const client = createClient({ baseUrl, fetch: sent, accessToken: () => 'demo-barber' });
  const register = createRegister({
    client,
    subject: `user_ada, phone ${number}`,
    journal: localStorageJournal(localStorage),
    reader: simulatedTerminal({
      baseUrl,
      card: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      async fetch(url, init) {
        const response = await named(url, init);
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
    stop() {
      register.stop();
      give?.('');
      give = undefined;
    },
    beginRun(id) {
      run = id;
    },
  };
}

/** Names a run, so that its requests are found in the timeline. */
export function newRun(): string {
  return `till-${Date.now().toString(36)}`;
}
