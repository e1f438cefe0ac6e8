import {
  err,
  ok,
  type Problem,
  type ReviewOutcome,
  type ReviewView,
  reviewGuide,
} from '@chairside/core';
import { reviewOutcomes } from '@chairside/core/ports';
import { command } from '../command.ts';
import type { Screen } from '../screen.ts';
import { timestampText } from '../words.ts';

const most = 100;

export const reviews = command({
  name: 'reviews',
  summary: 'lists what needs a person, and what to do about each',
  options: {
    resolved: { type: 'boolean', help: 'lists those that were resolved' },
    after: {
      type: 'string',
      value: 'ID',
      help: `goes on after this review; a list has at most ${most}`,
    },
  },
  async run({ chairside, during }, { resolved = false, after }) {
    const state = resolved ? 'resolved' : 'open';
    const listed = await during(
      'reading the reviews',
      chairside.listReviews({ state, limit: most, after }),
    );
    if (listed.isErr()) return err(problemText(listed.error));
    const found = listed.value;
    return ok({
      document: {
        reviews: found.map((review) => ({ ...review, ...reviewGuide[review.reason] })),
        more: found.length === most,
      },
      needsPerson: !resolved && found.length > 0,
      draw(screen: Screen) {
        if (found.length === 0) {
          screen.line(resolved ? 'No review was resolved.' : 'Nothing needs a person.', 'good');
        }
        for (const review of found) drawReview(screen, review);
        if (!resolved && found.length > 0) {
          screen.part('When it is done');
          screen.line('→ chairside reviews resolve ID --note "what you found and did"');
          screen.line(
            'Add --outcome tookPlace or --outcome didNotTakePlace where the review asks for it.',
          );
        }
        const last = found.at(-1);
        if (found.length === most && last !== undefined) {
          screen.part(`There are more: chairside reviews --after ${last.id}`);
        }
      },
    });
  },
});

export const resolveReview = command({
  name: 'reviews resolve',
  takes: ['ID'],
  summary: 'closes a review with a note, and with an outcome where the processor cannot tell it',
  options: {
    outcome: {
      type: 'string',
      value: 'OUTCOME',
      help: `${reviewOutcomes.join(', ')}; default: noted, which changes nothing else`,
    },
    note: { type: 'string', value: 'TEXT', help: 'what you found and did' },
  },
  question: ({ outcome = 'noted' }, [id]) =>
    outcome === 'noted'
      ? `Close the review ${id}?`
      : `Say of the review ${id} that it ${outcome === 'tookPlace' ? 'took place' : 'did not take place'}? This ends the payment or refund, and frees or counts its amount.`,
  async run({ chairside, by, during }, { outcome = 'noted', note }, [reviewId = '']) {
    if (note === undefined) return err('Say with --note what you found and did.');
    if (!isOutcome(outcome)) {
      return err(`There is no outcome ${outcome}: ${reviewOutcomes.join(', ')}.`);
    }
    const resolving = chairside.resolveReview({ reviewId, outcome, note, by });
    const closed = await during('asking the processor', resolving);
    if (closed.isErr()) return err(problemText(closed.error));
    return ok({
      document: closed.value,
      needsPerson: false,
      draw: (screen: Screen) => drawReview(screen, closed.value),
    });
  },
});

function isOutcome(text: string): text is ReviewOutcome {
  return reviewOutcomes.some((one) => one === text);
}

export function problemText({ title, detail: said = title }: Problem): string {
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

function payoutText({
  amount,
  currency,
  state,
  failure,
}: NonNullable<ReviewView['payout']>): string {
  return `${amount} ${currency.toUpperCase()}, ${state}${failure === undefined ? '' : `: ${failure}`}`;
}

function drawReview(screen: Screen, review: ReviewView): void {
  const { happened, action } = reviewGuide[review.reason];
  const { id, reason, resolvedAt, count, note, by, outcome, payout } = review;
  screen.part(`${reason}  ${id}`);
  screen.facts([
    ['Since', `${timestampText(review.openedAt)} UTC`],
    ['Payment', review.contactlessPaymentId],
    ['At the processor', review.processorReference],
    ['Account', review.account],
    ['Payout', payout && payoutText(payout)],
    [
      reason === 'payoutFailed' ? 'Payouts' : 'Payments',
      count === undefined ? undefined : `at least ${count}`,
    ],
    ['What happened', happened],
    ['What to do', resolvedAt === undefined ? { text: action, tone: 'warning' } : undefined],
    [
      'Resolved',
      resolvedAt && `${timestampText(resolvedAt)} UTC${by === undefined ? '' : ` by ${by}`}`,
    ],
    ['Outcome', resolvedAt && (outcome ?? 'noted')],
    ['Note', note],
  ]);
}
