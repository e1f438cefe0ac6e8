import { amountOf, minor, typedMinor } from './amounts.ts';
import type { AlsoPays } from './answers.ts';
import { reasonOf } from './problem.ts';
import {
  changedAt,
  type Facts,
  type GivingBack,
  type Known,
  knownOf,
  planOf,
  type Refunding,
  totalOf,
} from './screen-facts.ts';
import {
  english,
  labels,
  refusals,
  type Said,
  type ScreenState,
  type Sentences,
} from './screen-words.ts';
import type { Step, Taking } from './taking.ts';

export {
  type Back,
  type Facts,
  type GivingBack,
  keyPartOf,
  type PaidPart,
  planOf,
  type Reading,
  type Refunding,
  readingAfter,
  totalOf,
  type VisitMoney,
} from './screen-facts.ts';
export { english, type Said, type ScreenState, type Sentences } from './screen-words.ts';

// Words and controls of a payment, as one pure function of what is known (D207). A screen only draws them.

/** The act of a control. Each has a place of its own, where no other control ever is. */
export type Act = keyof typeof places;

/** Rows and columns of the controls; a screen draws an empty box where a control is absent. */
export const places = {
  take: { row: 1, column: 1, width: 3 },
  stop: { row: 2, column: 1, width: 1 },
  check: { row: 2, column: 2, width: 1 },
  drop: { row: 2, column: 3, width: 1 },
  leave: { row: 3, column: 1, width: 1 },
  refundTip: { row: 3, column: 2, width: 1 },
  refund: { row: 3, column: 3, width: 1 },
  keep: { row: 4, column: 1, width: 1 },
  giveBack: { row: 4, column: 2, width: 2 },
  signIn: { row: 5, column: 1, width: 3 },
} as const;

export interface Control {
  readonly act: Act;
  readonly label: string;
  /** The amount to pass to `take`. Absent if the journal's note of the payment has it. */
  readonly amount?: string | undefined;
  /** The other visits to pass to `take`. */
  readonly alsoPays?: AlsoPays | undefined;
  /** Whether `take` asks the customer for a tip first. */
  readonly asksTip?: boolean;
  /** The refunds of `giveBack`. */
  readonly plan?: readonly Refunding[];
}

export interface Screen {
  readonly state: ScreenState;
  /** `unknown` is neither good nor bad. For colours, sounds and vibration. */
  readonly tone: 'plain' | 'wait' | 'good' | 'bad' | 'unknown';
  /** The amount in large figures; absent where none is known. */
  readonly sum?: { readonly label: string; readonly amount: string } | undefined;
  /** The first sentence: it tells what happened to the money. */
  readonly said: string;
  /** The second sentence: it tells what to do now. */
  readonly todo: string;
  /** Further facts: the tip, the card, a countdown. */
  readonly lines: readonly string[];
  readonly controls: readonly Control[];
  /** The amount to type: of the payment, or of the part to give back. */
  readonly field?: 'amount' | 'part' | undefined;
  /** Why `take` is missing although something is owed. */
  readonly fieldFault?: string | undefined;
  /** The price for which the customer chooses a tip; then draw only the choice. */
  readonly tipFor?: string | undefined;
}

const busy: readonly Step[] = ['opening', 'presenting', 'stopping', 'capturing', 'checking'];

/** Whether the register works on a payment. */
export const isBusy = ({ step }: Pick<Taking, 'step'>) => busy.includes(step);

/** The states of a payment that ended, by its reason, else by its step. */
const byReason: Readonly<Record<string, ScreenState>> = { unreadable: 'noteUnreadable' };

function endState(taking: Taking): ScreenState {
  const { step, reason } = taking;
  if (step === 'canceled' && isOfOther(taking)) return 'otherVisit';
  const name = reason ?? (step === 'stuck' ? 'noAnswer' : step);
  const state = byReason[name] ?? name;
  // A reason of a later version counts as what it is: not known.
  return isState(state) ? state : step === 'stuck' ? 'noAnswer' : 'canceled';
}

