import { err, hourMs, minuteMs, ok, type Result, secondMs } from '@chairside/core';
import { asked } from '../at-processor.ts';
import type { Context } from '../command.ts';
import { ageText, storeText } from '../words.ts';
import type { Finding } from './finding.ts';

/** An error is one sentence: nothing else can be looked at. */
export async function checkStore({
  chairside,
}: Context): Promise<Result<readonly Finding[], string>> {
  const { store } = chairside.ports;
  // A read of a record that never exists.
  const reached = await store.sweeps.get('doctor');
  if (reached.isErr()) return err(storeText(reached.error));
  const told = await store.about?.();
  if (told === undefined) {
    return ok([{ level: 'ok', about: 'Store', found: 'It can be read.' }]);
  }
  if (told.isErr()) return err(storeText(told.error));
  const { product, schemaVersion, settings, fault } = told.value;
  const set = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  const schema: Finding = { level: 'ok', about: 'Schema', found: `Version ${schemaVersion}.` };
  const found = `${product}, ${set.join(', ')}.`;
  if (fault === undefined) return ok([{ level: 'ok', about: 'Store', found }, schema]);
  const broken: Finding = {
    level: 'error',
    about: 'Store',
    found: `${product}: ${fault}.`,
    action: 'Mend the setting. Until then the latest payments may be lost in a crash.',
  };
  return ok([broken, schema]);
}

/** A wrong but valid key answers, and yet every call is refused. */
export async function checkWorld({ chairside }: Context): Promise<readonly Finding[]> {
  const looked = await chairside.ports.home?.look();
  if (looked === undefined || looked.isOk() || !('type' in looked.error)) return [];
  return [
    {
      level: 'error',
      about: 'Key',
      found: looked.error.detail ?? 'The database belongs to another.',
      action: 'Use the key and the installation of this database. A copy: docs/operate/staging.md',
    },
  ];
}

/** An account that is gone tells no time. */
const mostAsked = 5;
const warnsFromMs = 2 * secondMs;
const failsFromMs = minuteMs;

/** This machine's clock against the database server's, or else against the processor's. */
export async function checkClock(context: Context): Promise<readonly Finding[]> {
  const about = 'Clock';
  const { chairside } = context;
  const { clock, store } = chairside.ports;
  const begunAt = clock.now();
  const other = await otherClock(context);
  if (other === undefined) {
    const found =
      store.now === undefined
        ? 'It was compared with no other: the database has none, and the processor told none.'
        : 'It was compared with no other: the database did not tell its own.';
    return [{ level: 'ok', about, found }];
  }
  const { whose, at } = other;
  const aheadMs = Math.round((begunAt + clock.now()) / 2) - at;
  const offMs = Math.abs(aheadMs);
  if (offMs < warnsFromMs) {
    return [
      { level: 'ok', about, found: `It agrees with ${whose}, within ${warnsFromMs / secondMs} s.` },
    ];
  }
  return [
    {
      level: offMs < failsFromMs ? 'warning' : 'error',
      about,
      found: `It is ${exactText(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${whose}.`,
      action:
        'Synchronize the clock of this machine (NTP), and look at those of the other machines.',
    },
  ];
}

const exactText = (ms: number) =>
  ms < 10 * minuteMs ? `${Math.round(ms / secondMs)} s` : ageText(ms);

async function otherClock({ chairside, opened }: Context) {
  const { store, processor, clock, installation } = chairside.ports;
  if (store.now !== undefined) {
    const told = await store.now();
    return told.isOk() ? { whose: "the database's", at: told.value } : undefined;
  }
  if (opened.isReadOnly) return undefined;
  const swept = await store.sweeps.listStale(Number.MAX_SAFE_INTEGER, mostAsked);
  for (const { books } of swept.unwrapOr([])) {
    const now = clock.now();
    const span = { installation, openedFrom: now - hourMs, openedBefore: now, limit: 1 };
    const page = await asked(() => processor.listPayments({ books, ...span }));
    const at = page.isOk() ? page.value.at : undefined;
    if (at !== undefined) return { whose: "the processor's", at };
  }
  return undefined;
}
