import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  english,
  type Facts,
  type GivingBack,
  isBusy,
  markOf,
  places,
  planOf,
  type Reading,
  readingAfter,
  type Screen,
  screenOf,
  totalOf,
  type VisitMoney,
} from '../src/screen.ts';
import type { Reason, Step } from '../src/taking.ts';
import { words } from '../src/words.ts';
import { base, examples } from './screen-examples.ts';

const { now } = base;
const minor = (amount: string) => Math.round(Number(amount) * 100);
const money = (minorUnits: number) => (minorUnits / 100).toFixed(2);

// All knowledge a screen may have: each fact read, unread or stale, and answers in any order.

const visits: fc.Arbitrary<VisitMoney> = fc
  .record({
    due: fc.option(fc.integer({ min: 0, max: 9000 })),
    held: fc.constantFrom(undefined, '45.00'),
    payments: fc.array(
      fc.record({
        price: fc.integer({ min: 1, max: 9000 }),
        tip: fc.integer({ min: 0, max: 500 }),
        back: fc.option(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ due, held, payments }) => ({
    held,
    due: due === null ? undefined : money(due),
    payments: payments.map(({ price, tip, back }, at) => {
      const amount = price + tip;
      const went = back === null ? 0 : Math.floor(amount * back[0]);
      const tipBack = Math.max(0, went - price);
      return {
        id: `cpm_${at}`,
        amount: money(amount),
        tip: tip === 0 ? undefined : money(tip),
        back:
          back === null
            ? undefined
            : {
                amount: money(went),
                underWay: back[1] ? money(went) : '0.00',
                refundable: money(amount - went),
                refundableTip: money(tip - tipBack),
                count: went === 0 ? 0 : 1,
              },
      };
    }),
  }));

interface Question {
  readonly askedAt: number;
  readonly value: VisitMoney | undefined;
}
const questions = fc.array(
  fc.record({
    askedAt: fc.integer({ min: now - 60_000, max: now }),
    value: fc.option(visits, { nil: undefined }),
  }),
  { maxLength: 5 },
);
const readAll = (answers: readonly Question[]) =>
  answers.reduce<Reading<VisitMoney>>(
    (reading, { askedAt, value }) =>
      readingAfter(reading, askedAt, value === undefined ? undefined : { value }, now),
    { is: 'unread' },
  );

/** Each end of a payment with what the register says of the charge. */
const reasons = {
  idle: [undefined, 'waiting', 'ended'],
  opening: [undefined],
  presenting: [undefined],
  stopping: [undefined],
  capturing: [undefined],
  checking: [undefined],
  captured: [undefined],
  declined: [undefined, 'partlyApproved'],
  canceled: [
    ...[undefined, 'stopped', 'sheetClosed', 'expired', 'alreadyPaid', 'paidElsewhere', 'owesLess'],
    ...['noPrice', 'noAccess', 'notSetUp', 'refused'],
  ],
  stuck: [
    ...['askShop', 'noAnswer', 'storedOffline', 'notStarted', 'signIn', 'otherPayment', 'reader'],
    ...['readerBusy', 'storage', 'unreadable', 'otherWindow', 'inUse', 'aNewReason'],
  ],
} as const;

const takings: fc.Arbitrary<Facts['taking']> = fc
  .constantFrom(...Object.entries(reasons).flatMap(([step, all]) => all.map((of) => [step, of])))
  .chain(([step, reason]) =>
    fc.record({
      // cast: names of the table above, a later version's among them
      step: fc.constant(step as Step), // cast: as above
      reason: fc.constant(reason as Reason | undefined),
      words: fc.constant(''),
      charged:
        step === 'captured'
          ? fc.constant('yes' as const)
          : step === 'stuck' || reason === 'paidElsewhere'
            ? fc.constantFrom('unknown' as const, 'no' as const)
            : fc.constantFrom('unknown' as const, 'no' as const, 'yes' as const),
      amount: fc.option(fc.integer({ min: 1, max: 9000 }).map(money), { nil: undefined }),
      tip: fc.option(fc.constant('0.50'), { nil: undefined }),
      currency: fc.constant('EUR'),
      nextAttemptAt: fc.option(fc.integer({ min: now, max: now + 9000 }), { nil: undefined }),
    }),
  )
  .map((taking) =>
    taking.charged === 'yes' && taking.step !== 'captured'
      ? { ...taking, paidBy: { id: 'cpm_9', amount: '33.33' } }
      : taking,
  );

/** The last one was taken before the phone's clock was set back. */
const moments = fc.constantFrom(0, now - 30_000, now - 5000, now, now + 300_000);
const problem = {
  type: 'unanswered',
  title: '',
  why: 'network',
  recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
} as const;
const amounts = fc.integer({ min: 1, max: 9000 }).map(money);
const backs: fc.Arbitrary<GivingBack> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ is: 'none' } as const) },
  fc.record({
    is: fc.constant('asking' as const),
    what: fc.constantFrom('all' as const, 'tip' as const),
    typed: fc.constantFrom('', '', '1', '0', 'x', '0.01', '999'),
  }),
  fc.record({ is: fc.constant('running' as const), amount: amounts }),
  fc.record({
    is: fc.constant('done' as const),
    amount: amounts,
    isUnderWay: fc.boolean(),
    endedAt: moments,
  }),
  fc.record({
    is: fc.constant('refused' as const),
    amount: amounts,
    wentBack: fc.constantFrom('0.00', '3.00'),
    problem: fc.constant(problem),
    endedAt: moments,
  }),
  fc.record({
    is: fc.constant('unknown' as const),
    amount: amounts,
    before: fc.constantFrom('0.00', '5.00'),
    plan: fc.constant([{ paymentId: 'cpm_0', amount: '1.00', key: 'k' }]),
    endedAt: moments,
  }),
);

