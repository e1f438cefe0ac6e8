import { hourMs } from '@chairside/core';
import { createRandom, hash, type Random } from '../plan/random.ts';
import { begin } from './exchange.ts';
import { type Run, upkeepAction } from './run.ts';
import { settle } from './settle.ts';
import { note } from './upkeep.ts';

/** Until each open end has been unsettled for so long that a person is asked (D27). */
const lostForMs = [1, 20, 40, 60, 73, 75, 78, 82].map((hours) => hours * hourMs);

const wordsMark = 0x301d;

/** Days pass with the accounts closed. Then a person says what happened, not always the truth (D201). */
export async function speakForLost(run: Run): Promise<void> {
  const { scheduler, evidence } = run;
  await settle(run, scheduler.clock.now(), lostForMs);
  const random = createRandom(hash(run.plan.seed, wordsMark));
  await scheduler.runToEnd(begin(run, 'words', () => speak(run, random)));
  evidence.lost.clear();
}

async function speak(run: Run, random: Random): Promise<void> {
  const { chairside } = run.serve(upkeepAction);
  const open = (await chairside.listReviews({ limit: 1000 }))._unsafeUnwrap();
  for (const { id: reviewId, reason, contactlessPaymentId = '' } of open) {
    const of = reason === 'unsettled' ? 'payment' : 'refund';
    if (reason !== 'unsettled' && reason !== 'refundUnsettled') continue;
    if (random.chance(0.1)) continue;
    const first = random.pick(['tookPlace', 'didNotTakePlace'] as const);
    // A capture that was never sent cannot have taken place.
    for (const outcome of [first, 'didNotTakePlace'] as const) {
      const word = { reviewId, outcome, note: 'The bank says so.', by: 'marlow' };
      const done = await chairside.resolveReview(word);
      if (done.isErr()) {
        note(run, done.error);
        continue;
      }
      run.evidence.said.set(contactlessPaymentId, { outcome, of });
      if (of === 'payment') await checkEnded(run, contactlessPaymentId);
      break;
    }
  }
}

/** The word has ended the work, and given up the reservation. */
async function checkEnded({ evidence, world }: Run, id: string): Promise<void> {
  const payment = (await world().store.payments.get(id))._unsafeUnwrap();
  if (payment?.reserved !== true && payment?.work === undefined) return;
  evidence.faults.push({ rule: 'ends', what: `${id} is held after a person's word` });
}
