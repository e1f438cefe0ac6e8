import { err, ok, type PaymentTimeline, Result, reviewGuide } from '@chairside/core';
import { isOpened, type Payment } from '@chairside/core/ports';
import { readAtProcessor } from '../at-processor.ts';
import { type Context, command } from '../command.ts';
import {
  type Compared,
  cardText,
  compare,
  viewDispute,
  viewPayment,
  viewRefund,
  viewTender,
} from '../compare.ts';
import { type Cell, col, right, type Screen, wide } from '../screen.ts';
import { moneyText, processorText, storeText, timestampText, timeText } from '../words.ts';
import { findDead, listWaiting, viewEvent } from './events.ts';
import { problemText } from './reviews.ts';

/** The bounds of the core for one payment. */
const mostRefunds = 1000;

export const payment = command({
  name: 'payment',
  takes: ['ID'],
  summary: 'explains a payment: record, history, events, refunds, disputes, and the processor',
  async run(context, _, [id = '']) {
    const { opened, chairside, operator, during } = context;
    const { ports } = chairside;
    const { store } = ports;
    const read = await during('reading the payment', store.payments.get(id));
    if (read.isErr()) return err(storeText(read.error));
    const found = read.value;
    if (found === undefined) return err(`There is no payment ${id}.`);
    const [told, ...reads] = await during(
      'reading the payment',
      Promise.all([
        chairside.getPaymentTimeline(operator, { contactlessPaymentId: id }),
        store.refunds.listByPayment(id, mostRefunds),
        store.disputes.listByPayment(id, mostRefunds),
        store.tenders.listByPayment(id, mostRefunds),
        listWaiting(store),
        findDead(store, id),
        openReviews(context, id),
      ]),
    );
    if (told.isErr()) return err(problemText(told.error));
    const all = Result.combine(reads);
    if (all.isErr()) return err(storeText(all.error));
    const [refunds, disputes, cash, waiting, dead, reviews] = all.value;
    const seen = opened.isReadOnly
      ? undefined
      : await during('asking the processor', readAtProcessor(ports, found));
    const compared = seen?.isOk() ? compare(found, refunds, disputes, seen.value) : undefined;
    const event = dead ?? waiting.find((one) => one.event.subject === id);
    const differs = compared?.some(({ match }) => match === 'differs') === true;
    return ok({
      document: {
        payment: viewPayment(found),
        timeline: told.value.items,
        events: event === undefined ? [] : [{ ...viewEvent(event), isDead: dead !== undefined }],
        refunds: refunds.map(viewRefund),
        disputes: disputes.map(viewDispute),
        tenders: cash.map(viewTender),
        reviews: reviews.map((one) => ({
          id: one.id,
          reason: one.reason,
          ...reviewGuide[one.reason],
        })),
        processor: compared ?? (seen?.isErr() ? { failed: processorText(seen.error) } : null),
      },
      needsPerson: differs || seen?.isErr() === true || dead !== undefined || reviews.length > 0,
      draw(screen: Screen) {
        drawPayment(screen, found);
        for (const review of reviews) {
          const { happened, action } = reviewGuide[review.reason];
          screen.part('Needs a person');
          screen.facts([
            ['Review', review.id],
            ['What happened', { text: happened, tone: 'bad' }],
            ['What to do', { text: action, tone: 'warning' }],
            ['When done', `chairside reviews resolve ${review.id} --note TEXT`],
          ]);
        }
        drawShares(screen, found);
        screen.part('History');
        screen.table(historyOf(told.value.items), [
          col('Time (UTC)', ({ at }) => at),
          wide('Event', ({ what }) => what),
          col('Because of', ({ cause }) => cause),
          wide('By', ({ by }) => by),
        ]);
        screen.list('Refunds', refunds, [
          col('Refund', ({ id }) => id),
          right('Amount', ({ amountMinor, currency }) => moneyText(amountMinor, currency)),
          col('State', ({ state }) => state),
          col('Begun (UTC)', ({ createdAt }) => timeText(createdAt)),
          wide(
            'Why',
            ({ failure, origin }) =>
              failure ?? (origin === 'elsewhere' ? 'made at the processor' : ''),
          ),
        ]);
        screen.list('Disputes', disputes, [
          wide('Dispute', ({ reference }) => reference),
          right('Amount', ({ amountMinor, currency }) => moneyText(amountMinor, currency)),
          col('State', ({ state }) => state),
          col('Answer by (UTC)', ({ respondBy }) =>
            respondBy === undefined ? '' : timeText(respondBy),
          ),
          wide('Reason', ({ reason }) => reason),
        ]);
        for (const { kind, amountMinor, currency, at } of cash) {
          screen.part('Given back without the card');
          screen.line(`${moneyText(amountMinor, currency)}, ${kind}, ${timeText(at)} UTC`);
        }
        if (event !== undefined) {
          screen.part('Events');
          const { type, occurredAt } = event.event;
          const line = `${type} of ${timeText(occurredAt)} UTC, ${event.attempts} tries:`;
          if (dead === undefined) screen.line(`${line} it waits for delivery.`);
          else {
            screen.line(
              `${line} your handler rejected it, and later events wait behind it.`,
              'bad',
            );
            screen.line(`→ chairside events retry ${id}`);
          }
        }
        screen.part('Here and at the processor');
        if (seen === undefined) screen.line('With --sqlite the processor is not asked.', 'faint');
        else if (seen.isErr()) screen.line(processorText(seen.error), 'bad');
        else drawCompared(screen, compared ?? []);
      },
    });
  },
});

