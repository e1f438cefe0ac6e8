import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does, Draft, PlannedFault } from './plan.ts';
import { createRandom, hash, type Random } from './random.ts';
import { byTime, type Drawn, intruderOf, likelyCalls, type Swarm } from './swarm.ts';

/** The extra operations in percent, different for each seed. */
const shares = [10, 20, 40] as const;

interface Changes extends Drawn {
  /** The same actions, some of them over HTTP. */
  readonly sent: readonly Action[];
  /** Failed look-ups of existing payments. */
  readonly faults: readonly PlannedFault[];
  readonly skewMs: number;
}

/**
 * The host's changes during payments, with transport requests and wrong clocks. They are drawn
 * separately, so that the payments of a seed stay the same.
 */
export function changesOf(seed: number, swarm: Swarm, actions: readonly Action[]): Changes {
  const random = createRandom(hash(seed, changesMark));
  const count = Math.ceil((actions.length * random.pick(shares)) / 100);
  const httpShare = random.pick([0, 0.1, 0.3]);
  const visits = actions.filter(isOfPayment);
  const drafts: Draft[] = [];
  while (drafts.length < count) {
    const near = visits[random.below(Math.max(1, visits.length))];
    drafts.push(...(near === undefined ? [idle] : changeOf(random, swarm, near)));
  }
  return {
    random,
    drafts: drafts.slice(0, count).sort(byTime),
    sent: actions.map((action) =>
      isSendable(action) && random.chance(httpShare) ? { ...action, via: 'http' } : action,
    ),
    faults: swarm.faultRate === 0 ? [] : missingOf(random, actions),
    skewMs: random.pick([0, 0, 0, 0, 2 * hourMs, -2 * hourMs, daysOff(seed), -daysOff(seed)]),
  };
}

const changesMark = 0xc4a;

/** Longer than a card's authorization, than any key is kept, and than an undelivered event is kept. */
function daysOff(seed: number): number {
  return createRandom(hash(seed, clockMark)).pick([49 * hourMs, 80 * hourMs, 31 * 24 * hourMs]);
}

const clockMark = 0xc10c;

const idle: Draft = { does: 'reconcile', at: 0 };

type OfPayment = Does<'create' | 'capture'>;

function isOfPayment(action: Action): action is OfPayment {
  return action.does === 'create' || action.does === 'capture';
}

function isSendable(action: Action): action is OfPayment | Does<'read'> {
  return isOfPayment(action) || action.does === 'read';
}

function missingOf(random: Random, actions: readonly Action[]): PlannedFault[] {
  return actions.flatMap(({ id, does }): PlannedFault[] => {
    const looks = does === 'capture' || does === 'reconcile' || does === 'cancel';
    return looks && random.chance(0.02)
      ? [{ action: id, call: random.below(likelyCalls), kind: 'missing' }]
      : [];
  });
}

