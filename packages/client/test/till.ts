import type { CardName } from '@chairside/fake-processor';
import {
  type Collected,
  createClient,
  createRegister,
  type Fetch,
  type Journal,
  type Limits,
  type Reader,
  type RegisterOptions,
  type Report,
  type Taking,
} from '../src/index.ts';
import { baseUrl, type Shop } from './shop.ts';
import { createVirtualTime } from './virtual-time.ts';

/** A journal that outlives registers, as storage outlives an app. */
export function memoryJournal(): Journal & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    keys: async () => [...kept.keys()],
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    remove: async (key) => void kept.delete(key),
  };
}

/** A reader that is always ready, and collects a card in this way. */
export const readerThat = (
  collect: (clientSecret: string, signal: AbortSignal) => Promise<Collected | Report>,
): Reader => ({
  ready: async () => undefined,
  retrieve: async (clientSecret) => ({
    reference: clientSecret.split('_secret_', 1).join(),
    collect: (signal) => collect(clientSecret, signal),
  }),
});

/**
 * A reader over the fake processor. The `cards` are presented one after the other, the last one for
 * ever.
 */
export function readerOf({ processor }: Shop, ...cards: readonly CardName[]) {
  const taps: string[] = [];
  const reader = readerThat(async (clientSecret) => {
    const card = cards[Math.min(taps.length, cards.length - 1)] ?? 'visa_credit';
    taps.push(card);
    const tapped = processor.presentCard(clientSecret, card);
    if (tapped.isErr()) return 'unknown';
    const { status } = tapped.value;
    return status === 'authorized' ? 'approved' : status;
  });
  return { reader, taps };
}

interface TillOptions {
  readonly reader?: Reader;
  readonly journal?: Journal;
  readonly fetch?: Fetch;
  readonly token?: string;
  readonly subject?: string;
  readonly limits?: Partial<Limits>;
  readonly words?: RegisterOptions['words'];
}

/** After `kill` all work of the app stops, and none of its calls has an effect. */
function mortal() {
  let isDead = false;
  const never = () => new Promise<never>(() => {});
  return {
    kill() {
      isDead = true;
    },
    async guard<T>(work: () => Promise<T>): Promise<T> {
      if (isDead) return never();
      const value = await work();
      return isDead ? never() : value;
    },
    isDead: () => isDead,
  };
}

/** A register on Ada's phone, in virtual time that also moves the shop's clock. */
export function openTill(shop: Shop, options: TillOptions = {}) {
  const { token = 'ada', subject = 'user-ada', journal = memoryJournal() } = options;
  const life = mortal();
  const virtual = createVirtualTime(shop.clock.now());
  const time = {
    now: virtual.now,
    after: (ms: number, run: () => void) =>
      virtual.after(ms, () => {
        if (life.isDead()) return;
        shop.clock.advance(Math.max(0, virtual.now() - shop.clock.now()));
        run();
      }),
  };
  const client = createClient({
    baseUrl,
    fetch: (url, init) => life.guard(() => (options.fetch ?? shop.fetch)(url, init)),
    accessToken: () => token,
    time,
    random: () => 0.5,
  });
  const reader = options.reader ?? readerOf(shop, 'visa_credit').reader;
  const { limits, words } = options;
  const mortalJournal: Journal = {
    keys: () => life.guard(() => journal.keys()),
    get: (key) => life.guard(() => journal.get(key)),
    set: (key, value) => life.guard(() => journal.set(key, value)),
    remove: (key) => life.guard(() => journal.remove(key)),
  };
  const register = createRegister({
    client,
    journal: mortalJournal,
    reader,
    subject,
    limits,
    words,
    currency: 'EUR',
  });
  const shown: Taking[] = [];
  register.subscribe(() => shown.push(register.getSnapshot()));
  const steps = () => shown.map(({ step }) => step);
  return { register, client, journal, shown, steps, time, kill: life.kill };
}
