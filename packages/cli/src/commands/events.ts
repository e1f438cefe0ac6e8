import { err, ok, parseTimestamp, type Result } from '@chairside/core';
import type { EventKey, PendingEvent, Store } from '@chairside/core/ports';
import { type Context, command, type Report } from '../command.ts';
import { firstLine } from '../config.ts';
import { col, right, type Screen, wide } from '../screen.ts';
import { countText, storeText, timeText } from '../words.ts';
import { problemText } from './reviews.ts';

/** How many are read of each list. */
export const mostEvents = 1000;
/** How many are printed of each list. */
const mostShown = 50;

/** The first event of each subject that waits, due now or later; the longest due first. */
export function listWaiting(store: Store) {
  return store.events.listDue(Number.MAX_SAFE_INTEGER, mostEvents);
}

export const events = command({
  name: 'events',
  summary: 'lists the events that your handler rejected for good, and those that wait',
  async run({ opened, chairside, during }) {
    const { store } = chairside.ports;
    const [dead, waiting] = await during(
      'reading the events',
      Promise.all([store.events.listDead(mostEvents), listWaiting(store)]),
    );
    if (dead.isErr()) return err(storeText(dead.error));
    if (waiting.isErr()) return err(storeText(waiting.error));
    return ok({
      document: { dead: dead.value.map(viewEvent), waiting: waiting.value.map(viewEvent) },
      needsPerson: dead.value.length > 0,
      draw(screen: Screen) {
        const [first] = dead.value;
        const isNone = first === undefined && waiting.value.length === 0;
        if (isNone) screen.line('No event waits.', 'good');
        drawEvents(screen, 'Rejected ten times', dead.value);
        if (first !== undefined && !opened.isReadOnly) {
          screen.line(
            'Later events of the same payment wait behind each. Mend your handler, then:',
            'warning',
          );
          const which = dead.value.length === 1 ? first.event.subject : '--all';
          screen.line(`→ chairside events retry ${which}`);
        }
        drawEvents(screen, 'Waiting', waiting.value);
      },
    });
  },
});

function drawEvents(screen: Screen, title: string, listed: readonly PendingEvent[]): void {
  const counted = countText(listed.length, 'event', mostEvents);
  screen.list(`${title}: ${counted}`, listed.slice(0, mostShown), [
    col('Subject', ({ event }) => event.subject),
    wide('Event', ({ event }) => event.type),
    right('Tries', ({ attempts }) => `${attempts}`),
    col('Since (UTC)', ({ event }) => timeText(event.occurredAt)),
  ]);
  if (listed.length > mostShown) {
    screen.line(`… and ${countText(listed.length - mostShown, 'more event')}; --json has them.`);
  }
}

export function viewEvent({ event, attempts }: PendingEvent) {
  const { subject, version, type, occurredAt } = event;
  return { subject, version, type, attempts, occurredAt: new Date(occurredAt).toISOString() };
}

export const retryEvent = command({
  name: 'events retry',
  takes: ['SUBJECT'],
  summary: 'gives a rejected event ten more tries',
  options: {
    all: { type: 'boolean', help: 'all of them, as after an outage of your handler' },
  },
  instead: 'all',
  question: ({ all }, [subject = '']) =>
    all ? 'Deliver all rejected events again?' : `Deliver the rejected event of ${subject} again?`,
  run: (context, { all }, [subject = '']) => {
    const act = (key: EventKey) => context.chairside.events.redeliver(key);
    return all
      ? retryAll(context)
      : changeDead(context, subject, act, 'It is delivered with the next run of upkeep.');
  },
});

async function retryAll({ chairside, during }: Context): Promise<Result<Report, string>> {
  const { store } = chairside.ports;
  let retried = 0;
  for (let after: EventKey | undefined; ; ) {
    const dead = await during('reading the events', store.events.listDead(mostEvents, after));
    if (dead.isErr()) return err(storeText(dead.error));
    for (const { event } of dead.value) {
      after = { subject: event.subject, version: event.version };
      const acted = await during('writing', chairside.events.redeliver(after));
      // Somebody else has retried or skipped it meanwhile.
      if (acted.isErr() && acted.error.type === 'notFound') continue;
      if (acted.isErr()) return err(problemText(acted.error));
      retried += 1;
    }
    if (dead.value.length < mostEvents) break;
  }
  const done = `${countText(retried, 'event')} will be delivered with the next run of upkeep.`;
  return ok({
    document: { retried },
    needsPerson: false,
    draw: (screen: Screen) => screen.line(done, 'good'),
  });
}

