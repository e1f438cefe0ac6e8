import {
  err,
  hourMs,
  ok,
  type PayoutView,
  parseTimestamp,
  payoutsToCsv,
  type StatementView,
  statementToCsv,
} from '@chairside/core';
import { command } from '../command.ts';
import { type Cell, col, right, type Screen, wide } from '../screen.ts';
import { timestampText } from '../words.ts';
import { problemText } from './reviews.ts';

const dayMs = 24 * hourMs;

export const statement = command({
  name: 'statement',
  summary: "prints a business's day: what was taken, fees, payouts, and each difference",
  options: {
    business: { type: 'string', value: 'ID', help: 'the business' },
    day: { type: 'string', value: 'DAY', help: 'such as 2026-11-24' },
    zone: {
      type: 'string',
      value: 'ZONE',
      help: 'the time zone of the shop, such as Europe/Berlin',
    },
    'day-starts-at': {
      type: 'string',
      value: 'TIME',
      help: 'when the day begins, such as 04:00; default: midnight',
    },
    csv: { type: 'boolean', help: 'prints the lines as CSV' },
  },
  async run(
    { chairside, operator, during },
    { business, day, zone, 'day-starts-at': dayStartsAt, csv = false },
  ) {
    if (business === undefined || day === undefined || zone === undefined) {
      return err(
        'Name the business, the day and the zone: chairside statement --business ID --day 2026-11-24 --zone Europe/Berlin',
      );
    }
    const read = await during(
      'reading the day',
      chairside.getStatement(operator, { businessId: business, day, timeZone: zone, dayStartsAt }),
    );
    if (read.isErr()) return err(problemText(read.error));
    const found = read.value;
    return ok({
      document: found,
      needsPerson: found.differences.some(({ reason }) => !passing.has(reason)),
      draw: (screen: Screen) => drawStatement(screen, found),
      ...(csv && { text: statementToCsv(found) }),
    });
  },
});

/** Upkeep reads these to their end, or both days show them. */
const passing: ReadonlySet<string> = new Set(['notListedYet', 'otherDay']);

const states: Readonly<Record<StatementView['state'], Cell>> = {
  closed: { text: 'closed: the figures are final', tone: 'good' },
  open: { text: 'open: the day is not over, or not read to its end yet', tone: 'warning' },
  differs: { text: 'differs: see the differences', tone: 'bad' },
};

function drawStatement(screen: Screen, view: StatementView): void {
  screen.part(`${view.businessId}, ${view.day}`);
  screen.facts([
    ['State', states[view.state]],
    ['From', `${timestampText(view.from)} UTC`],
    ['Until', `${timestampText(view.until)} UTC (${view.timeZone})`],
    ['Read until', view.readUntil && `${timestampText(view.readUntil)} UTC`],
    ...(view.waitsFor ?? []).map(
      ({ account, readUntil }) =>
        ['Waits for', `${account}, read until ${timestampText(readUntil)} UTC`] as const,
    ),
  ]);
  const sums = [
    ...view.shop.map((one) => ({ ...one, of: 'The shop' })),
    ...view.barbers.map((one) => ({ ...one, of: one.barber ?? 'no record here' })),
  ];
  if (sums.length === 0) {
    screen.line('Nothing was taken or given back.');
    return;
  }
  screen.list('Sums', sums, [
    wide('', (one) => one.of),
    col('', ({ currency }) => currency.toUpperCase()),
    right('Payments', ({ payments }) => `${payments}`),
    right('Captured', ({ captured }) => captured),
    right('Tips', ({ tips }) => tips),
    right('Refunded', ({ refunded }) => refunded),
    right('Disputed', ({ disputed }) => disputed),
    right('Fees', ({ processorFees }) => processorFees),
    ...(view.shop.every(({ applicationFees }) => /^[0.]*$/.test(applicationFees))
      ? []
      : [right('Platform', (one: (typeof sums)[number]) => one.applicationFees)]),
    right('Settled', ({ settled }) => settled),
  ]);
  const tenders = view.shop.flatMap(({ currency, tenders: kinds = [] }) =>
    kinds.map((one) => ({ ...one, currency })),
  );
  screen.list('Without a card', tenders, [
    col('Kind', ({ kind }) => kind),
    col('', ({ currency }) => currency.toUpperCase()),
    right('Taken', ({ taken }) => taken),
    right('Given back', ({ returned }) => returned),
  ]);
  screen.list('Payouts', view.payouts, [
    wide('Payout', ({ id }) => id),
    col('State', ({ state }) => payoutState(state)),
    right('Amount', ({ amount }) => amount),
    right('Of this day', ({ ofThisDay }) => ofThisDay),
    col('Arrives (UTC)', ({ arrivesAt }) => timestampText(arrivesAt)),
  ]);
  screen.list('Differences', view.differences, [
    col('Reason', ({ reason }) => ({
      text: reason,
      tone: reason === 'otherDay' ? 'plain' : 'bad',
    })),
    right('Ours', ({ ours }) => ours),
    right('Theirs', ({ theirs }) => theirs),
    wide(
      'Of',
      ({ kind = 'payout', contactlessPaymentId, processorReference = '' }) =>
        `${kind} ${contactlessPaymentId ?? processorReference}`,
    ),
  ]);
  screen.list('Lines', view.lines, [
    col('Time (UTC)', ({ at }) => timestampText(at)),
    col('Kind', ({ purpose, kind }) => (kind === 'payment' && purpose) || kind),
    wide('Payment', ({ contactlessPaymentId }) => contactlessPaymentId),
    right('Amount', ({ amount }) => amount),
    right('Settled', ({ settled }) => settled),
  ]);
}

