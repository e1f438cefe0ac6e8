import { type AuthContext, type Chairside, statementToCsv, systemClock } from '@chairside/core';
import type { ChairsideHandler } from '@chairside/h3';
import type { EventHandler } from 'h3';
import { shop } from '../demo-data.ts';
import type { Assets } from './assets.ts';
import { dayPage } from './day-page.ts';
import { contentSecurityPolicy, textPage } from './page.ts';

/** The owner, who has no token here: like the till, the page is for this machine alone. */
const owner: AuthContext = { subject: 'user_owner', businessIds: [shop.id] };
const timeZone = 'Europe/Berlin';

/** Adds the page of a day's statement, and its lines as CSV. Without `day` it is today. */
export function addDay(
  app: ChairsideHandler,
  chairside: Pick<Chairside, 'getStatement'>,
  assets: () => Promise<Assets>,
): void {
  const get = (path: string, handle: EventHandler) =>
    app.get(path, handle).on('HEAD', path, handle);
  const statementOf = ({ searchParams }: URL) => {
    const day = searchParams.get('day') ?? dayOf(systemClock.now());
    return chairside.getStatement(owner, { businessId: shop.id, day, timeZone });
  };

  get('/day', async ({ url }) =>
    (await statementOf(url)).match(
      async (found) => answer(textPage(found.day, await assets(), '', dayPage(found)), 'text/html'),
      app.problemResponse,
    ),
  );
  get('/day.csv', async ({ url }) =>
    (await statementOf(url)).match(
      (found) => answer(statementToCsv(found), 'text/csv'),
      app.problemResponse,
    ),
  );
}

/** `YYYY-MM-DD` on the shop's calendar. */
function dayOf(now: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now);
}

function answer(body: string, type: string): Response {
  return new Response(body, {
    headers: {
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy,
      'content-type': `${type}; charset=utf-8`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}