export const skipEvent = command({
  name: 'events skip',
  takes: ['SUBJECT'],
  summary: 'drops a rejected event, so that the later ones of its subject are delivered',
  question: (_, [subject = '']) =>
    `Drop the rejected event of ${subject} for good? Your handler never gets it.`,
  run: (context, _, [subject = '']) =>
    changeDead(
      context,
      subject,
      (key) => context.chairside.events.skip(key),
      'It is dropped. The later events of the subject are delivered with the next run of upkeep.',
    ),
});

export const replayEvents = command({
  name: 'events replay',
  summary: 'gives your handler the events since a time once more, after its database was restored',
  options: {
    since: { type: 'string', value: 'TIME', help: 'such as 2026-11-24T08:00:00Z' },
    after: { type: 'string', value: 'PLACE', help: 'goes on where a replay ended early' },
  },
  question: ({ since = '' }) => `Give your handler all events since ${sinceText(since)} once more?`,
  async run({ opened: { deliver }, chairside, during }, { since: text = '', after: from }) {
    const since = timestampOf(text);
    if (parseTimestamp(since) === undefined) {
      return err('--since takes a time in UTC, such as 2026-11-24T08:00:00Z.');
    }
    if (deliver === undefined) return err('The configuration has no `deliver`.');
    let delivered = 0;
    let after = from;
    do {
      const page = await during('reading events', chairside.events.replay({ since, after }));
      if (page.isErr()) return err(`${problemText(page.error)}${goOnText(after)}`);
      for (const event of page.value.events) {
        try {
          await during(`delivering ${event.id}`, deliver(event));
        } catch (thrown) {
          return err(`Your handler rejected ${event.id}: ${firstLine(thrown)}.${goOnText(after)}`);
        }
        delivered += 1;
      }
      after = page.value.next;
    } while (after !== undefined);
    return ok({
      document: { since, delivered },
      needsPerson: false,
      draw(screen: Screen) {
        const events = countText(delivered, 'event');
        screen.line(`${events} since ${sinceText(text)} given to your handler.`, 'good');
      },
    });
  },
});

/** A person writes no milliseconds. A day, an offset or a time of unknown zone would be guessed. */
const timestampOf = (text: string) => text.replace(/(T\d\d:\d\d:\d\d)Z$/, '$1.000Z');

/** The time as it was understood. */
function sinceText(text: string): string {
  const at = parseTimestamp(timestampOf(text));
  return at === undefined ? text : `${timeText(at)} UTC`;
}

/** A page that is given twice has the same ids. */
function goOnText(after: string | undefined): string {
  return after === undefined ? '' : ` Go on with --after '${after}'.`;
}

/** A subject has at most one dead letter, because its later events wait behind it. */
async function changeDead(
  { chairside, during }: Context,
  subject: string,
  act: (key: EventKey) => ReturnType<Context['chairside']['events']['skip']>,
  done: string,
): Promise<Result<Report, string>> {
  const listed = await findDead(chairside.ports.store, subject);
  if (listed.isErr()) return err(storeText(listed.error));
  const dead = listed.value;
  if (dead === undefined) return err(`No rejected event of ${subject} waits.`);
  const acted = await during('writing', act({ subject, version: dead.event.version }));
  if (acted.isErr()) return err(problemText(acted.error));
  return ok({
    document: viewEvent(dead),
    needsPerson: false,
    draw: (screen: Screen) => screen.line(`${dead.event.type} of ${subject}: ${done}`, 'good'),
  });
}

export function findDead(store: Store, subject: string) {
  return store.events
    .listDead(1, { subject, version: 0 })
    .map(([first]) => (first?.event.subject === subject ? first : undefined));
}