/** Whether another visit of the payment was the reason of its end. */
function isOfOther({ problem, appointmentId, alsoPays = [] }: Taking): boolean {
  const attributes = (problem && 'attributes' in problem && problem.attributes) || {};
  const { appointmentId: id = appointmentId, pointer } = attributes;
  return alsoPays.length > 0 && (id !== appointmentId || `${pointer}`.startsWith('/alsoPays'));
}

const isState = (name: string): name is ScreenState => Object.hasOwn(english, name);

const tones: Partial<Readonly<Record<ScreenState, Screen['tone']>>> = {
  paid: 'good',
  captured: 'good',
  looking: 'wait',
  opening: 'wait',
  presenting: 'plain',
  stopping: 'wait',
  capturing: 'wait',
  checking: 'wait',
  givingBack: 'wait',
  declined: 'bad',
  partlyApproved: 'bad',
  backRefused: 'bad',
  askingBackWrong: 'bad',
  refused: 'bad',
  unreadable: 'unknown',
  signedOut: 'unknown',
  backUnknown: 'unknown',
};

/** Ends of a payment after which the money may have moved. */
const isOpen = ({ step, charged, reason }: Taking) =>
  step === 'stuck' && charged !== 'no' && reason !== 'notStarted' && reason !== 'inUse';

/** Whether this phone still has the note of a payment that charged nothing. */
const keepsNote = ({ step, reason, charged }: Taking) =>
  reason === 'waiting' ||
  (step === 'declined' && reason !== 'partlyApproved') ||
  reason === 'notStarted' ||
  (reason === 'reader' && charged === 'no');

/** A note that only the shop can end. */
const isForShop = ({ reason }: Taking) => reason === 'askShop' || reason === 'unreadable';

/** The ends after which this phone cannot take a card for the visit. */
const endsTaking = (taking: Taking) =>
  taking.reason === 'noAccess' ||
  taking.reason === 'notSetUp' ||
  (taking.step === 'stuck' && !keepsNote(taking));

/** The state, with its reasons in the order in which they matter. */
function stateOf(facts: Facts, known: Known): ScreenState {
  const { taking, back, notes } = facts;
  if (isBusy(taking)) return isState(taking.step) ? taking.step : 'checking';
  if (back.is === 'running') return 'givingBack';
  // A card that may be charged comes first, unless the visit is paid and cannot be charged again.
  if (isOpen(taking)) return isPaidUp(known) ? booksState(known) : endState(taking);
  const { is } = known;
  const books = booksState(known);
  const isFresh = is === 'fresh';
  if (back.is === 'asking' && mayAsk(facts, known)) {
    return questionOf(back, known) === undefined ? 'askingBackWrong' : 'askingBack';
  }
  // Another person may have given it back meanwhile, as the books show.
  const isAllBack = isFresh && known.sums.refunded > 0 && known.sums.refundable === 0;
  if (back.is === 'refused' && back.endedAt >= changedAt(facts) && !isAllBack) return 'backRefused';
  if (back.is === 'unknown' && !(isFresh && isGivenBack(back, known))) return 'backUnknown';
  if (back.is === 'done' && back.endedAt >= changedAt(facts) && !('sums' in known)) {
    return back.isUnderWay ? 'onItsWay' : 'wentBack';
  }
  if (taking.step === 'captured') {
    const isListed = 'sums' in known && known.sums.charged > 0;
    const isMoved = 'visit' in known && known.visit.moved?.includes(taking.paymentId ?? '');
    return isListed || isMoved ? books : 'captured';
  }
  if (isFresh && isOver(known)) return books;
  if (taking.step !== 'idle' || taking.reason === 'waiting') return endState(taking);
  if (notes === 'unreadable') return 'storageClosed';
  if (notes === 'unread') return 'looking';
  // It may have paid a part only.
  if (taking.charged === 'yes' && !('sums' in known)) return 'paidElsewhere';
  return books;
}

const isPaidUp = (known: Known) => known.is === 'fresh' && isOver(known) && known.sums.charged > 0;

/** Whether there is money to ask about. */
const mayAsk = ({ mayRefund, back }: Facts, known: Known) =>
  mayRefund &&
  known.is === 'fresh' &&
  (known.sums.refundable > 0 || ('plan' in back && back.plan !== undefined));

/** Whether the visit owes no more. */
const isOver = (known: Known) => 'sums' in known && known.sums.left === 0;

