import { expect, it } from 'vitest';
import { ok } from '../src/domain/result.ts';
import { carryOpening } from '../src/work/opening/carry-opening.ts';

it('opens nothing, if the process was stopped for the whole lifetime while it read', async () => {
  const calls: string[] = [];
  let isOver = false;
  const kind = {
    isOver: () => isOver,
    hold: async (record: string) => ok(record),
    read: async () => {
      calls.push('read');
      isOver = true;
      return ok(undefined);
    },
    send: async () => {
      calls.push('open');
      return ok('opened');
    },
    end: async (_record: string, { next }: { readonly next: string }) => ok(next),
  };
  const ended = await carryOpening(kind, 'payment', { isFirstCall: false, before: 'unread' });
  expect(ended._unsafeUnwrap()).toBe('close');
  expect(calls).toEqual(['read', 'read']);
});
