import { storeContract } from '@chairside/testkit/contracts';
import { afterAll, beforeAll } from 'vitest';
import { empty, holdLedger, newPlace, openStore } from './helpers.ts';
import { openWire, type Wire } from './wire.ts';

const { schema, pool } = newPlace();
let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire.close());

const calm = async () => {
  const hasStruck = wire.calm();
  if (hasStruck) await wire.settled();
  return hasStruck;
};

storeContract(
  'The PostgreSQL store',
  async () => {
    await empty(schema);
    return {
      store: await openStore({ schema, deadlineMs: 2000 }, wire.connectionString),
      second: () => openStore({ schema }, pool),
      reopen: () => openStore({ schema }, pool),
      hold: (appointmentId) => holdLedger(schema, appointmentId),
      loseReply: async (after) => {
        wire.strike({ fault: 'loseReply', after });
        return calm;
      },
      cutOff: async (after) => {
        wire.strike({ fault: 'loseReply', after, isOutage: true });
        return calm;
      },
      delayRequest: async (after) => {
        wire.strike({ fault: 'delayRequest', after });
        return async () => {
          const hasStruck = wire.calm();
          if (hasStruck) await wire.letGo();
          return hasStruck;
        };
      },
      stall: async (after) => {
        wire.strike({ fault: 'stall', after });
        return calm;
      },
      kill: async () => wire.kill(),
    };
  },
  {
    restart: 'the server is shared with other tests; crash.test.ts stops one of its own',
    failFlush: 'its files are written by the server',
  },
);