/**
 * The amount of a card that was approved and not charged, of a visit that owes it still. A phone that has a note of its
 * own asks about its own payment alone.
 */
const heldOf = ({ taking, back }: Facts, known: Known) =>
  'visit' in known &&
  !isOver(known) &&
  !isBusy(taking) &&
  !keepsNote(taking) &&
  !endsTaking(taking) &&
  back.is === 'none'
    ? known.visit.held
    : undefined;

const isGivenBack = (back: Extract<GivingBack, { is: 'unknown' }>, known: Known) =>
  'sums' in known && known.sums.refunded >= minor(back.before) + minor(back.amount);

const unknownBooks = { unread: 'looking', failed: 'unreadable', signedOut: 'signedOut' } as const;

function booksState(known: Known): ScreenState {
  if (!('sums' in known)) return unknownBooks[known.is];
  const { charged, left, refunded, underWay } = known.sums;
  if (left === Infinity) return 'priceUnknown';
  if (left > 0) return charged > 0 ? 'partlyPaid' : 'ready';
  if (charged === 0) return 'nothingDue';
  if (refunded === 0) return 'paid';
  if (underWay > 0) return 'refundUnderWay';
  return refunded < charged ? 'partlyRefunded' : 'refunded';
}

/** The refund that the question is about; undefined if it is not an amount, or more than can go back. */
function questionOf(
  { what, typed, plan }: Extract<GivingBack, { is: 'asking' }>,
  known: Known,
): readonly Refunding[] | undefined {
  if (plan !== undefined) return plan;
  return 'visit' in known ? planOf(known.visit, what, typed) : undefined;
}

/**
 * The screen of one visit. Each word has its fact, and each control its state: unread or unreadable books never
 * look like nothing, paid or refunded.
 */
export function screenOf(facts: Facts, sentences: Sentences = english): Screen {
  const known = knownOf(facts);
  const state = stateOf(facts, known);
  // A translation of an earlier version lacks the newer states.
  const [said, todo] = (sentences[state] ?? english[state])(saidOf(facts, known));
  const isFromBooks = state === booksState(known) || state === 'storageClosed';
  const isStale = known.is === 'stale' && isFromBooks;
  const controls = controlsOf(facts, known, state);
  const isTipping =
    facts.tipping !== undefined && controls.some(({ act, asksTip }) => act === 'take' && asksTip);
  const field = fieldOf(facts, state, controls);
  return {
    state,
    tone:
      isStale || (isOpen(facts.taking) && !isPaidUp(known)) ? 'unknown' : (tones[state] ?? 'plain'),
    sum: sumOf(facts, known, state),
    said: isStale && 'askedAt' in known ? `At ${clock(known.askedAt)}: ${said}` : said,
    todo: isStale ? (facts.isSignedOut ? signedOut : unanswered) : todo,
    lines: linesOf(facts, known, state),
    controls: isTipping ? [] : controls,
    field: isTipping ? undefined : field,
    fieldFault: field === 'amount' ? faultOf(facts, known) : undefined,
    tipFor: isTipping ? facts.tipping?.price : undefined,
  };
}

const signedOut = 'You are signed out. No card can be charged until you sign in.';
const unanswered =
  'The shop has not answered since. No card can be charged until it does. Press Check again.';

const clock = (at: number) => new Date(at).toTimeString().slice(0, 8);

/** What the other visits owe that the card pays too. */
const othersOf = ({ alsoPays = [] }: Pick<Facts | Taking, 'alsoPays'>) =>
  alsoPays.reduce((sum, { amount }) => sum + minor(amount), 0);

