import { readFileSync } from 'node:fs';
import { formatMoney } from '@chairside/core';
import { contactlessPaymentSchema } from '@chairside/core/ports';
import * as v from 'valibot';
import { expect } from 'vitest';
import { capture, fresh, givenAppointment, ledgerOf, present } from '../../src/shop.ts';
import { describeWithEveryProcessor } from '../../src/world.ts';

const page = readFileSync(new URL('../../../../../docs/guide/tips.md', import.meta.url), 'utf8');
/** What is due, the body, what the card is charged, what counts towards the due, and the tip. */
const row = /^\| (\d+\.\d\d) +\| `(.*?)` +\| (\S+) +\| (\S+) +\| (\S+) +\|$/gm;
const rows = [...page.matchAll(row)].map(([, ...cells]) => cells);

describeWithEveryProcessor('a tip (D48)', ({ it, makeWorld }) => {
  it.for(rows)('of a visit of %s with %s is charged as the guide says', async (cells) => {
    const [amountDue = '', asked = '', charged, counts, tip] = cells;
    const world = await makeWorld({ tips: {} });
    const id = await givenAppointment(world, { amountDue });
    const body = JSON.parse(asked.replaceAll(/(\w+):/g, '"$1":').replaceAll("'", '"'));
    const key = fresh('create');
    const opened = await world.send('createContactlessPayment', 'ada', { id, key, body });
    const payment = v.parse(contactlessPaymentSchema, JSON.parse(opened.text));
    expect({ tip: 'none', ...payment }).toMatchObject({ amount: charged, tip });
    await capture(world, payment.id, await present(world, payment));
    expect(formatMoney((await ledgerOf(world, id)).capturedMinor)).toBe(counts);
  });

  it('has a table in the guide', () => expect(rows.length).toBeGreaterThan(2));
});
