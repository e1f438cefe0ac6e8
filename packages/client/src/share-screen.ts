import { amountOf, minor, typedMinor } from './amounts.ts';
import type { InputOf } from './answers.ts';
import type { Calls, Client } from './client.ts';
import { type AnyProblem, reasonOf } from './problem.ts';
import type { CallOptions } from './send.ts';
import type { shareOperations } from './shares.ts';

// The question whose a captured payment is: its screen is one pure function of what is known (D208).

/** A part to send to `sharePayment`. */
export type AskedShare = InputOf<'sharePayment'>['body']['shares'][number];

/** What is left of a payment to one visit and barber. */
export interface PaymentPart {
  readonly appointmentId: string;
  readonly barberId: string;
  /** The tip included. */
  readonly amount: string;
  readonly tip: string;
}

interface Shared {
  readonly id: string;
  readonly appointment: { readonly id: string };
  /** Absent while all of it belongs to its own visit. */
  readonly shares?: readonly { readonly appointmentId: string }[];
}

/** Reads what is left of a payment to each visit and barber; `undefined` if it could not be read. */
export async function readParts(
  client: Pick<Calls<typeof shareOperations>, 'listShares'>,
  { id, appointment, shares }: Shared,
  options?: CallOptions,
): Promise<readonly PaymentPart[] | undefined> {
  const visits = new Set(shares?.map(({ appointmentId }) => appointmentId) ?? [appointment.id]);
  const parts: PaymentPart[] = [];
  for (const appointmentId of visits) {
    const listed = await client.listShares({ appointmentId }, options);
    if (listed.isErr()) return undefined;
    for (const { contactlessPaymentId, barberId, left, leftTip = '0.00' } of listed.value.items) {
      if (contactlessPaymentId !== id || minor(left) === 0) continue;
      parts.push({ appointmentId, barberId, amount: left, tip: leftTip });
    }
  }
  return parts;
}

/** A question about one payment of a visit. */
export interface ShareQuestion {
  /** `move`: all that the visit has of it goes to another visit. `share`: another barber gets a part of that. */
  readonly what: 'move' | 'share';
  readonly paymentId: string;
  /** The same for each try, so that it is done once. */
  readonly key: string;
  /** `undefined` until they were read. */
  readonly parts?: readonly PaymentPart[] | undefined;
  /** The chosen visit, or barber. */
  readonly to?: string | undefined;
  /** What the other barber gets of the price and of the tip, as typed. `undefined`: as proposed. */
  readonly price?: string | undefined;
  readonly tip?: string | undefined;
}

/** The answer to send, and what was done once the service has it. */
export interface ShareAnswer {
  readonly label: string;
  readonly shares: readonly AskedShare[];
  readonly done: string;
}

export type AskedSharing =
  | { readonly is: 'none' }
  /** `problem`: why the service refused the last answer to the question. */
  | {
      readonly is: 'asking';
      readonly question: ShareQuestion;
      readonly problem?: AnyProblem | undefined;
    }
  | { readonly is: 'unreadable'; readonly question: ShareQuestion }
  | {
      readonly is: 'running' | 'unknown';
      readonly question: ShareQuestion;
      readonly answer: ShareAnswer;
    }
  /** `said` tells what was done. */
  | { readonly is: 'done'; readonly what: ShareQuestion['what']; readonly said: string };

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ShareFacts {
  readonly currency?: string | undefined;
  readonly appointmentId: string;
  /** The other visits of the day, with what each still owes. */
  readonly visits: readonly (Named & { readonly left: string })[];
  readonly barbers: readonly Named[];
  readonly sharing: AskedSharing;
}

/** A visit or a barber to choose. */
export interface ShareChoice {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly isChosen: boolean;
  /** Whether it cannot be chosen; the note says why. */
  readonly isOff: boolean;
}

export interface ShareField {
  readonly name: 'price' | 'tip';
  readonly label: string;
  readonly value: string;
  readonly isWrong: boolean;
}

export interface ShareScreen {
  readonly tone: 'plain' | 'wait' | 'bad' | 'unknown';
  readonly said: string;
  readonly todo: string;
  readonly choices: readonly ShareChoice[];
  readonly fields: readonly ShareField[];
  /** Absent until the answer is complete. */
  readonly confirm?: ShareAnswer;
}

interface Sum {
  readonly price: number;
  readonly tip: number;
}

