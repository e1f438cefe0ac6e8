import { expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { aPayment, charge, now, problem, value } from '../../test/support.ts';
import { err, ok } from '../values/result.ts';
import { carry, visitOf, type Written } from './carry.ts';
import { decideOpening, type OpeningFacts } from './opening.ts';
import type { Work } from './payment.ts';

interface Held {
  readonly work: Work;
}
const conflict = { kind: 'storeConflict', change: 'updatePayment' } as const;
const heldUntil = (leaseUntil: number): Held => ({
  work: { kind: 'open', fence: 2, attempt: 1, leaseUntil },
});
const fresh = heldUntil(now + 6000);
const runningOut = heldUntil(now);

/** Carries an opening. Each step notes its name, and `after` runs behind it. */
async function carried(
  record: Held,
  {
    after = () => {},
    hold = async () => ok(fresh),
    direct,
  }: {
    readonly after?: (step: string) => void;
    readonly hold?: () => Written<Held>;
    readonly direct?: 'send';
  } = {},
  isOver = () => false,
) {
  const steps: string[] = [];
  const took = <T>(step: string, learned: T) => {
    steps.push(step);
    after(step);
    return learned;
  };
  const known: Omit<OpeningFacts<string>, 'isOver'> = { isFirstCall: false, before: 'unread' };
  const end = await carry(testPorts().ports, record, known, {
    decide: (_, seen) => decideOpening({ ...seen, isOver: isOver() }),
    steps: {
      readBefore: async () => took('readBefore', { before: ok(undefined) }),
      send: async () => took('send', { sent: ok('opened') }),
      readAfter: async () => took('readAfter', { after: ok(undefined) }),
    },
    hold: async () => took('hold', await hold()),
    ...(direct !== undefined && { direct }),
    end: async (_, { next }) => ok(next),
  });
  return { end, steps };
}

it('takes the steps that the decider asks for, and commits its end', async () => {
  const { end, steps } = await carried(fresh);
  expect(value(end)).toBe('record');
  expect(steps).toEqual(['readBefore', 'send']);
});

it('renews a lease that runs out once before a step', async () => {
  const { end, steps } = await carried(runningOut);
  expect(value(end)).toBe('record');
  expect(steps).toEqual(['hold', 'readBefore', 'send']);
  // Even if the renewal takes so long that the new lease runs out too.
  const slow = await carried(runningOut, { hold: async () => ok(runningOut) });
  expect(slow.steps).toEqual(['hold', 'readBefore', 'hold', 'send']);
});

it('does not renew it before a step that must directly follow', async () => {
  const { steps } = await carried(runningOut, { hold: async () => ok(runningOut), direct: 'send' });
  expect(steps).toEqual(['hold', 'readBefore', 'send']);
});

it('takes no further step once another call holds the record', async () => {
  const { end, steps } = await carried(runningOut, { hold: async () => err(conflict) });
  expect(problem(end)).toEqual(conflict);
  expect(steps).toEqual(['hold']);
});

it.each(['readBefore', 'hold'])(
  'opens nothing if the process was stopped for the whole lifetime in %s',
  async (stopped) => {
    let isOver = false;
    const after = (step: string) => {
      isOver ||= step === stopped;
    };
    const { end, steps } = await carried(runningOut, { after }, () => isOver);
    expect(value(end)).toBe('close');
    expect(steps).not.toContain('send');
  },
);

it('tells the processor the visit of a payment, its purpose and its other visits', () => {
  const visit = { appointmentId: 'appointment-1', businessId: 'business-1', barberId: 'barber-1' };
  expect(visitOf(aPayment())).toStrictEqual(visit);
  const part = { barberId: 'ben', amountMinor: 1n, tipMinor: 0n };
  const shares = ['appointment-1', 'child'].map((appointmentId) => ({ ...part, appointmentId }));
  expect(visitOf(aPayment({ charge, shares }))).toStrictEqual({
    ...visit,
    purpose: 'deposit',
    alsoPays: [{ appointmentId: 'child', barberId: 'ben', amount: '0.01' }],
  });
});
