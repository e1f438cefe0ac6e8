import { hourMs, secondMs } from '@chairside/core';
import type { Action, Does, Sender } from './action.ts';
import type { Random } from './random.ts';
import type { Draft } from './swarm.ts';

export type OfPayment = Does<'create' | 'capture'>;

export function isOfPayment(action: Action): action is OfPayment {
  return action.does === 'create' || action.does === 'capture';
}

export type Later = () => number;

/** The amount due falls or rises: a part was paid in cash, or a tip was added. */
export function duesOf(random: Random, appointment: number, at: number, later: Later): Draft[] {
  const due = random.pick(['0.00', '5.00', '20.00', '45.00', '60.00']);
  const drafts: Draft[] = [{ does: 'setDue', at, appointment, due }];
  if (random.chance(0.5)) {
    drafts.push({ does: 'setDue', at: later(), appointment, due: random.pick(['45.00', '90.00']) });
  }
  return drafts;
}

/** The host removes the appointment, perhaps by mistake. */
export function removalOf(random: Random, appointment: number, at: number, later: Later): Draft[] {
  const drafts: Draft[] = [{ does: 'remove', at, appointment }];
  if (random.chance(0.5)) {
    drafts.push({ does: 'setDue', at: later(), appointment, due: random.pick(['45.00', '90.00']) });
  }
  return drafts;
}

/** Another barber, perhaps of another business, takes the appointment over. */
export function movesOf(
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

export function rolesOf(random: Random, near: OfPayment, at: number, later: Later): Draft[] {
  const barber = near.appointment % 2;
  const drafts: Draft[] = [
    { does: 'setRole', at, barber, has: false },
    again(near, later()),
    { does: 'setRole', at: later(), barber, has: true },
  ];
  return random.chance(0.5) ? drafts : drafts.slice(0, 2);
}

export function accountsOf(random: Random, at: number, later: Later): Draft[] {
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
export function sentAgain(random: Random, near: OfPayment, at: number): Draft {
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

export function readAs(random: Random, appointment: number, payment: string, at: number): Draft {
  const as = random.pick(['self', 'current', 'other', 'roleless'] as const);
  const draft = { does: 'read', at, appointment, payment, as } as const;
  return random.chance(0.3) ? { ...draft, via: 'http' } : draft;
}

/** A person changes or captures the payment at the processor before it is captured here. */
export function altered(random: Random, near: OfPayment, payment: string): Draft[] {
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
export function lateVisit(random: Random, appointment: number, begun: number): Draft[] {
  const key = `late-${begun}-${random.below(1000)}`;
  const visit = { appointment, payment: key };
  return [
    { does: 'create', at: begun, appointment, key, amount: '5.00' },
    { does: 'present', at: begun + 20 * secondMs, ...visit, card: 'visa_credit' },
    { does: 'capture', at: begun + 40 * hourMs, ...visit, key: `${key}-capture` },
  ];
}