/** The open reviews of a payment, among the first of the list. */
function openReviews({ chairside }: Context, id: string) {
  return chairside.ports.store.reviews
    .list('open', mostRefunds)
    .map((all) => all.filter(({ paymentId }) => paymentId === id));
}

function drawPayment(screen: Screen, found: Payment): void {
  const { amountMinor, currency, tipMinor, capturedMinor, charge, work } = found;
  const { appointment } = found;
  const time = (at: number | undefined) => (at === undefined ? undefined : `${timeText(at)} UTC`);
  const isFinalState = found.state === 'captured' || found.state === 'canceled';
  const state: Cell = {
    text: isOpened(found) ? found.state : `${found.state}, not opened at the processor yet`,
    tone: isFinalState ? 'strong' : 'warning',
  };
  screen.part(`${charge === undefined ? 'Payment' : `Charge (${charge.purpose})`} ${found.id}`);
  screen.facts([
    ['State', state],
    ['Amount', moneyText(amountMinor, currency)],
    ['Tip in it', tipMinor === undefined ? undefined : moneyText(tipMinor, currency)],
    ['Captured', capturedMinor === undefined ? undefined : moneyText(capturedMinor, currency)],
    ['Card', cardText(found.card)],
    ['Appointment', appointment.id],
    ['Business', found.businessId],
    [
      'Barber',
      `${appointment.barber.givenName} ${appointment.barber.surname} (${appointment.barber.id})`,
    ],
    ['Account', found.account],
    ['At the processor', found.reference],
    ['Begun', time(found.createdAt)],
    ['Expires', isFinalState ? undefined : time(found.expiresAt)],
    ['Unfinished', work && `${work.kind}, attempt ${work.attempt}; its outcome is not known yet`],
    ['Reserved', found.reserved ? 'its amount, because a capture may have been sent' : undefined],
    ['Next check', isFinalState && work === undefined ? undefined : nextCheckOf(found)],
  ]);
}

/** Whose it is, where that is not only the visit and barber above. */
function drawShares(screen: Screen, { shares = [], currency }: Payment): void {
  screen.list('Whose it is', shares, [
    wide('Appointment', ({ appointmentId }) => appointmentId),
    wide('Barber', ({ barberId, barberName }) =>
      barberName === undefined ? barberId : `${barberName} (${barberId})`,
    ),
    right('Amount', ({ amountMinor }) => moneyText(amountMinor, currency)),
    right('Tip in it', ({ tipMinor }) => (tipMinor === 0n ? '' : moneyText(tipMinor, currency))),
  ]);
}

function nextCheckOf({ nextCheckAt, checks }: Payment): string | undefined {
  if (nextCheckAt === undefined) return undefined;
  return `${timeText(nextCheckAt)} UTC${checks > 0 ? `, after ${checks} in vain` : ''}`;
}

type Lines = PaymentTimeline['items'];

/**
 * The history, with what repeats as one line: a payment whose outcome stays unknown is tried each hour, and each
 * try writes one or two lines.
 */
function historyOf(timeline: Lines) {
  const rows: { at: string; what: string; cause?: string; by?: string | undefined }[] = [];
  for (let from = 0; from < timeline.length; ) {
    const turns = [1, 2].map((length) => ({ length, times: repeatsOf(timeline, from, length) }));
    const { length, times } = turns.find((turn) => turn.times > 2) ?? { length: 1, times: 1 };
    const lines = timeline.slice(from, from + length);
    rows.push(...lines.map((line) => ({ ...line, at: timestampText(line.at) })));
    const last = timeline[from + length * times - 1];
    if (times > 1 && last !== undefined) {
      rows.push({ at: '…', what: `${times} times in all, until ${timestampText(last.at)}` });
    }
    from += length * times;
  }
  return rows;
}

/** How often the lines from here repeat, with the first time. */
function repeatsOf(timeline: Lines, from: number, length: number): number {
  let times = 1;
  const isSame = (at: number) => {
    const [one, other] = [timeline[at], timeline[at + length * times]];
    return (
      one !== undefined &&
      one.what === other?.what &&
      one.cause === other.cause &&
      one.by === other.by
    );
  };
  while (Array.from({ length }, (_, index) => from + index).every(isSame)) times += 1;
  return times;
}

const marks: Readonly<Record<Compared['match'], Cell>> = {
  same: { text: '' },
  behind: { text: 'upkeep will follow', tone: 'warning' },
  differs: { text: 'differs', tone: 'bad' },
};

function drawCompared(screen: Screen, compared: readonly Compared[]): void {
  screen.table(compared, [
    wide('', ({ what }) => what),
    wide('Here', ({ here, match }) => ({ ...marks[match], text: here })),
    wide('Processor', ({ there, match }) => ({ ...marks[match], text: there })),
    col('', ({ match }) => marks[match]),
  ]);
}
