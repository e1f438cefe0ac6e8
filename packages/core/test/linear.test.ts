import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { networkOf } from '../src/frame/access.ts';
import { statementToCsv } from '../src/statement/csv.ts';
import type { StatementLineView } from '../src/statement/wire.ts';
import { parseMoney } from '../src/values/money.ts';
import { canBeId, clip, toStorable } from '../src/values/text.ts';
import { parseTimestamp } from '../src/values/time.ts';
import { idempotencyKeySchema } from '../src/values/wire.ts';

/** What reads a text of a caller or a host. Of most, a schema bounds the length before. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the address of a sender': networkOf,
  'a key': (text) => v.is(idempotencyKeySchema, text),
  'a cell of a CSV': (barber) => {
    // cast: the other cells are empty
    const lines = [{ at: '2026-11-24T09:00:00.000Z', barber } as StatementLineView];
    return statementToCsv({ lines, businessId: 'shop', timeZone: 'Europe/Berlin' });
  },
  'an amount': parseMoney,
  'a time': parseTimestamp,
  'an id': canBeId,
  'a text to clip': (text) => clip(text, 255),
  'a text to store': toStorable,
};

const parts = [
  '\n',
  '\r\n',
  ' ',
  ';',
  '; ',
  '=',
  '"',
  '\\"',
  '0',
  '.',
  ':',
  ',',
  '[',
  'a',
  '\ud800',
];

describe.each(Object.entries(readers))('%s', (_name, read) => {
  it.each(parts)('takes no longer for twice the length than twice the time: %j', (part) => {
    const timeOf = (count: number) => {
      const text = part.repeat(count);
      const begunAt = performance.now();
      read(text);
      return performance.now() - begunAt;
    };
    timeOf(1000);
    // Half a million characters take minutes where the time is quadratic.
    const [one, two] = [timeOf(250_000), timeOf(500_000)];
    expect(two).toBeLessThan(Math.max(2000, 6 * one));
  });
});
