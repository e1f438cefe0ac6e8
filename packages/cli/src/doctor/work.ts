import { type EpochMs, hourMs, minuteMs } from '@chairside/core';
import { isFinal, type Payment, type SweptBooks } from '@chairside/core/ports';
import type { Context } from '../command.ts';
import { listWaiting, mostEvents } from '../commands/events.ts';
import { ageText, countText, timeText } from '../words.ts';
import { type Finding, sharedNow, unread } from './finding.ts';

const most = 1000;
/** The mark of books begins this long before their first payment. */
const beforeFirstMs = 7 * 24 * hourMs;
/** Upkeep reads the processor's lists each ten minutes, of what is older than an hour. */
const sweptWithinMs = 30 * minuteMs;
const readWithinMs = 3 * hourMs;

/** When upkeep ran, by the marks that it leaves where payments are. */
export async function checkUpkeep(context: Context): Promise<readonly Finding[]> {
  const about = 'Upkeep';
  const now = await sharedNow(context);
  const listed = await context.chairside.ports.store.sweeps.listStale(
    Number.MAX_SAFE_INTEGER,
    most,
  );
  if (listed.isErr()) return unread(about, listed.error);
  const swept = listed.value;
  if (swept.length === 0) {
    return [{ level: 'ok', about, found: 'No payment was begun yet, so there is nothing to do.' }];
  }
  const tried = Math.max(...swept.filter(wasTried).map(({ triedAt }) => triedAt));
  const begunAt = Math.min(...swept.map(({ triedAt }) => triedAt + beforeFirstMs));
  const isNew = !Number.isFinite(tried);
  const silentMs = now - (isNew ? begunAt : tried);
  const start = 'Start the timer or the scheduler that runs it, or: chairside upkeep';
  if (silentMs > sweptWithinMs) {
    const found = isNew
      ? `It has never run, and the first payment is ${ageText(silentMs)} old.`
      : `It last read the processor's lists ${ageText(silentMs)} ago, at ${timeText(tried)} UTC.`;
    return [{ level: 'error', about, found, action: start }];
  }
  const ran: Finding = {
    level: 'ok',
    about,
    found: isNew
      ? 'The first payment is so new that none was due.'
      : `It last read the processor's lists ${ageText(silentMs)} ago.`,
  };
  return [ran, ...swept.filter(wasTried).flatMap((one) => unreadLists(one, now))];
}

const wasTried = ({ triedAt, sweptBefore, lists }: SweptBooks) =>
  triedAt !== sweptBefore || lists !== undefined;

const listNames = ['payments', 'refunds', 'disputes', 'settlements', 'payouts'] as const;

/** The lists of the books that were not read to the present. */
function unreadLists(swept: SweptBooks, now: EpochMs): readonly Finding[] {
  const lists: NonNullable<SweptBooks['lists']> = swept.lists ?? { payments: swept };
  const behind = listNames.flatMap((name) => {
    const { sweptBefore = now, reportedBefore = sweptBefore } = lists[name] ?? {};
    // Each reading of the payouts begins with the oldest that may still change.
    const at = name === 'payouts' ? reportedBefore : sweptBefore;
    return now - at > readWithinMs ? [{ name, at }] : [];
  });
  if (behind.length === 0) return [];
  const names = behind.map(({ name }) => name).join(', ');
  const until = Math.min(...behind.map(({ at }) => at));
  return [
    {
      level: 'warning',
      about: `Lists of ${swept.books}`,
      found: `The processor's lists of ${names} were read up to ${timeText(until)} UTC, ${ageText(now - until)} ago.`,
      action:
        'Without them no day closes, and no payout is seen. If the account is gone, connect it again; else look at upkeep and at what the key may read.',
    },
  ];
}

/** Upkeep looks at what is due once a minute. */
const lateAfterMs = 10 * minuteMs;
const failsAfterMs = hourMs;