function payoutState(state: PayoutView['state']): Cell {
  const isBack = state === 'failed' || state === 'reversed';
  return { text: state, tone: isBack ? 'bad' : 'plain' };
}

export const payouts = command({
  name: 'payouts',
  summary: "lists the payouts to a business's bank",
  options: {
    business: { type: 'string', value: 'ID', help: 'the business' },
    from: {
      type: 'string',
      value: 'DAY',
      help: 'that arrive from this day on (UTC); default: 30 days ago',
    },
    csv: { type: 'boolean', help: 'prints the payouts as CSV' },
    until: {
      type: 'string',
      value: 'DAY',
      help: 'that arrive before this day (UTC); default: in 30 days',
    },
  },
  async run({ chairside, operator, during }, { business, from, until, csv = false }) {
    if (business === undefined) return err('Name the business: chairside payouts --business ID');
    const today = chairside.ports.clock.now();
    const input = {
      businessId: business,
      from: dayText(from, today - 30 * dayMs),
      until: dayText(until, today + 30 * dayMs),
      limit: 1000,
    };
    const wrong = [input.from, input.until].find((at) => parseTimestamp(at) === undefined);
    if (wrong !== undefined) return err(`${wrong.slice(0, -14)} is no day, such as 2026-11-24.`);
    const listed = await during('reading the payouts', chairside.listPayouts(operator, input));
    if (listed.isErr()) return err(problemText(listed.error));
    const found = listed.value;
    const isBack = ({ state }: PayoutView) => state === 'failed' || state === 'reversed';
    return ok({
      document: { ...input, payouts: found },
      needsPerson: found.some(
        (one) => (isBack(one) && one.paidAgainBy === undefined) || one.unexplained !== undefined,
      ),
      ...(csv && { text: payoutsToCsv(found) }),
      draw(screen: Screen) {
        if (found.length === 0) {
          screen.line('No payout arrives in this time.');
          return;
        }
        screen.table(found, [
          wide('Payout', ({ id }) => id),
          col('State', ({ state }) => payoutState(state)),
          right('Amount', ({ amount, currency }) => `${amount} ${currency.toUpperCase()}`),
          right('Ours', ({ isItemized, ours }) => (isItemized ? ours : 'unknown')),
          right('Others', ({ isItemized, others }) => (isItemized ? others : 'unknown')),
          col('Arrives (UTC)', ({ arrivesAt }) => timestampText(arrivesAt)),
        ]);
        for (const { id, unexplained } of found) {
          if (unexplained === undefined) continue;
          screen.line(`${id} is not the sum of its entries: ${unexplained} is unexplained.`, 'bad');
        }
        for (const { id, failure } of found.filter(isBack)) {
          screen.line(
            `${id} did not stay at the bank${failure === undefined ? '' : `: ${failure}`}.`,
            'bad',
          );
        }
      },
    });
  },
});

function dayText(day: string | undefined, otherwise: number): string {
  return `${day ?? new Date(otherwise).toISOString().slice(0, 10)}T00:00:00.000Z`;
}