const facts = fc
  .record({
    now: fc.constant(now),
    currency: fc.constant('EUR'),
    taking: takings,
    takingAt: moments,
    notes: fc.constantFrom(
      'read' as const,
      'read' as const,
      'unread' as const,
      'unreadable' as const,
    ),
    asked: questions,
    isSignedOut: fc.boolean(),
    back: backs,
    typed: fc.constantFrom('', '', '', '10', 'x', '0', '99999'),
    tipping: fc.option(fc.constant({ price: '45.00' }), { nil: undefined }),
    takesTips: fc.boolean(),
    mayRefund: fc.boolean(),
    leaves: fc.constantFrom('back' as const, 'next' as const),
  })
  .map(({ asked, ...rest }): Facts & { readonly asked: readonly Question[] } => ({
    ...rest,
    asked,
    books: readAll(asked),
  }));

/** The knowledge that the books allow, worked out apart from the function that is judged. */
function truthOf({
  asked,
  taking,
  takingAt,
  back,
}: Facts & { readonly asked: readonly Question[] }) {
  const acts = [takingAt, 'endedAt' in back ? back.endedAt : 0];
  const since = Math.max(...acts.filter((at) => at <= now));
  const read = asked.filter(({ value, askedAt }) => value !== undefined && askedAt >= since);
  const last = read.reduce<Question | undefined>(
    (latest, one) => (latest !== undefined && latest.askedAt > one.askedAt ? latest : one),
    undefined,
  );
  const isLost = asked.some(
    ({ value, askedAt }) => value === undefined && askedAt >= (last?.askedAt ?? 0),
  );
  const payments = last?.value?.payments ?? [];
  const sum = (of: (one: (typeof payments)[number]) => string | undefined) =>
    payments.reduce((total, one) => total + minor(of(one) ?? '0'), 0);
  const charged = sum(({ amount }) => amount);
  const tips = sum(({ tip }) => tip);
  return {
    isRead: last !== undefined,
    isFresh: last !== undefined && !isLost && now - last.askedAt <= 15_000,
    charged,
    left: Math.max(0, minor(last?.value?.due ?? 'Infinity') - charged + tips),
    refunded: sum((one) => one.back?.amount),
    refundable: sum((one) => one.back?.refundable),
    isBusy: isBusy(taking),
    isUnknown:
      taking.step === 'stuck' &&
      taking.charged !== 'no' &&
      taking.reason !== 'notStarted' &&
      taking.reason !== 'inUse',
  };
}