function saidOf(facts: Facts, known: Known): Said {
  const { taking, back, currency = '' } = facts;
  const money = (amount: string) => `${currency} ${amount}`.trim();
  const sum = (name: 'charged' | 'left' | 'refunded' | 'refundable') =>
    'sums' in known && known.sums[name] > 0
      ? money(amountOf(known.sums[name] + (name === 'left' ? othersOf(facts) : 0)))
      : '';
  const others = facts.alsoPays?.length ?? 0;
  const isUnknown = taking.step === 'stuck';
  const { paidBy } = taking;
  const at = paidBy?.capturedAt === undefined ? '' : ` at ${clock(Date.parse(paidBy.capturedAt))}`;
  const plan = back.is === 'asking' ? questionOf(back, known) : undefined;
  const amount = plan ? totalOf(plan) : 'amount' in back ? back.amount : '';
  const refused = back.is === 'refused' ? back.problem : undefined;
  return {
    amount: taking.amount === undefined ? '' : money(taking.amount),
    refundable: sum('refundable'),
    charged: sum('charged'),
    left: sum('left'),
    visits: others > 0 ? ` for ${others + 1} visits` : '',
    refunded: sum('refunded'),
    back: money(amount),
    wentBack:
      back.is === 'refused' && minor(back.wentBack) > 0 ? `${money(back.wentBack)} went back.` : '',
    other: paidBy === undefined ? '' : `: ${money(paidBy.amount)}${at}`,
    nothing:
      taking.charged === 'no'
        ? 'Nothing was charged now.'
        : isUnknown
          ? 'It is not known whether the card was charged.'
          : 'This payment charged nothing.',
    why: (refused && refusals[reasonOf(refused) ?? refused.type]) ?? 'the shop refused it',
  };
}

function sumOf(facts: Facts, known: Known, state: ScreenState): Screen['sum'] {
  const { taking, back } = facts;
  const ofBooks = (label: string, name: 'charged' | 'left' | 'refunded') =>
    'sums' in known
      ? { label, amount: amountOf(known.sums[name] + (name === 'left' ? othersOf(facts) : 0)) }
      : undefined;
  switch (state) {
    case 'ready':
      return ofBooks('To pay', 'left');
    case 'partlyPaid':
      return ofBooks('Still to pay', 'left');
    case 'paid':
      return ofBooks('Paid', 'charged');
    case 'partlyRefunded':
    case 'refunded':
      return ofBooks('Went back', 'refunded');
    case 'refundUnderWay':
      return ofBooks('On its way back', 'refunded');
    case 'askingBack': {
      const plan = back.is === 'asking' ? questionOf(back, known) : undefined;
      return plan && { label: 'Give back?', amount: totalOf(plan) };
    }
    case 'givingBack':
    case 'backUnknown':
    case 'backRefused':
      return 'amount' in back ? { label: 'Refund', amount: back.amount } : undefined;
    case 'wentBack':
      return 'amount' in back ? { label: 'Went back', amount: back.amount } : undefined;
    case 'onItsWay':
      return 'amount' in back ? { label: 'On its way back', amount: back.amount } : undefined;
    case 'captured':
      return taking.amount === undefined ? undefined : { label: 'Paid', amount: taking.amount };
    case 'alreadyPaid':
    case 'paidElsewhere':
      return taking.paidBy && { label: 'Paid', amount: taking.paidBy.amount };
    case 'nothingDue':
    case 'priceUnknown':
    case 'looking':
    case 'unreadable':
    case 'signedOut':
    case 'storageClosed':
    case 'askingBackWrong':
      return undefined;
    default:
      return taking.amount === undefined
        ? undefined
        : { label: 'This payment', amount: taking.amount };
  }
}