const sumOf = (parts: readonly PaymentPart[]): Sum =>
  parts.reduce(
    (sum, { amount, tip }) => ({
      price: sum.price + minor(amount) - minor(tip),
      tip: sum.tip + minor(tip),
    }),
    { price: 0, tip: 0 },
  );

function toShare({ price, tip }: Sum, appointmentId: string, barberId?: string): AskedShare[] {
  if (price + tip === 0) return [];
  return [
    {
      appointmentId,
      ...(barberId !== undefined && { barberId }),
      amount: amountOf(price + tip),
      ...(tip > 0 && { tip: amountOf(tip) }),
    },
  ];
}

const asIs = (part: PaymentPart) => toShare(sumOf([part]), part.appointmentId, part.barberId);

/** The parts after all that a visit has went to another visit: to its barber, or to who has a part of it already. */
export function moveParts(
  parts: readonly PaymentPart[],
  from: string,
  to: string,
): readonly AskedShare[] {
  const there = parts.find(({ appointmentId }) => appointmentId === to);
  const moved = parts.filter((part) => part.appointmentId === from || part === there);
  return [
    ...toShare(sumOf(moved), to, there?.barberId),
    ...parts.filter((part) => !moved.includes(part)).flatMap(asIs),
  ];
}

/** Who has the most of a visit, beside this barber. */
function holderOf(parts: readonly PaymentPart[], appointmentId: string, barberId?: string) {
  return parts
    .filter((part) => part.appointmentId === appointmentId && part.barberId !== barberId)
    .sort((a, b) => minor(b.amount) - minor(a.amount))[0];
}

const bothOf = (parts: readonly PaymentPart[], appointmentId: string, barberId: string) => {
  const holder = holderOf(parts, appointmentId, barberId);
  return parts.filter(
    (part) =>
      part === holder || (part.appointmentId === appointmentId && part.barberId === barberId),
  );
};

/** The parts after another barber of the visit got this of its price and tip. Who has the most of it keeps the rest. */
export function shareParts(
  parts: readonly PaymentPart[],
  appointmentId: string,
  barberId: string,
  { price, tip }: Sum,
): readonly AskedShare[] {
  const both = bothOf(parts, appointmentId, barberId);
  const all = sumOf(both);
  const rest = { price: all.price - price, tip: all.tip - tip };
  return [
    ...toShare(rest, appointmentId, holderOf(parts, appointmentId, barberId)?.barberId),
    ...toShare({ price, tip }, appointmentId, barberId),
    ...parts.filter((part) => !both.includes(part)).flatMap(asIs),
  ];
}

const again = 'Choose again, or leave it as it is.';
const notCharged = 'The card is not charged again.';

function refusalOf(facts: ShareFacts, problem: AnyProblem): readonly [string, string] {
  const attributes: Readonly<Record<string, unknown>> =
    ('attributes' in problem && problem.attributes) || {};
  const visit = facts.visits.find(({ id }) => id === attributes['appointmentId']);
  const name = visit?.name ?? 'That visit';
  switch (reasonOf(problem) ?? problem.type) {
    case 'exceedsRemaining':
      return [`${name} owes only ${String(attributes['remaining'] ?? 'less')} more.`, again];
    case 'reservedElsewhere':
      return [`A card is being charged for ${name}.`, 'Wait a moment, then try again.'];
    case 'sharesDiffer':
      return ['Some of it went back, or was moved, meanwhile.', again];
    case 'tooManySharings':
      return ['It was shared or moved 20 times already.', 'It stays as it is.'];
    case 'forbidden':
    case 'notFound':
      return ['You may not change whose it is.', 'Ask the owner of the shop.'];
    default:
      return ['The shop refused it.', again];
  }
}