/** Payments, refunds and setups whose next check has passed, and the oldest that did not end. */
export async function checkWork(context: Context): Promise<readonly Finding[]> {
  const about = 'Unfinished work';
  const { store } = context.chairside.ports;
  const now = await sharedNow(context);
  const [due, refunds, setups, all] = await Promise.all([
    store.payments.listDue(now, most),
    store.refunds.listDue(now, most),
    store.setups.listDue(now, most),
    store.payments.listDue(Number.MAX_SAFE_INTEGER, most),
  ]);
  if (due.isErr()) return unread(about, due.error);
  if (refunds.isErr()) return unread(about, refunds.error);
  if (setups.isErr()) return unread(about, setups.error);
  if (all.isErr()) return unread(about, all.error);
  // Of a final payment only its keys remain to be forgotten.
  const open = all.value.filter(isUnfinished);
  const times = [...due.value, ...refunds.value, ...setups.value].map(
    ({ nextCheckAt = now }) => nextCheckAt,
  );
  const lateMs = times.length === 0 ? 0 : now - Math.min(...times);
  const late = lateMs < lateAfterMs ? 'ok' : lateMs < failsAfterMs ? 'warning' : 'error';
  const isLate = late !== 'ok';
  const checks: Finding = {
    level: late,
    about,
    found: `${countText(open.length, 'open payment', most)}; ${countText(times.length, 'check', 3 * most)} due${isLate ? `, the longest for ${ageText(lateMs)}` : ''}.`,
    ...(isLate && { action: 'Upkeep does not run, or does not keep up: chairside upkeep' }),
  };
  const oldest = open
    .filter(({ checks }) => checks > 0)
    .sort((a, b) => a.createdAt - b.createdAt)[0];
  return oldest === undefined ? [checks] : [checks, stuck(oldest, now)];
}

const isUnfinished = (payment: Payment) => !isFinal(payment) || payment.work !== undefined;

function stuck({ id, checks, createdAt, review }: Payment, now: EpochMs): Finding {
  return {
    level: 'warning',
    about: 'Unknown outcome',
    found: `${id}, begun ${ageText(now - createdAt)} ago, was checked ${checks} times in vain${review === undefined ? '' : ', and is in review'}.`,
    action: `chairside payment ${id}`,
  };
}

const eventsLateMs = 15 * minuteMs;
/** A weekend is over. After some 60 days upkeep deletes what no handler takes. */
const eventsFailMs = 3 * 24 * hourMs;
/** A restart may cut one or two tries short. */
const manyTries = 3;

export async function checkEvents(context: Context): Promise<readonly Finding[]> {
  const about = 'Events';
  const { store } = context.chairside.ports;
  const now = await sharedNow(context);
  const [dead, waiting] = await Promise.all([
    store.events.listDead(mostEvents),
    listWaiting(store),
  ]);
  if (dead.isErr()) return unread(about, dead.error);
  if (waiting.isErr()) return unread(about, waiting.error);
  const begun = waiting.value.map(({ event }) => event.occurredAt);
  const ageMs = begun.length === 0 ? 0 : now - Math.min(...begun);
  const tries = Math.max(0, ...waiting.value.map(({ attempts }) => attempts));
  const isLate = ageMs > eventsLateMs || tries >= manyTries;
  // Without a handler here, the host may need no events.
  const isError = ageMs > eventsFailMs && context.opened.deliver !== undefined;
  const found: Finding[] = [
    {
      level: isError ? 'error' : isLate ? 'warning' : 'ok',
      about,
      found:
        begun.length === 0
          ? 'None waits.'
          : `${countText(begun.length, 'subject', mostEvents)} with events that wait, the oldest for ${ageText(ageMs)}${tries >= manyTries ? `, tried ${tries} times` : ''}.`,
      ...(isLate && {
        action: 'Look whether events are delivered, and at your handler: chairside events',
      }),
    },
  ];
  if (dead.value.length > 0) {
    found.push({
      level: 'error',
      about: 'Rejected events',
      found: `Your handler rejected ${countText(dead.value.length, 'event', mostEvents)} ten times.`,
      action: 'Mend the handler, then: chairside events',
    });
  }
  return found;
}

export async function checkReviews(context: Context): Promise<readonly Finding[]> {
  const about = 'Reviews';
  const listed = await context.chairside.ports.store.reviews.list('open', most);
  if (listed.isErr()) return unread(about, listed.error);
  const count = listed.value.length;
  if (count === 0) return [{ level: 'ok', about, found: 'Nothing needs a person.' }];
  return [
    {
      level: 'error',
      about,
      found: `${countText(count, 'review', most)} ${count === 1 ? 'needs' : 'need'} a person.`,
      action: 'chairside reviews',
    },
  ];
}