function linesOf(facts: Facts, known: Known, state: ScreenState): readonly string[] {
  const { taking, currency = '', now } = facts;
  const money = (amount: string) => `${currency} ${amount}`.trim();
  const lines: string[] = [];
  if (isBusy(taking) || state === 'captured' || state === 'waiting' || state === 'declined') {
    if (minor(taking.tip ?? '0') > 0) lines.push(`Tip in it: ${money(taking.tip ?? '')}`);
    const visits = taking.alsoPays?.length ?? 0;
    if (visits > 0) lines.push(`It pays for ${visits + 1} visits.`);
  }
  if (isBusy(taking) && taking.nextAttemptAt !== undefined) {
    const { type, recovery } = taking.problem ?? {};
    const seconds = Math.max(0, Math.ceil((taking.nextAttemptAt - now) / 1000));
    const shop = type === 'unanswered' ? 'No answer from the shop. It' : 'The shop';
    lines.push(
      recovery?.sessionAction === 'signIn'
        ? 'You are signed out. Sign in to go on.'
        : `${shop} is asked again in ${seconds} s.`,
    );
  }
  if (taking.step === 'stuck' && taking.readerSaid !== undefined) lines.push(taking.readerSaid);
  if ('visit' in known && state === booksState(known)) {
    if (known.sums.tips > 0) lines.push(`Tip in it: ${money(amountOf(known.sums.tips))}`);
    for (const { amount, charged, capturedAt, card, barbers = [] } of known.visit.payments) {
      const at = capturedAt === undefined ? '' : ` at ${clock(Date.parse(capturedAt))}`;
      const of = charged === undefined ? '' : ` of ${money(charged)}`;
      lines.push(`${money(amount)}${of}${at}${card === undefined ? '' : `, card ${card}`}`);
      if (barbers.length > 0) {
        lines.push(barbers.map((one) => `${one.name} ${money(one.amount)}`).join(', '));
      }
    }
    if (known.visit.payments.some(({ back }) => back === undefined)) {
      lines.push('Only the owner sees whether any of it went back.');
    }
    if (isOpen(taking)) {
      lines.push('This phone does not know how its own payment ended. Press Check again.');
    }
    if (keepsNote(taking) && isOver(known)) {
      lines.push('An unfinished payment is left on this phone. It charged nothing: drop it.');
    }
  }
  const held = heldOf(facts, known);
  if (held !== undefined) {
    lines.push(
      `A card was approved for ${money(held)}, and not charged yet. Press Check again to charge it.`,
    );
  }
  if (state === 'backUnknown' && known.is !== 'fresh') {
    lines.push('The shop’s books are not read yet.');
  }
  return lines;
}

function controlsOf(facts: Facts, known: Known, state: ScreenState): readonly Control[] {
  const { taking, back } = facts;
  if (isBusy(taking)) {
    if (taking.step === 'checking') return [{ act: 'stop', label: labels.leaveWaiting }];
    const mayStop = taking.step === 'opening' || taking.step === 'presenting';
    return mayStop ? [{ act: 'stop', label: labels.stop }] : [];
  }
  if (back.is === 'running') return [];
  if (state === 'askingBack' || state === 'askingBackWrong') {
    const plan = back.is === 'asking' ? questionOf(back, known) : undefined;
    return [
      { act: 'keep', label: labels.keep },
      ...(plan ? [{ act: 'giveBack', label: labels.giveBack(totalOf(plan)), plan } as const] : []),
    ];
  }
  const isRead = known.is === 'fresh' || known.is === 'unread';
  const isAsked = !isRead || facts.notes === 'unreadable';
  const mayCheck =
    isAsked ||
    heldOf(facts, known) !== undefined ||
    (taking.step === 'stuck' && taking.reason !== 'inUse');
  const mayDrop =
    isForShop(taking) ||
    taking.reason === 'waiting' ||
    (keepsNote(taking) && (taking.step === 'declined' || isOver(known)));
  return [
    ...takeControl(facts, known, state),
    ...(mayCheck ? [{ act: 'check', label: labels.check } as const] : []),
    ...(mayDrop ? [{ act: 'drop', label: labels.drop } as const] : []),
    ...leaveControl(facts, known, state),
    ...refundControls(facts, known),
    ...(taking.reason === 'signIn' || facts.isSignedOut
      ? [{ act: 'signIn', label: labels.signIn } as const]
      : []),
  ];
}

function takeControl(facts: Facts, known: Known, state: ScreenState): readonly Control[] {
  const { taking, notes, takesTips, typed, back, alsoPays } = facts;
  if (known.is !== 'fresh' || notes !== 'read' || endsTaking(taking)) return [];
  // The books may lack what this phone knows.
  if (state === 'captured') return [];
  if (known.sums.left === 0 || back.is === 'unknown') return [];
  const isKept = keepsNote(taking) && taking.amount !== undefined;
  // A note that asks for more than is left can only be dropped.
  const ofNote = isKept && taking.amount !== undefined ? minor(taking.amount) : undefined;
  const price = ofNote === undefined ? 0 : ofNote - minor(taking.tip ?? '0') - othersOf(taking);
  if (ofNote !== undefined && typed === '') {
    if (price > known.sums.left) return [];
    const amount = amountOf(ofNote);
    const label = state === 'declined' ? labels.another(amount) : labels.take(amount);
    return [{ act: 'take', label, amount }];
  }
  const wished = typed === '' ? known.sums.left : typedMinor(typed);
  if (!wished || wished === Infinity || wished > known.sums.left) return [];
  const amount = amountOf(wished + othersOf(facts));
  const label = state === 'partlyApproved' ? labels.another(amount) : labels.take(amount);
  // A note that is left does not bring its other visits back.
  const others = alsoPays ?? (taking.alsoPays && []);
  return [{ act: 'take', label, amount, asksTip: takesTips, ...(others && { alsoPays: others }) }];
}

