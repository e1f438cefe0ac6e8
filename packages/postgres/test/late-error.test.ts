import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { openWire, serverIsLost } from './wire.ts';

/** The message by which a client ends its session. */
const terminate = 'X\0\0\0\x04';

// An `error` event without a listener would end the process, and fails the run here.
it('ignores an error of the server between close and the end of the socket', async () => {
  const wire = await openWire();
  const store = (await openPostgresStore(wire.connectionString))._unsafeUnwrap();
  expect((await store.payments.get('none')).isOk()).toBe(true);
  wire.strike({ marker: terminate, fault: 'loseRequest', lastWords: serverIsLost('FATAL') });
  await store.close();
  await wire.settled();
  for (let turns = 0; turns < 10; turns += 1) await nextTurn();
  expect(wire.calm()).toBe(true);
  await wire.close();
});