/** Words without their fact, controls that contradict each other, and controls without their state. */
function faultsOf(
  given: Facts & { readonly asked: readonly Question[] },
  screen: Screen,
): string[] {
  const truth = truthOf(given);
  const { taking, back, notes } = given;
  const { said, todo, lines, sum, controls, tone } = screen;
  const text = [
    said,
    ...lines,
    sum?.label,
    sum?.amount,
    ...controls.map(({ label }) => label),
  ].join(' | ');
  const has = (act: string) => controls.some((control) => control.act === act);
  const paidHere = taking.step === 'captured' || (taking.charged === 'yes' && !truth.isBusy);
  const isBackKnown = back.is === 'done' || (back.is === 'refused' && back.wentBack !== '0.00');
  const rules: readonly (readonly [string, boolean])[] = [
    ['shows nothing as an amount', /(?<!\d)0\.00|NaN|undefined/.test(text)],
    ['says nothing', said === '' || todo === ''],
    [
      'says paid without a fact',
      /\bPaid\b|\bis paid|was paid/.test(text) &&
        !paidHere &&
        truth.charged === 0 &&
        taking.reason !== 'alreadyPaid' &&
        back.is === 'none',
    ],
    [
      'says refunded without a fact',
      /went back(?! yet)|way back/.test(text) &&
        !/not known (yet )?whether|sees whether/.test(text) &&
        truth.refunded === 0 &&
        !isBackKnown,
    ],
    [
      'says that nothing was charged without a fact',
      /Nothing was charged now/.test(said) && taking.charged !== 'no',
    ],
    [
      'says that no card was charged',
      /No card was charged/.test(said) && !(truth.isRead && truth.charged === 0),
    ],
    [
      'says due without a fact',
      /is to be paid/.test(said) && !/Nothing is/.test(said) && !(truth.isRead && truth.left > 0),
    ],
    [
      'shows an amount that nobody read',
      sum !== undefined &&
        !truth.isRead &&
        taking.amount === undefined &&
        taking.paidBy === undefined &&
        !('amount' in back),
    ],
    [
      'hides that a charge is not known',
      truth.isUnknown &&
        !truth.isBusy &&
        back.is === 'none' &&
        tone !== 'unknown' &&
        // A visit that is paid is charged no further. The end of this payment can still be asked for.
        !(truth.isFresh && truth.left === 0 && truth.charged > 0 && has('check')),
    ],
    ['offers two money acts against each other', has('giveBack') && (has('take') || has('refund'))],
    [
      'offers something while a payment runs',
      truth.isBusy && controls.some(({ act }) => act !== 'stop'),
    ],
    ['offers to stop what does not run', has('stop') && !truth.isBusy],
    [
      'offers to charge without its state',
      has('take') &&
        (!truth.isFresh ||
          truth.left === 0 ||
          notes !== 'read' ||
          truth.isUnknown ||
          back.is === 'running'),
    ],
    [
      'asks for a tip without its state',
      screen.tipFor !== undefined && (!truth.isFresh || truth.left === 0),
    ],
    [
      'offers a refund without its state',
      (has('refund') || has('refundTip') || has('giveBack')) &&
        (!truth.isFresh ||
          truth.isUnknown ||
          back.is === 'running' ||
          (truth.refundable === 0 && back.is !== 'unknown')),
    ],
    [
      'offers a refund to a person who may not',
      (has('refund') || has('refundTip')) && !given.mayRefund,
    ],
    [
      'offers to drop a payment that may be charged',
      has('drop') &&
        truth.isUnknown &&
        !(truth.isFresh && truth.left === 0 && truth.charged > 0) &&
        !/ask the shop/i.test(todo),
    ],
    ['has one act twice', new Set(controls.map(({ act }) => act)).size !== controls.length],
    ['says paid and offers to charge all', /^Paid/.test(said) && has('take')],
    [
      'shows a tip screen with the shop’s controls',
      screen.tipFor !== undefined && controls.length > 0,
    ],
    [
      'leaves a person without a way on',
      controls.length === 0 &&
        screen.tipFor === undefined &&
        !truth.isBusy &&
        back.is !== 'running' &&
        given.leaves === 'back',
    ],
  ];
  const faults = rules.flatMap(([fault, isBroken]) => (isBroken ? [fault] : []));
  for (const { act, plan, label, amount } of controls) {
    if (plan !== undefined && !label.includes(totalOf(plan))) faults.push('names another refund');
    if (plan !== undefined && minor(totalOf(plan)) > truth.refundable)
      faults.push('refunds too much');
    if (act === 'take' && amount !== undefined && !label.includes(amount))
      faults.push('names another amount');
    if (act === 'take' && minor(amount ?? '0') - minor(taking.tip ?? '0') > truth.left)
      faults.push('takes too much');
  }
  return faults;
}

