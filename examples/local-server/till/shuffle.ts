import type { Order } from './server.ts';
import { booksIn, firstOpen, type Till } from './state.ts';

/** Faults that a random plan may have; the words are shown. */
const plans: readonly (readonly [string, Order | 'appDies'])[] = [
  ['the answer is lost', { do: 'loseAnswer' }],
  ['the processor takes long', { do: 'processor', fault: 'slow' }],
  ['the processor loses its reply', { do: 'processor', fault: 'losesReply' }],
  ['the processor is down', { do: 'processor', fault: 'down' }],
  ['the server dies before the processor', { do: 'kill', at: 'beforeProcessor' }],
  ['the server dies after the processor', { do: 'kill', at: 'afterProcessor' }],
  ['the server dies before the answer', { do: 'kill', at: 'beforeAnswer' }],
  ['messages come twice', { do: 'messages', plan: 'twice' }],
  ['messages come out of order', { do: 'messages', plan: 'outOfOrder' }],
];
const cards = [
  'visa_credit',
  'visa_credit',
  'apple_pay',
  'declined_then_approved',
  'slow_to_approve',
];

const pick = <T>(from: readonly T[]): T | undefined =>
  from[Math.floor(Math.random() * from.length)];

/** Plays a payment with random faults and a random card. */
export async function shuffle(till: Till, redraw: () => void) {
  const { state, phone, take, order, select } = till;
  const books = booksIn(state);
  if (books === undefined) return;
  select(firstOpen(books)?.id);
  const possible = plans.filter(([, fault]) => {
    return books.canKill || typeof fault === 'string' || fault.do !== 'kill';
  });
  const chosen = [pick(possible), pick(possible)].filter((plan) => plan !== undefined);
  const faults = [...new Map(chosen)];
  const card = pick(cards) ?? 'visa_credit';
  state.shuffled = `${faults.map(([words]) => words).join('; ')}. Card: ${card.replaceAll('_', ' ')}.`;
  redraw();
  for (const [, fault] of faults) if (typeof fault !== 'string') await order(fault);

  const holding = setInterval(() => {
    if (phone.register.getSnapshot().step === 'presenting') phone.hold(card);
  }, 400);
  // A declined card is followed by a good one, as at a real till.
  for (let taps = 0; taps < 4; taps += 1) {
    const taking = await take();
    if (taking === undefined || taking.step === 'captured' || taking.step === 'canceled') break;
  }
  clearInterval(holding);
  await order({ do: 'messages', plan: 'inOrder' });
}