/** The question as a screen. Nothing is done before `confirm` is pressed. */
export function shareScreenOf(facts: ShareFacts): ShareScreen {
  const { sharing, appointmentId } = facts;
  const nothing = { tone: 'plain', said: '', todo: '', choices: [], fields: [] } as const;
  if (sharing.is === 'none') return nothing;
  if (sharing.is === 'done') return { ...nothing, said: sharing.said };
  const { question } = sharing;
  const { what, parts } = question;
  const does = what === 'move' ? 'moved' : 'shared';
  if (sharing.is === 'running') {
    return { ...nothing, tone: 'wait', said: `It is being ${does}.`, todo: 'Wait.' };
  }
  if (sharing.is === 'unknown') {
    const said = `It is not known whether it was ${does}.`;
    const todo = `Press ${sharing.answer.label} again: it is done only once.`;
    return { ...nothing, tone: 'unknown', said, todo, confirm: sharing.answer };
  }
  if (sharing.is === 'unreadable') {
    const said = 'The shop does not answer, so it is not known whose this payment is.';
    return { ...nothing, tone: 'unknown', said, todo: 'Nothing was changed. Try again later.' };
  }
  if (parts === undefined) {
    return { ...nothing, tone: 'wait', said: 'Reading whose it is.', todo: 'Wait a moment.' };
  }
  const own = parts.filter((part) => part.appointmentId === appointmentId);
  const asked = what === 'move' ? moveScreen(facts, question, own) : sharedScreen(facts, question);
  const problem = sharing.is === 'asking' ? sharing.problem : undefined;
  if (problem === undefined) return asked;
  const [why, todo] = refusalOf(facts, problem);
  return { ...asked, tone: 'bad', said: `It was not ${does}. ${why}`, todo };
}

function moveScreen(
  { currency = '', appointmentId, visits }: ShareFacts,
  { parts = [], to }: ShareQuestion,
  own: readonly PaymentPart[],
): ShareScreen {
  const { price, tip } = sumOf(own);
  const amount = `${currency} ${amountOf(price + tip)}`.trim();
  const choices = visits.map(({ id, name, left }) => ({
    id,
    label: name,
    note: minor(left) < price ? `owes only ${left}` : `owes ${left}`,
    isChosen: id === to,
    isOff: minor(left) < price,
  }));
  const chosen = choices.find(({ isChosen, isOff }) => isChosen && !isOff);
  const screen = { tone: 'plain', choices, fields: [] } as const;
  if (choices.every(({ isOff }) => isOff)) {
    const said = `No other visit of today owes ${amount}.`;
    return { ...screen, said, todo: 'Refund it instead, or put the right visit in the calendar.' };
  }
  if (chosen === undefined) {
    return { ...screen, said: `Which visit was ${amount} for?`, todo: notCharged };
  }
  return {
    ...screen,
    said: `Move ${amount} to ${chosen.label}?`,
    todo: 'This visit owes it again.',
    confirm: {
      label: `Move ${amountOf(price + tip)}`,
      shares: moveParts(parts, appointmentId, chosen.id),
      done: `${amount} was moved to ${chosen.label}.`,
    },
  };
}

function sharedScreen(
  { currency = '', appointmentId, barbers }: ShareFacts,
  { parts = [], to, price: typedPrice, tip: typedTip }: ShareQuestion,
): ShareScreen {
  const money = (minorUnits: number) => `${currency} ${amountOf(minorUnits)}`.trim();
  const nameOf = (id: string) => barbers.find((one) => one.id === id)?.name ?? id;
  const of = (barberId: string) =>
    sumOf(
      parts.filter((part) => part.appointmentId === appointmentId && part.barberId === barberId),
    );
  const first = holderOf(parts, appointmentId);
  const choices = barbers
    .filter(({ id }) => id !== first?.barberId)
    .map(({ id, name }) => {
      const { price, tip } = of(id);
      const note = price + tip === 0 ? '' : `has ${amountOf(price + tip)}`;
      return { id, label: name, note, isChosen: id === to, isOff: false };
    });
  const screen = { tone: 'plain', choices } as const;
  const whole = sumOf(parts.filter((part) => part.appointmentId === appointmentId));
  if (to === undefined || first === undefined) {
    const said =
      whole.tip > 0
        ? `Who shares the tip of ${money(whole.tip)}?`
        : `Who shares the ${money(whole.price)}?`;
    return { ...screen, said, todo: notCharged, fields: [] };
  }
  const all = sumOf(bothOf(parts, appointmentId, to));
  const has = of(to);
  const isNew = has.price + has.tip === 0;
  const half = (minorUnits: number) => Math.floor(minorUnits / 2);
  const proposed = isNew ? { price: all.tip > 0 ? 0 : half(all.price), tip: half(all.tip) } : has;
  const read = (typed: string | undefined, else_: number, most: number) => {
    const wished = typed === undefined ? else_ : typedMinor(typed);
    return wished === undefined || wished > most ? undefined : wished;
  };
  const price = read(typedPrice, proposed.price, all.price);
  const tip = read(typedTip, proposed.tip, all.tip);
  const field = (name: 'price' | 'tip', most: number): ShareField[] => {
    const typed = name === 'price' ? typedPrice : typedTip;
    const value = name === 'price' ? price : tip;
    return most === 0
      ? []
      : [
          {
            name,
            label: `Of the ${name}, ${amountOf(most)}`,
            value: typed ?? amountOf(proposed[name]),
            isWrong: value === undefined,
          },
        ];
  };
  const fields = [...field('tip', all.tip), ...field('price', all.price)];
  const name = nameOf(to);
  if (price === undefined || tip === undefined) {
    const said = `${name} can get at most what the visit has.`;
    return { ...screen, fields, said, todo: 'Type amounts such as 5.00.' };
  }
  const gets = price + tip;
  const rest = `${nameOf(first.barberId)} keeps ${money(all.price + all.tip - gets)}`;
  const said = `${name} gets ${money(gets)}, ${rest}.`;
  const isSame = price === has.price && tip === has.tip;
  return {
    ...screen,
    fields,
    said,
    todo: '',
    ...(!isSame && {
      confirm: {
        label: `Share ${amountOf(gets)}`,
        shares: shareParts(parts, appointmentId, to, { price, tip }),
        done: said,
      },
    }),
  };
}