it('says no word without its fact, and offers no control without its state (D207)', () => {
  fc.assert(
    fc.property(facts, (given) => {
      expect(faultsOf(given, screenOf(given))).toEqual([]);
    }),
    { numRuns: 20_000 },
  );
});

it('finds a screen that takes unread for nothing', () => {
  const planted = (given: Facts): Screen =>
    screenOf(
      given.books.is === 'read'
        ? given
        : { ...given, books: { is: 'read', askedAt: now, value: { due: '45.00', payments: [] } } },
    );
  const found = fc.check(
    fc.property(facts, (given) => faultsOf(given, planted(given)).length === 0),
    { numRuns: 2000 },
  );
  expect(found.failed).toBe(true);
});

it('keeps the latest answer, in each order of replies', () => {
  const shuffled = questions.chain((asked) =>
    fc.tuple(fc.constant(asked), fc.shuffledSubarray(asked, { minLength: asked.length })),
  );
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      const [first, second] = [readAll(one), readAll(other)];
      const keyOf = (reading: Reading<VisitMoney>) =>
        reading.is === 'read' ? [reading.askedAt, reading.failedAt] : [reading];
      const answered = one.filter(({ value }) => value !== undefined);
      // Two answers to the same moment may differ.
      if (new Set(one.map(({ askedAt }) => askedAt)).size < one.length) return;
      expect(keyOf(first)).toEqual(keyOf(second));
      if (first.is === 'read') {
        expect(first.askedAt).toBe(Math.max(...answered.map(({ askedAt }) => askedAt)));
      }
    }),
  );
});

describe('a phone whose clock was set back by 5 minutes', () => {
  const value: VisitMoney = { due: '45.00', payments: [] };
  const ahead = readingAfter({ is: 'unread' }, now + 300_000, { value }, now + 300_000);
  const stateOf = (books: Facts['books'], at: number) => {
    const { said, controls } = screenOf({ ...base, books, now: at });
    return [/^At/.test(said) ? 'old' : 'now', controls.some(({ act }) => act === 'take')];
  };

  it('takes no card by books from the future', () => {
    expect(stateOf(ahead, now)).toEqual(['old', false]);
    expect(stateOf(ahead, now + 300_000)).toEqual(['now', true]);
  });

  it('believes the next answer', () => {
    const paid: VisitMoney = { due: '20.00', payments: [] };
    const next = readingAfter(ahead, now, { value: paid }, now + 50);
    expect(next).toMatchObject({ value: paid, askedAt: now });
    expect(stateOf(next, now + 50)).toEqual(['now', true]);
  });

  it('believes the next answer also after a payment or a refund that ended before', () => {
    const endedAt = now + 300_000;
    const refused = { is: 'refused', amount: '1.00', wentBack: '0.00', problem, endedAt } as const;
    for (const change of [{ takingAt: endedAt }, { back: refused }] as const) {
      const { state, controls } = screenOf({ ...base, ...change });
      expect([state, controls.map(({ act }) => act)]).toEqual([
        'back' in change ? 'backRefused' : 'ready',
        ['take', 'leave'],
      ]);
    }
    const since = { ...refused, endedAt: now };
    expect(screenOf({ ...base, takingAt: endedAt, back: since }).state).toBe('backRefused');
  });

  it('does not take the books for new again once the clock has come to their moment', () => {
    const lost = readingAfter(ahead, now, undefined, now + 50);
    expect(stateOf(lost, now + 300_000)).toEqual(['old', false]);
    // A question from the future that got no answer does not hold back a later answer either.
    const failed = readingAfter(ahead, now + 300_000, undefined, now + 300_000);
    const answered = readingAfter(failed, now, { value }, now + 50);
    expect(stateOf(answered, now + 50)).toEqual(['now', true]);
  });
});

