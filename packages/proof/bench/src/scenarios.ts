import { openGrouped, openPerTransaction } from './targets/by-hand.ts';
import { openChairside, operations } from './targets/chairside.ts';
import { openEcho } from './targets/echo.ts';
import { openPostgres } from './targets/postgres.ts';
import type { Open } from './targets/target.ts';

export interface Scenario {
  readonly title: string;
  readonly open: Open;
  /** The numbers of connections to measure with. */
  readonly connections: readonly number[];
}

const overHttp = (title: string, open: Open, connections = [1, 8, 64]): Scenario => ({
  title,
  open,
  connections,
});

const overPostgres = (title: string, open: Open, connections = [1, 64]): Scenario => ({
  title: `PostgreSQL${title}`,
  open,
  connections,
});

/** All scenarios, by name. The first ones are the floors. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  echo: overHttp('h3 echo', openEcho),
  perTransaction: overHttp('by hand, a transaction a request', openPerTransaction),
  grouped: overHttp('by hand, two grouped commits', openGrouped),

  create: overHttp('create', openChairside(operations.create)),
  capture: overHttp('capture', openChairside(operations.capture)),
  replay: overHttp('replay', openChairside(operations.replay)),
  get: overHttp('get', openChairside(operations.get)),
  list: overHttp('list', openChairside(operations.list)),
  createSlow: overHttp(
    'create, processor takes 50 ms',
    openChairside(operations.create, 50),
    [256],
  ),
  captureSlow: overHttp(
    'capture, processor takes 50 ms',
    openChairside(operations.capture, 50),
    [256],
  ),

  postgresByHand: overPostgres(' by hand, create + capture', openPostgres('byHand', 1)),
  postgresGrouped: overPostgres(' by hand, grouped', openPostgres('grouped', 1)),
  postgres: overPostgres(', create + capture', openPostgres('chairside', 1)),
  postgres2: overPostgres(', two nodes', openPostgres('chairside', 2), [64]),
  postgres4: overPostgres(', four nodes', openPostgres('chairside', 4), [64]),
};