/** A question about a payment, from its first press to its end. Its promises never reject. */
export interface SharingDesk {
  readonly getSnapshot: () => AskedSharing;
  /** Opens the question, and reads whose the payment is. */
  ask(what: ShareQuestion['what'], paymentId: string): Promise<void>;
  /** Chooses or types a part of the answer. */
  choose(part: Partial<Pick<ShareQuestion, 'to' | 'price' | 'tip'>>): void;
  /** Sends the answer. The same question is answered once, however often it is pressed. */
  answer(answer: ShareAnswer): Promise<void>;
  /** Leaves the question, or what was said at its end. */
  leave(): void;
}

interface DeskOptions {
  readonly client: Pick<Client, 'getContactlessPayment' | 'newKey'>;
  /** The calls of somebody who may say whose a payment is. */
  readonly shares: Pick<Calls<typeof shareOperations>, 'listShares' | 'sharePayment'>;
  readonly changed: () => void;
  /** Reads the books again, before the end is said. */
  readonly refresh: () => Promise<unknown>;
}

const limits = { maxAttempts: 3, timeLimitMs: 10_000 };

export function createSharing({ client, shares, changed, refresh }: DeskOptions): SharingDesk {
  let sharing: AskedSharing = { is: 'none' };
  const set = (next: AskedSharing) => {
    sharing = next;
    changed();
  };
  /** Whether this question is still open: it may have been left. */
  const isOpen = ({ key }: ShareQuestion) => 'question' in sharing && sharing.question.key === key;

  async function ask(what: ShareQuestion['what'], paymentId: string, problem?: AnyProblem) {
    const question: ShareQuestion = { what, paymentId, key: client.newKey() };
    set({ is: 'asking', question, problem });
    const read = await client.getContactlessPayment({ contactlessPaymentId: paymentId }, limits);
    const parts = read.isOk() ? await readParts(shares, read.value, limits) : undefined;
    if (!isOpen(question)) return;
    set(
      parts === undefined
        ? { is: 'unreadable', question }
        : { is: 'asking', question: { ...question, parts }, problem },
    );
  }

  return {
    getSnapshot: () => sharing,
    ask: (what, paymentId) => ask(what, paymentId),
    choose(part) {
      if (sharing.is === 'asking') {
        set({ is: 'asking', question: { ...sharing.question, ...part } });
      }
    },
    async answer(answer) {
      if (sharing.is !== 'asking' && sharing.is !== 'unknown') return;
      const { question } = sharing;
      set({ is: 'running', question, answer });
      const made = await shares.sharePayment(
        {
          contactlessPaymentId: question.paymentId,
          idempotencyKey: question.key,
          body: { shares: [...answer.shares] },
        },
        { timeLimitMs: 20_000 },
      );
      await refresh();
      if (!isOpen(question)) return;
      if (made.isOk()) set({ is: 'done', what: question.what, said: answer.done });
      else if (made.error.recovery.outcome === 'unknown') set({ is: 'unknown', question, answer });
      else await ask(question.what, question.paymentId, made.error);
    },
    leave: () => set({ is: 'none' }),
  };
}
