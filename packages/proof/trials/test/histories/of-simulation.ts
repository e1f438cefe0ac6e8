import { type Action, execute, generatePlan, type Harness, type Outcome } from '@chairside/trials';
import { cents, historyOf, type Seen } from './history.ts';

type Exchange = Outcome['evidence']['exchanges'][number];

/**
 * Changes that the model does not have: the host's of its records, charges of saved methods, cash, and those of
 * people at the processor's dashboard.
 */
const notModelled = new Set([
  ...['raise', 'setDue', 'remove', 'move', 'setAccount', 'erase'],
  ...['book', 'miss', 'charge', 'withdraw', 'tender', 'giveBack', 'voidTender'],
  'changeAtProcessor',
]);

/** Runs one seed of the simulation. Returns what its clients saw. */
export async function simulateHistory(
  harness: Harness,
  seed: number,
  operations: number,
): Promise<object[]> {
  // Without wrong clocks: a node that is days ahead may forget keys.
  const { skewMs: _skewMs, ...drawn } = generatePlan(seed, { operations });
  const modelled = drawn.actions.filter(({ does }) => !notModelled.has(does)).map(withoutTip);
  const actions = [...modelled, ...modelled.flatMap(readsOf)];
  const { evidence } = await execute(harness, { ...drawn, actions });
  const { exchanges } = evidence;
  const appointmentOf = new Map(exchanges.flatMap(opened));
  const all = exchanges.flatMap((exchange) => seen(exchange, appointmentOf));
  const dues = new Map(all.map(({ appointment }) => [appointment, dueOf(appointment)]));
  return historyOf(dues, all);
}

/** The model's amounts are those that are due. A tip is not due. */
function withoutTip(action: Action): Action {
  if (!('tip' in action)) return action;
  const { tip: _tip, ...untipped } = action;
  return untipped;
}

/** Reads of a payment around its capture. */
function readsOf(action: Action, index: number): Action[] {
  if (action.does !== 'capture') return [];
  const { appointment, payment, at } = action;
  return readsAfterMs.map((afterMs, nth) => ({
    id: firstRead + index * readsAfterMs.length + nth,
    at: at + afterMs,
    does: 'read',
    appointment,
    payment,
  }));
}

const firstRead = 600_000;
const readsAfterMs = [0, 2000, 20_000];

/** As the simulation furnishes its shop. */
function dueOf(appointment: string): number {
  return Number(appointment.replace(/^\D+/, '')) % 3 === 2 ? 10_000 : 4500;
}

interface Shown {
  readonly id: string;
  readonly appointment: { readonly id: string };
}

/** The appointment of each payment that a client received. */
function opened({ operation, answer }: Exchange): [string, string][] {
  if (operation !== 'create' || answer?.status !== 201) return [];
  const { id, appointment }: Shown = JSON.parse(answer.text);
  return [[id, appointment.id]];
}

function seen(
  { operation, subject, key = '', asked, payment = '', from, to, answer, ...other }: Exchange,
  appointmentOf: ReadonlyMap<string, string>,
): readonly Seen[] {
  const { appointment = appointmentOf.get(payment) ?? '' } =
    operation === 'create' ? other : { appointment: appointmentOf.get(payment) };
  const base = { appointment, from, to, response: answer };
  // A key belongs to its caller, and to one request.
  const keyed = { ...base, key: `${subject} ${key} ${asked}` };
  switch (operation) {
    case 'create':
      return [{ ...keyed, f: 'create' }];
    case 'capture':
      return [{ ...keyed, f: 'capture', payment }];
    case 'refund': {
      const amount = asked.split(' ').at(-1) ?? '';
      // A refund of the rest has an amount that the client does not know.
      return amount === 'rest' ? [] : [{ ...keyed, f: 'refund', payment, amount: cents(amount) }];
    }
    case 'get':
      return [{ ...base, f: 'read', payment }];
    default:
      return [];
  }
}
