import { hourMs, minuteMs, secondMs } from '@chairside/core';
import { type Action, type Does, type Draft, refundFaultKinds } from './plan.ts';
import { createRandom, hash, type Random, timeFrom } from './random.ts';
import { byTime, type Drawn, intruderOf, type Swarm, tapsOf } from './swarm.ts';

/** The extra operations for each hundred captures, different for each seed. */
const shares = [0, 20, 40, 80] as const;

/** Money that goes back, drawn separately, so that the payments of a seed stay the same. */
export function refundsOf(seed: number, swarm: Swarm, actions: readonly Action[]): Drawn {
  const random = createRandom(hash(seed, refundsMark));
  const captures = actions.flatMap((action) => (action.does === 'capture' ? [action] : []));
  // The first one of an appointment succeeds more often.
  const firsts = captures.filter(
    ({ appointment }, index) =>
      captures.findIndex((one) => one.appointment === appointment) === index,
  );
  const count = Math.ceil((captures.length * random.pick(shares)) / 100);
  const kinds = [...swarm.kinds, ...refundFaultKinds.filter(() => random.chance(0.5))];
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    const near = random.chance(0.8)
      ? firsts[random.below(firsts.length)]
      : captures[random.below(captures.length)];
    if (near !== undefined) drafts.push(...storyOf(random, swarm, near, drafts.length));
  }
  return { random, drafts: drafts.slice(0, count).sort(byTime), kinds };
}

const refundsMark = 0xef0d;

/** Refunds of one payment, and what happens to them. */
function storyOf(
  random: Random,
  swarm: Swarm,
  { appointment, payment, at: capturedAt }: Does<'capture'>,
  number: number,
): Draft[] {
  const begun = capturedAt + random.below(random.pick([secondMs, 20 * secondMs, 5 * minuteMs]));
  const { later, pass } = timeFrom(random, begun);
  const about = { appointment, payment };
  const changeAtProcessor = (how: Does<'changeAtProcessor'>['how'], at: number): Draft => {
    return { does: 'changeAtProcessor', at, ...about, how };
  };
  const drafts: Draft[] = [];
  // Several at a desk or on several nodes, each with a key of its own.
  const refunds = 1 + random.below(3);
  for (let n = 0; n < refunds; n += 1) {
    if (random.chance(0.2)) drafts.push(changeAtProcessor(random.pick(elsewhere), later(secondMs)));
    drafts.push(...refundOf(random, swarm, about, `refund-${number}-${n}`, later));
  }
  if (random.chance(0.3))
    drafts.push(changeAtProcessor('refundFails', later(random.pick([secondMs, hourMs]))));
  if (random.chance(0.25)) {
    const close = random.pick(['winDispute', 'loseDispute'] as const);
    // Some end in the second in which they begin.
    const withinMs = random.pick([1, hourMs, hourMs]);
    drafts.push(
      changeAtProcessor(random.pick(begins), later(minuteMs)),
      changeAtProcessor(close, later(withinMs)),
    );
    // A case that goes on: each step at a moment of its own, as a network takes them.
    const steps = random.below(4);
    for (let step = 0; step < steps; step += 1) {
      pass(secondMs);
      drafts.push(changeAtProcessor(random.pick(goesOn), later(random.pick([minuteMs, hourMs]))));
      if (random.chance(0.3)) drafts.push({ does: 'notify', at: later(secondMs), disorder: 2 });
    }
  }
  if (random.chance(0.3)) {
    const as = intruderOf(random, swarm.mischief);
    drafts.push({ does: 'readRefunds', at: later(minuteMs), ...about, ...as, ...viaOf(random) });
  }
  if (random.chance(0.3)) drafts.push({ does: 'notify', at: later(minuteMs), disorder: 2 });
  if (random.chance(0.1)) {
    const basisPoints = random.pick([0, 100, 290]);
    drafts.push({ does: 'setFee', at: capturedAt, business: 'shop', basisPoints });
  }
  return drafts;
}

const begins = ['dispute', 'disputeUnheard', 'inquire', 'inquireUnheard'] as const;
const goesOn = [
  'reopenDispute',
  'reopenDispute',
  'withholdDispute',
  'winDispute',
  'loseDispute',
] as const;
const elsewhere = ['refund', 'refundPart', 'refundPart', 'refundUnheard'] as const;

function viaOf(random: Random): { readonly via?: 'http' } {
  return random.chance(0.2) ? { via: 'http' } : {};
}

/** One refund, and the same request again: from an impatient thumb, or much later. */
function refundOf(
  random: Random,
  { impatience, mischief }: Swarm,
  about: { readonly appointment: number; readonly payment: string },
  key: string,
  later: (ms: number) => number,
): Draft[] {
  const drawn = random.pick(['5.00', '5.00', '20.00', '45.00', 'rest']);
  const amount = drawn === 'rest' ? {} : { amount: drawn };
  const request = { does: 'refund', ...about, key, ...amount } as const;
  const taps = tapsOf(random, impatience, 3);
  const drafts: Draft[] = [{ ...request, at: later(2 * secondMs), ...taps, ...viaOf(random) }];
  if (random.chance(0.2)) drafts.push({ ...request, at: later(random.pick([secondMs, hourMs])) });
  if (random.chance(mischief)) {
    drafts.push({ ...request, at: later(secondMs), amount: '7.00' });
  }
  if (random.chance(mischief)) {
    const as = random.pick(['other', 'roleless', 'expired', 'anonymous', 'unsure'] as const);
    const via = as === 'other' || as === 'roleless' ? viaOf(random) : { via: 'http' as const };
    drafts.push({ ...request, at: later(minuteMs), as, ...via });
  }
  return drafts;
}
