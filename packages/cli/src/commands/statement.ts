import {
  err,
  hourMs,
  ok,
  type PayoutView,
  parseTimestamp,
  payoutsToCsv,
  type StatementSumsView,
  type StatementView,
  statementToCsv,
} from '@chairside/core';
import { command } from '../command.ts';
import type { Cell, Column, Screen } from '../screen.ts';
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
    csv: { type: 'boolean', help: 'prints the lines as CSV' },
  },
  async run({ chairside, operator, during }, { business, day, zone, csv = false }) {
    if (business === undefined || day === undefined || zone === undefined) {
      return err(
        'Name the business, the day and the zone: chairside statement --business ID --day 2026-11-24 --zone Europe/Berlin',
      );
    }
    const read = await during(
      'reading the day',
      chairside.getStatement(operator, { businessId: business, day, timeZone: zone }),
    );
    if (read.isErr()) return err(problemText(read.error));
    const found = read.value;
    return ok({
      document: found,
      needsPerson: found.state === 'differs',
      draw: (screen: Screen) => drawStatement(screen, found),
      ...(csv && { text: statementToCsv(found) }),
    });
  },
});

const states: Readonly<Record<StatementView['state'], Cell>> = {
  closed: { text: 'closed: the figures are final', tone: 'good' },
  open: { text: 'open: the day is not over, or not read to its end yet', tone: 'warning' },
  differs: { text: 'differs: see the differences', tone: 'bad' },
};

const sumColumns: readonly Column[] = [
  ...['Payments', 'Captured', 'Tips', 'Refunded', 'Disputed', 'Fees', 'Settled'].map(
    (head) => ({ head, align: 'right' }) as const,
  ),
];

const sumCells = (sums: StatementSumsView) => [
  `${sums.payments}`,
  sums.captured,
  sums.tips ?? '',
  sums.refunded,
  sums.disputed,
  sums.processorFees,
  sums.settled,
];

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
  const who = view.barbers.map((one) => [one.barber ?? 'no record here', one] as const);
  const all = view.shop.map((one) => ['The shop', one] as const);
  if (all.length + who.length === 0) {
    screen.line('Nothing was taken or given back.');
    return;
  }
  screen.part('Sums');
  screen.table(
    [{ head: '', wraps: true }, { head: '' }, ...sumColumns],
    [...all, ...who].map(([name, sums]) => [name, sums.currency.toUpperCase(), ...sumCells(sums)]),
  );
  const tenders = view.shop.flatMap(({ currency, tenders: kinds = [] }) =>
    kinds.map(({ kind, taken, returned }) => [kind, currency.toUpperCase(), taken, returned]),
  );
  if (tenders.length > 0) {
    screen.part('Without a card');
    screen.table(
      [
        { head: 'Kind' },
        { head: '' },
        { head: 'Taken', align: 'right' },
        { head: 'Given back', align: 'right' },
      ],
      tenders,
    );
  }
  if (view.payouts.length > 0) {
    screen.part('Payouts');
    screen.table(
      [
        { head: 'Payout', wraps: true },
        { head: 'State' },
        { head: 'Amount', align: 'right' },
        { head: 'Of this day', align: 'right' },
        { head: 'Arrives (UTC)' },
      ],
      view.payouts.map((one) => [
        one.id,
        payoutState(one.state),
        one.amount,
        one.ofThisDay,
        timestampText(one.arrivesAt),
      ]),
    );
  }
  if (view.differences.length > 0) {
    screen.part('Differences');
    screen.table(
      [
        { head: 'Reason' },
        { head: 'Ours', align: 'right' },
        { head: 'Theirs', align: 'right' },
        { head: 'Of', wraps: true },
      ],
      view.differences.map((one) => [
        { text: one.reason, tone: one.reason === 'otherDay' ? 'plain' : 'bad' },
        one.ours,
        one.theirs,
        `${one.kind ?? 'payout'} ${one.contactlessPaymentId ?? one.processorReference ?? ''}`,
      ]),
    );
  }
  if (view.lines.length > 0) {
    screen.part('Lines');
    screen.table(
      [
        { head: 'Time (UTC)' },
        { head: 'Kind' },
        { head: 'Payment', wraps: true },
        { head: 'Amount', align: 'right' },
        { head: 'Settled', align: 'right' },
      ],
      view.lines.map((one) => [
        timestampText(one.at),
        one.purpose ?? one.kind,
        one.contactlessPaymentId,
        one.amount ?? '',
        one.settled ?? '',
      ]),
    );
  }
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
      needsPerson: found.some(isBack),
      ...(csv && { text: payoutsToCsv(found) }),
      draw(screen: Screen) {
        if (found.length === 0) {
          screen.line('No payout arrives in this time.');
          return;
        }
        screen.table(
          [
            { head: 'Payout', wraps: true },
            { head: 'State' },
            { head: 'Amount', align: 'right' },
            { head: 'Ours', align: 'right' },
            { head: 'Others', align: 'right' },
            { head: 'Arrives (UTC)' },
          ],
          found.map((one) => [
            one.id,
            payoutState(one.state),
            `${one.amount} ${one.currency.toUpperCase()}`,
            one.isItemized ? one.ours : 'unknown',
            one.isItemized ? one.others : 'unknown',
            timestampText(one.arrivesAt),
          ]),
        );
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