function leaveControl(
  { leaves, taking }: Facts,
  known: Known,
  state: ScreenState,
): readonly Control[] {
  if (leaves === 'back') return [{ act: 'leave', label: labels.back }];
  const isDone = state === 'captured' || (isOver(known) && !isOpen(taking)) || isPaidUp(known);
  return isDone ? [{ act: 'leave', label: labels.next }] : [];
}

function refundControls(facts: Facts, known: Known): readonly Control[] {
  const { mayRefund, back, taking } = facts;
  if (!mayRefund || known.is !== 'fresh' || isOpen(taking)) return [];
  if (back.is === 'unknown' && !isGivenBack(back, known)) {
    return [{ act: 'refund', label: labels.refundAgain(back.amount) }];
  }
  const { refundable, refundableTip } = known.sums;
  return [
    ...(refundableTip > 0 && refundableTip < refundable
      ? [{ act: 'refundTip', label: labels.refundTip(amountOf(refundableTip)) } as const]
      : []),
    ...(refundable > 0
      ? [{ act: 'refund', label: labels.refund(amountOf(refundable)) } as const]
      : []),
  ];
}

function fieldOf(
  { typed, back, alsoPays }: Facts,
  state: ScreenState,
  controls: readonly Control[],
): Screen['field'] {
  if (state === 'askingBack' || state === 'askingBackWrong') {
    return back.is === 'asking' && back.what === 'all' && back.plan === undefined
      ? 'part'
      : undefined;
  }
  if (alsoPays !== undefined) return undefined;
  const mayTake = controls.some(({ act, amount }) => act === 'take' && amount !== undefined);
  const isBooks = state === 'ready' || state === 'partlyPaid' || state === 'waiting';
  return (isBooks && mayTake) || (typed !== '' && isBooks) ? 'amount' : undefined;
}

function faultOf({ typed }: Facts, known: Known): string | undefined {
  if (typed === '' || !('sums' in known)) return undefined;
  const wished = typedMinor(typed);
  const { left: leftMinor } = known.sums;
  // Without a price, any amount shows how to write one.
  const left = amountOf(leftMinor === Infinity ? 2000 : leftMinor);
  if (wished === undefined) return `That is no amount. Type one such as ${left}.`;
  if (wished === 0) return 'Nothing cannot be taken. Type an amount, or leave it empty for all.';
  return wished > known.sums.left ? `That is more than is left: ${left}.` : undefined;
}

/** A visit's mark for a list, in a word or two. */
export function markOf(facts: Facts): string {
  const known = knownOf(facts);
  const { taking, back } = facts;
  if (isBusy(taking)) return 'being taken';
  if (isOpen(taking)) return 'check first';
  const left = 'sums' in known ? amountOf(known.sums.left) : '';
  const went = 'amount' in back ? back.amount : '';
  const marks: Partial<Record<ScreenState, string>> = {
    ready: left,
    partlyPaid: `${left} left`,
    nothingDue: 'nothing due',
    priceUnknown: 'price not known',
    paid: 'paid',
    captured: `${taking.amount ?? ''} paid`.trim(),
    wentBack: `${went} refunded`,
    onItsWay: 'refund on its way',
    givingBack: 'being refunded',
    backRefused: 'refund refused',
    backUnknown: 'check first',
    partlyRefunded: 'part refunded',
    refundUnderWay: 'refund on its way',
    refunded: 'refunded',
  };
  const state = 'sums' in known ? booksState(known) : stateOf(facts, known);
  const mark = marks[state] ?? 'not read';
  return known.is === 'stale' ? `${mark} at ${clock(known.askedAt).slice(0, 5)}` : mark;
}

export { changedAt };