/** One change, close to a request that it may affect. */
function changeOf(random: Random, { mischief }: Swarm, near: OfPayment): Draft[] {
  const { appointment } = near;
  const payment = near.does === 'create' ? near.key : near.payment;
  const at = Math.max(0, near.at - secondMs + random.below(3 * secondMs));
  const later = () => at + random.below(random.pick([2 * secondMs, 20 * secondMs, 5 * minuteMs]));
  /** The same request again, as somebody else or in another way. */
  const again = (): Draft<'create' | 'capture'> => {
    const { id: _id, taps: _taps, ...request } = near;
    return { ...request, at: later() };
  };
  const maybe = (chance: number, draft: () => Draft) => (random.chance(chance) ? [draft()] : []);
  const raised = (): Draft => {
    return { does: 'setDue', at: later(), appointment, due: random.pick(['45.00', '90.00']) };
  };

  /** The amount due falls or rises: a part was paid in cash, or a tip was added. */
  function dues(): Draft[] {
    const due = random.pick(['0.00', '5.00', '20.00', '45.00', '60.00']);
    return [{ does: 'setDue', at, appointment, due }, ...maybe(0.5, raised)];
  }

  /** Another barber, perhaps of another business, takes the appointment over. */
  function moves(): Draft[] {
    const barber = random.below(3);
    const business = random.chance(0.9) === (barber === 2) ? 'annex' : 'shop';
    const back = { barber: appointment % 2, business: 'shop' } as const;
    return [
      { does: 'move', at, appointment, barber, business },
      ...maybe(0.7, () => ({ ...again(), as: 'current' })),
      ...maybe(0.5, () => readAs('none', later())),
      ...maybe(0.4, () => ({ does: 'move', at: later(), appointment, ...back })),
    ];
  }

  function roles(): Draft[] {
    const barber = appointment % 2;
    const drafts: Draft[] = [
      { does: 'setRole', at, barber, has: false },
      again(),
      { does: 'setRole', at: later(), barber, has: true },
    ];
    return random.chance(0.5) ? drafts : drafts.slice(0, 2);
  }

  function accounts(): Draft[] {
    const business = random.chance(0.8) ? 'shop' : 'annex';
    const [account, currency] = random.pick([
      ['acct_annex', 'usd'],
      ['acct_new', 'eur'],
      ['acct_shop', 'usd'],
    ]);
    const back = { account: 'acct_shop', currency: 'eur' };
    return [
      { does: 'setAccount', at, business, account, currency },
      ...maybe(0.5, () => ({ does: 'setAccount', at: later(), business, ...back })),
    ];
  }

  /** From a client whose token, role or body has become invalid. */
  function sentAgain(): Draft[] {
    const draft = again();
    if (random.chance(0.3)) {
      return [{ ...draft, via: 'http', broken: random.pick(['json', 'type', 'length']) }];
    }
    if (random.chance(0.5)) {
      return [{ ...draft, via: 'http', as: random.pick(['expired', 'anonymous', 'unsure']) }];
    }
    const as = random.pick(['roleless', 'other', 'current']);
    return [random.chance(0.5) ? { ...draft, as, via: 'http' } : { ...draft, as }];
  }

  function readAs(payment: string, at: number): Draft {
    const as = random.pick(['self', 'current', 'other', 'roleless']);
    const draft = { does: 'read', at, appointment, payment, as } as const;
    return random.chance(0.3) ? { ...draft, via: 'http' } : draft;
  }

  /** A person changes or captures the payment at the processor before it is captured here. */
  function altered(): Draft[] {
    const how = random.pick([
      'captureHalf',
      'alterAmount',
      'alterCurrency',
      'alterAccount',
      'alterDeadline',
    ]);
    const isCapture = near.does === 'capture';
    const at = isCapture ? Math.max(0, near.at - 1) : near.at + random.below(secondMs);
    return [{ does: 'changeAtProcessor', at, appointment, payment, how }];
  }

  /** A card is presented, and captured almost two days later. Its keys count from then on (D21). */
  function lateVisit(): Draft[] {
    const key = `late-${at}-${random.below(1000)}`;
    const visit = { appointment, payment: key };
    return [
      { does: 'create', at, appointment, key, amount: '5.00' },
      { does: 'present', at: at + 20 * secondMs, ...visit, card: 'visa_credit' },
      { does: 'capture', at: at + 40 * hourMs, ...visit, key: `${key}-capture` },
    ];
  }

  /** Actions beside payments. */
  function beside(): Draft[] {
    const as = intruderOf(random, mischief);
    const forget = (): Draft => ({ does: 'forgetCustomer', at, customer: random.below(4) });
    return [
      random.pick([
        (): Draft => ({ does: 'receipt', at: later(), appointment, payment, ...as }),
        forget,
        forget,
        (): Draft => ({ does: 'erase', at: later(), customer: random.below(4) }),
      ])(),
    ];
  }

  /** The host removes the appointment, perhaps by mistake. */
  const removal = (): Draft[] => [{ does: 'remove', at, appointment }, ...maybe(0.5, raised)];
  const late = () => (random.chance(0.5) ? lateVisit() : []);
  const reading = () => [readAs(payment, later())];

  return random.pick([
    dues,
    dues,
    dues,
    removal,
    moves,
    moves,
    roles,
    accounts,
    sentAgain,
    sentAgain,
    sentAgain,
    reading,
    altered,
    late,
    beside,
  ])();
}