it('gives each control a place of its own', () => {
  const cells = Object.values(places).flatMap(({ row, column, width }) =>
    Array.from({ length: width }, (_, at) => `${row}/${column + at}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

it('asks for the same refund under the same key, and for another one after money went back', () => {
  const visit = (back: string, count = back === '0.00' ? 0 : 1): VisitMoney => ({
    due: '45.00',
    payments: [
      {
        id: 'cpm_1',
        amount: '49.50',
        tip: '4.50',
        back: {
          amount: back,
          underWay: '0.00',
          refundable: money(4950 - minor(back)),
          refundableTip: '4.50',
          count,
        },
      },
    ],
  });
  expect(planOf(visit('0.00'), 'all', '')).toEqual([
    { paymentId: 'cpm_1', amount: '49.50', tip: '4.50', key: 'refund-cpm_1-0-0.00-49.50-4.50' },
  ]);
  expect(planOf(visit('0.00'), 'tip', '')).toMatchObject([{ amount: '4.50', tip: '4.50' }]);
  // The price goes back first.
  expect(planOf(visit('0.00'), 'all', '46')).toMatchObject([{ amount: '46.00', tip: '1.00' }]);
  expect(planOf(visit('0.00'), 'all', '20')?.[0]).not.toHaveProperty('tip');
  expect(planOf(visit('0.00'), 'all', '49.51')).toBeUndefined();
  expect(planOf(visit('10.00'), 'all', '20')?.[0]?.key).not.toBe(
    planOf(visit('0.00'), 'all', '20')?.[0]?.key,
  );
  // Nothing went back, because the refund failed: its key still holds the response that it went.
  expect(planOf(visit('0.00', 1), 'all', '')?.[0]?.key).not.toBe(
    planOf(visit('0.00'), 'all', '')?.[0]?.key,
  );
});

it('has a sentence for each reason of the register', () => {
  for (const [step, all] of Object.entries(reasons)) {
    for (const reason of all) {
      if (reason === 'aNewReason' || reason === 'ended' || step === 'idle') continue;
      // cast: names of the table above
      const taking = { ...base.taking, step: step as Step, reason: reason as Reason | undefined };
      const { state } = screenOf({ ...base, taking, books: { is: 'unread' } });
      const expected = reason ?? step;
      expect(state).toBe(expected === 'unreadable' ? 'noteUnreadable' : expected);
    }
  }
  expect(words('stuck')).not.toBe('');
});

it.each([
  ['conflict', {}, 'The shop is asked again in 4 s.'],
  ['unauthorized', { sessionAction: 'refresh' }, 'The shop is asked again in 4 s.'],
  ['unauthorized', { sessionAction: 'signIn' }, 'You are signed out. Sign in to go on.'],
] as const)('calls %s with %j no missing answer', (type, more, line) => {
  const recovery = { outcome: 'unknown', retry: 'retrySameRequest', ...more } as const;
  const problem = { type, id: 'prb_1', title: '', status: 409, occurredAt: '', recovery } as const;
  const taking = { ...base.taking, step: 'checking', nextAttemptAt: now + 4000, problem } as const;
  expect(screenOf({ ...base, taking }).lines).toEqual([line]);
});

it('offers to charge a card that was approved on a phone without a note', () => {
  const { lines, controls } = screenOf({
    ...base,
    books: { is: 'read', askedAt: now, value: { due: '45.00', payments: [], held: '45.00' } },
  });
  expect(lines).toEqual([
    'A card was approved for EUR 45.00, and not charged yet. Press Check again to charge it.',
  ]);
  expect(controls.map(({ act }) => act)).toEqual(['take', 'check', 'leave']);
});

it.each([
  ['idle', 'waiting', 'no'],
  ['declined', undefined, 'no'],
  ['stuck', 'otherPayment', 'unknown'],
] as const)(
  'offers no other card on a phone that asks about a payment of its own: %s, %s',
  (step, reason, charged) => {
    const taking = { ...base.taking, step, reason, charged };
    const value = { due: '45.00', payments: [], held: '45.00' };
    const { lines } = screenOf({ ...base, taking, books: { is: 'read', askedAt: now, value } });
    expect(lines).toEqual([]);
  },
);

it('has English for what a translation lacks', () => {
  const { ready: _, ...others } = english;
  // cast: an app without types may pass it
  const { said } = screenOf(base, others as typeof english);
  expect(said).toBe(screenOf(base).said);
});

it('marks unread and old books in a list', () => {
  expect(markOf({ ...base, books: { is: 'unread' } })).toBe('not read');
  expect(markOf(base)).toBe('45.00');
  expect(markOf({ ...base, now: now + 60_000 })).toMatch(/^45\.00 at \d\d:\d\d$/);
  expect(markOf({ ...base, books: { is: 'read', askedAt: now, value: { payments: [] } } })).toBe(
    'price not known',
  );
});

it('marks in a list no more than the phone knows while the books cannot be read', () => {
  const lost = { ...base, books: { is: 'failed', failedAt: now } } as const;
  const captured = { ...base.taking, step: 'captured', charged: 'yes', amount: '20.00' } as const;
  const paid = { ...lost, taking: captured };
  expect(markOf(paid)).toBe('20.00 paid');
  const done = { is: 'done', amount: '20.00', isUnderWay: false, endedAt: now } as const;
  expect(markOf({ ...paid, back: done })).toBe('20.00 refunded');
  const before = { id: 'cpm_1', amount: '20.00' };
  const earlier = { ...base.taking, charged: 'yes', paidBy: before } as const;
  expect(screenOf({ ...lost, taking: earlier })).toMatchObject({
    said: expect.stringMatching(/^Another payment of this visit was charged: EUR 20\.00/),
    todo: 'Look at what is left before you take a card.',
  });
});

it('takes a payment that was begun for a visit whose price it does not know', () => {
  const { taking } = { taking: { ...base.taking, reason: 'waiting', amount: '45.00' } } as const;
  const given: Facts = {
    ...base,
    taking,
    books: { is: 'read', askedAt: now, value: { payments: [] } },
  };
  const { state, controls } = screenOf(given);
  expect(state).toBe('waiting');
  expect(controls.map(({ act }) => act)).toEqual(['take', 'drop', 'leave']);
  expect(screenOf({ ...given, typed: 'x' }).fieldFault).toBe(
    'That is no amount. Type one such as 20.00.',
  );
});

const page = join(import.meta.dirname, '../../../docs/reference/screens.md');

it('is as in the page of all states', () => {
  const rows = examples.map(([state, given]) => {
    const screen = screenOf(given);
    expect(screen.state).toBe(state);
    const controls = screen.controls.map(({ label }) => `**${label}**`).join(' ');
    const line = screen.lines.length === 0 ? '' : ` \`${screen.lines.join(' ')}\``;
    return `| \`${state}\` | \`${screen.said}\`${line} | \`${screen.todo}\` | ${controls} |`;
  });
  const stale = screenOf({ ...base, now: now + 60_000 });
  const text = `# What a screen says

For whoever checks or translates what the till and the example app say: every state of a payment, with its words and its
controls. Both screens draw [\`@chairside/client/screen\`](../guide/app.md#the-screen). Each control has a place of its own,
where no other control ever is. Books that could not be read again have their time in words, as in "${stale.said}", and offer
only **${stale.controls.map(({ label }) => label).join('** and **')}**.

To write this page again after a change, run \`UPDATE_DOCS=1 npx --yes pnpm exec vitest run packages/client/test/screen.test.ts\`.

| State | What happened to the money | What to do now | Controls |
| ----- | -------------------------- | -------------- | -------- |
${rows.join('\n')}
`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, text);
  expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(text);
});
