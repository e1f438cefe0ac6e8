import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { Action, Does, Sender } from './action.ts';
import type { PlannedFault } from './plan.ts';
import { createRandom, hash, type Random } from './random.ts';
import type { Draft, Swarm } from './swarm.ts';

/** The extra operations in percent, different for each seed. */
const shares = [10, 20, 40] as const;

export interface Changes {
  readonly random: Random;
  readonly drafts: readonly Draft[];
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
  const world: Changing = { random, swarm, visits: actions.filter(isOfPayment) };
  const drafts: Draft[] = [];
  while (drafts.length < count) drafts.push(...changeOf(world, actions));
  return {
    random,
    drafts: drafts.slice(0, count).sort((a, b) => a.at - b.at),
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

interface Changing {
  readonly random: Random;
  readonly swarm: Swarm;
  readonly visits: readonly OfPayment[];
}

function isSendable(action: Action): action is Does<'create' | 'capture' | 'read'> {
  return isOfPayment(action) || action.does === 'read';
}

/** One change, close to a request that it may affect. */
function changeOf({ random, swarm, visits }: Changing, actions: readonly Action[]): Draft[] {
  const [first] = actions;
  const near = visits[random.below(Math.max(1, visits.length))];
  if (first === undefined || near === undefined) return [{ does: 'reconcile', at: 0 }];
  const { appointment } = near;
  const payment = near.does === 'create' ? near.key : near.payment;
  const at = Math.max(0, near.at - secondMs + random.below(3 * secondMs));
  const later = () => at + random.below(random.pick([2 * secondMs, 20 * secondMs, 5 * minuteMs]));

  return random.pick([
    () => duesOf(random, appointment, at, later),
    () => duesOf(random, appointment, at, later),
    () => duesOf(random, appointment, at, later),
    () => removalOf(random, appointment, at, later),
    () => movesOf(random, appointment, near, at, later),
    () => movesOf(random, appointment, near, at, later),
    () => rolesOf(random, near, at, later),
    () => accountsOf(random, at, later),
    () => [sentAgain(random, near, later())],
    () => [sentAgain(random, near, later())],
    () => [sentAgain(random, near, later())],
    () => [readAs(random, appointment, payment, later())],
    () => altered(random, near, payment),
    () => (random.chance(0.5) ? lateVisit(random, appointment, at) : []),
    () => beside(random, swarm, { appointment, payment, at, later }),
  ])();
}

/** Actions beside payments. */
function beside(
  random: Random,
  { mischief }: Swarm,
  near: {
    readonly appointment: number;
    readonly payment: string;
    readonly at: number;
    readonly later: Later;
  },
): Draft[] {
  const { appointment, payment, at, later } = near;
  const as = random.chance(mischief) ? { as: random.pick(['other', 'roleless'] as const) } : {};
  return random.pick([
    (): Draft[] => [{ does: 'receipt', at: later(), appointment, payment, ...as }],
    (): Draft[] => [{ does: 'forgetCustomer', at, customer: random.below(4) }],
    (): Draft[] => [{ does: 'forgetCustomer', at, customer: random.below(4) }],
    (): Draft[] => [{ does: 'erase', at: later(), customer: random.below(4) }],
  ])();
}

/** The expected number of calls in a capture. */
const likelyCalls = 16;

function missingOf(random: Random, actions: readonly Action[]): PlannedFault[] {
  return actions.flatMap(({ id, does }) => {
    const looks = does === 'capture' || does === 'reconcile' || does === 'cancel';
    return looks && random.chance(0.02)
      ? [{ action: id, call: random.below(likelyCalls), kind: 'missing' as const }]
      : [];
  });
}

type OfPayment = Does<'create' | 'capture'>;

function isOfPayment(action: Action): action is OfPayment {
  return action.does === 'create' || action.does === 'capture';
}

type Later = () => number;

/** The amount due falls or rises: a part was paid in cash, or a tip was added. */
function duesOf(random: Random, appointment: number, at: number, later: Later): Draft[] {
  const due = random.pick(['0.00', '5.00', '20.00', '45.00', '60.00']);
  const drafts: Draft[] = [{ does: 'setDue', at, appointment, due }];
  if (random.chance(0.5)) {
    drafts.push({ does: 'setDue', at: later(), appointment, due: random.pick(['45.00', '90.00']) });
  }
  return drafts;
}

/** The host removes the appointment, perhaps by mistake. */
function removalOf(random: Random, appointment: number, at: number, later: Later): Draft[] {
  const drafts: Draft[] = [{ does: 'remove', at, appointment }];
  if (random.chance(0.5)) {
    drafts.push({ does: 'setDue', at: later(), appointment, due: random.pick(['45.00', '90.00']) });
  }
  return drafts;
}

/** Another barber, perhaps of another business, takes the appointment over. */
function movesOf(
  random: Random,
  appointment: number,
  near: OfPayment,
  at: number,
  later: Later,
): Draft[] {
  const barber = random.below(3);
  const business = random.chance(0.9) === (barber === 2) ? 'annex' : 'shop';
  const drafts: Draft[] = [{ does: 'move', at, appointment, barber, business }];
  if (random.chance(0.7)) drafts.push({ ...again(near, later()), as: 'current' });
  if (random.chance(0.5)) drafts.push(readAs(random, appointment, 'none', later()));
  if (random.chance(0.4)) {
    const back = appointment % 2;
    drafts.push({ does: 'move', at: later(), appointment, barber: back, business: 'shop' });
  }
  return drafts;
}

function rolesOf(random: Random, near: OfPayment, at: number, later: Later): Draft[] {
  const barber = near.appointment % 2;
  const drafts: Draft[] = [
    { does: 'setRole', at, barber, has: false },
    again(near, later()),
    { does: 'setRole', at: later(), barber, has: true },
  ];
  return random.chance(0.5) ? drafts : drafts.slice(0, 2);
}

function accountsOf(random: Random, at: number, later: Later): Draft[] {
  const business = random.chance(0.8) ? 'shop' : 'annex';
  const [account, currency] = random.pick([
    ['acct_annex', 'usd'],
    ['acct_new', 'eur'],
    ['acct_shop', 'usd'],
  ] as const);
  const drafts: Draft[] = [{ does: 'setAccount', at, business, account, currency }];
  if (random.chance(0.5)) {
    const back = { account: 'acct_shop', currency: 'eur' };
    drafts.push({ does: 'setAccount', at: later(), business, ...back });
  }
  return drafts;
}

/** The same request again, from a client whose token, role or body has become invalid. */
function sentAgain(random: Random, near: OfPayment, at: number): Draft {
  const draft = again(near, at);
  if (random.chance(0.3)) {
    return { ...draft, via: 'http', broken: random.pick(['json', 'type', 'length'] as const) };
  }
  const senders: readonly [Sender, ...Sender[]] = ['expired', 'anonymous', 'unsure'];
  if (random.chance(0.5)) return { ...draft, via: 'http', as: random.pick(senders) };
  const as = random.pick(['roleless', 'other', 'current'] as const);
  return random.chance(0.5) ? { ...draft, as, via: 'http' } : { ...draft, as };
}

function again(near: OfPayment, at: number): Draft & { readonly does: 'create' | 'capture' } {
  const { id: _id, taps: _taps, ...request } = near;
  return { ...request, at };
}

function readAs(random: Random, appointment: number, payment: string, at: number): Draft {
  const as = random.pick(['self', 'current', 'other', 'roleless'] as const);
  const draft = { does: 'read', at, appointment, payment, as } as const;
  return random.chance(0.3) ? { ...draft, via: 'http' } : draft;
}

/** A person changes or captures the payment at the processor before it is captured here. */
function altered(random: Random, near: OfPayment, payment: string): Draft[] {
  const how = random.pick([
    'captureHalf',
    'alterAmount',
    'alterCurrency',
    'alterAccount',
    'alterDeadline',
  ] as const);
  const at = near.does === 'capture' ? Math.max(0, near.at - 1) : near.at + random.below(secondMs);
  return [{ does: 'changeAtProcessor', at, appointment: near.appointment, payment, how }];
}

/** A card is presented, and captured almost two days later. Its keys count from then on (D21). */
function lateVisit(random: Random, appointment: number, begun: number): Draft[] {
  const key = `late-${begun}-${random.below(1000)}`;
  const visit = { appointment, payment: key };
  return [
    { does: 'create', at: begun, appointment, key, amount: '5.00' },
    { does: 'present', at: begun + 20 * secondMs, ...visit, card: 'visa_credit' },
    { does: 'capture', at: begun + 40 * hourMs, ...visit, key: `${key}-capture` },
  ];
}
