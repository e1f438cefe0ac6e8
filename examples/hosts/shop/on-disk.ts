import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteStore } from '@chairside/sqlite';
import { openShop } from './shop.ts';

const opened = openSqliteStore(process.env['DATABASE'] ?? ':memory:');
if (opened.isErr()) throw new Error(opened.error.message);

/** Goes on after the process was told to stop, so that a test stops it in the middle of a request. */
const stopping = once(process, 'SIGTERM').then(() => delay(100));

export const { chairside, authenticate, tap, close } = await openShop(opened.value, () => stopping);
export const port = Number(process.env['PORT'] ?? 3000);
