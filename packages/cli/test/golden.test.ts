import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';
import { openHealthyShop, openSharingShop, openTroubledShop, type Shop } from './shop.ts';
import { stores } from './stores.ts';

/** One line that differs between the machines that run this. */
const ofThisMachine = (text: string) =>
  text
    .replaceAll(/SQLite 3\.\d+\.\d+/g, 'SQLite 3.0.0')
    .replaceAll(/PostgreSQL \d+\.\d+/g, 'PostgreSQL 18.0');

/** The file that shows what a person sees. What the two databases say alike is in one file. */
const golden = (name: string) => join(import.meta.dirname, 'golden', name);

/** Ids depend on how many were made before. Here each has the number of its first appearance, and its length. */
function createNumbering(): (text: string) => string {
  const names = new Map<string, string>();
  return (text) =>
    text.replaceAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g, (id, prefix: string) => {
      const known = names.get(id) ?? `${prefix}_${`${names.size + 1}`.padStart(26, '0')}`;
      names.set(id, known);
      return known;
    });
}

/** The command, its exit status and its output, as a person sees them. */
async function seen(shop: Shop, args: readonly string[]): Promise<string> {
  const { status, output, errors } = await runCommand(shop.opened, args);
  expect(errors).toBe('');
  const isForPeople = !args.includes('--csv') && !args.includes('--json');
  for (const line of isForPeople ? output.split('\n') : []) {
    expect([...line].length).toBeLessThanOrEqual(100);
  }
  const command = args.map((arg) => (arg.includes(' ') ? `'${arg}'` : arg)).join(' ');
  return ofThisMachine(`$ chairside ${command}\n${output}(exit status ${status})\n`);
}

const day = (date: string) =>
  ['statement', '--business', 'marlow', '--day', date, '--zone', 'Europe/Berlin'] as const;
const november = ['--from', '2026-11-01', '--until', '2026-12-01'] as const;

describe.each(['sqlite', 'postgres'] as const)('over %s', (name) => {
  it('shows a shop in which all is well', async () => {
    const shop = await openHealthyShop(await stores[name]());
    const shows = async (file: string, ...args: readonly string[]) =>
      expect(await seen(shop, args)).toMatchFileSnapshot(golden(file));
    await shows(`well.${name}.txt`, 'doctor');
    await shows('no-review.txt', 'reviews');
    await shows('no-event.txt', 'events');
  });

  it('shows whose a payment is (D208)', async () => {
    const shop = await openSharingShop(await stores[name]());
    const numbered = createNumbering();
    const shows = async (file: string, ...args: readonly string[]) =>
      expect(numbered(await seen(shop, args))).toMatchFileSnapshot(golden(file));
    await shows('payment-shared.txt', 'payment', shop.ids.refunded);
    await shows('payment-shared.json.txt', 'payment', shop.ids.refunded, '--json');
    await shows('appointment-shared.txt', 'appointment', 'mother');
    await shows('appointment-of-other.txt', 'appointment', 'child');
  });

  it('shows every kind of trouble, and mends what can be mended', async () => {
    const shop = await openTroubledShop(await stores[name]());
    const { ids } = shop;
    const numbered = createNumbering();
    const shows = async (file: string, ...args: readonly string[]) =>
      expect(numbered(await seen(shop, args))).toMatchFileSnapshot(golden(file));

    await shows(`doctor.${name}.txt`, 'doctor');
    await shows(`doctor.${name}.json.txt`, 'doctor', '--json');
    await shows('payment-refunded.txt', 'payment', ids.refunded);
    await shows('payment-refunded.json.txt', 'payment', ids.refunded, '--json');
    await shows('payment-unknown.txt', 'payment', ids.unknown);
    await shows('payment-differing.txt', 'payment', ids.differing);
    await shows('payment-untouched.txt', 'payment', ids.untouched);
    await shows('payment-charge.txt', 'payment', ids.charged);
    await shows('appointment-paid.txt', 'appointment', 'haircut');
    await shows('appointment-reserved.txt', 'appointment', 'shave');
    await shows('appointment-lowered.txt', 'appointment', 'beard');
    await shows('appointment-charged.txt', 'appointment', 'missed');
    await shows('appointment-cash.txt', 'appointment', 'trim');
    await shows('appointment.json.txt', 'appointment', 'shave', '--json');
    await shows('reviews.txt', 'reviews');
    await shows('reviews.json.txt', 'reviews', '--json');
    await shows('events.txt', 'events');
    await shows('events.json.txt', 'events', '--json');
    await shows('statement-differs.txt', ...day('2026-11-02'));
    await shows('statement-closed.txt', ...day('2026-11-03'));
    await shows('statement-open.txt', ...day('2026-11-05'));
    await shows('statement.csv.txt', ...day('2026-11-03'), '--csv');
    await shows('statement.json.txt', ...day('2026-11-03'), '--json');
    await shows('payouts.txt', 'payouts', '--business', 'marlow', ...november);
    await shows('payouts.json.txt', 'payouts', '--business', 'marlow', ...november, '--json');

    // With a rejected key every account looks the same, so one line says it.
    shop.rejectKey(true);
    await shows(`doctor-key.${name}.txt`, 'doctor');
    await shows('payment-key.txt', 'payment', ids.untouched);
    shop.rejectKey(false);
    shop.mendClock();

    const said = ['--outcome', 'didNotTakePlace', '--note', 'Their support says it was never sent'];
    const open = await shop.chairside.listReviews();
    const { id = '' } = open._unsafeUnwrap().find((one) => one.reason === 'unsettled') ?? {};
    await shows('resolve.txt', 'reviews', 'resolve', id, ...said, '--yes');
    await shows('reviews-resolved.txt', 'reviews', '--resolved');
    await shows('payment-resolved.txt', 'payment', ids.unknown);
    shop.mendHandler();
    await shows('retry.txt', 'events', 'retry', ids.refunded, '--yes');
    await shows('upkeep.txt', 'upkeep', '--yes');
    await shows('upkeep.json.txt', 'upkeep', '--yes', '--json');
    await shows(`doctor-after.${name}.txt`, 'doctor');
  });
});

describe('help', () => {
  it.each([
    '',
    'doctor',
    'payment',
    'appointment',
    'reviews',
    'reviews resolve',
    'events',
    'events retry',
    'events skip',
    'events replay',
    'statement',
    'payouts',
    'upkeep',
  ])('of chairside %s', async (words) => {
    const args = [...words.split(' ').filter(Boolean), '--help'];
    const { status, output } = await runCommand(undefined, args);
    expect(status).toBe(0);
    const file = golden(`help-${words.replace(' ', '-') || 'all'}.txt`);
    await expect(`$ chairside ${args.join(' ')}\n${output}`).toMatchFileSnapshot(file);
  });
});
